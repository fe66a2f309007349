/** Reports a keyword: which one, and the index after its last character. True ends the scan. */
export type OnKeyword = (keyword: number, end: number) => boolean

/**
 * Finds all keywords in one pass (Aho-Corasick), so that the cost of a text does not grow with the number of rules.
 * ASCII letters match in both cases. One table look-up per character; nothing is allocated while scanning.
 */
export class KeywordAutomaton {
  /** The column of each code unit; column 0 stands for all that occur in no keyword. */
  readonly #columns = new Uint8Array(65_536)
  readonly #width: number
  /** For each state (a row) and column the next state. States are row offsets, to save a multiplication. */
  readonly #next: Int32Array
  /** States from here on end at least one keyword. */
  readonly #firstEnding: number
  readonly #endings: readonly (readonly number[])[]

  constructor(keywords: readonly string[]) {
    let width = 1
    for (const code of new Set(keywords.flatMap((keyword) => codesOf(keyword)))) {
      for (const variant of bothCases(code)) this.#columns[variant] = width
      width++
    }
    if (width > 255) throw new Error('too many different characters in the keywords')
    this.#width = width

    const trie = buildTrie(keywords, (code) => this.#columns[code] ?? 0)
    linkSuffixes(trie, width)

    // Quiet states get the low numbers, so that one comparison tells whether a keyword ends here.
    const order = trie
      .map((_, at) => at)
      .sort((a, b) => Number(isEnding(trie, a)) - Number(isEnding(trie, b)) || a - b)
    const place = new Int32Array(trie.length)
    for (const [at, state] of order.entries()) place[state] = at
    this.#next = new Int32Array(trie.length * width)
    for (const [at, state] of order.entries()) {
      for (let column = 0; column < width; column++) {
        this.#next[at * width + column] = (place[trie[state]?.next[column] ?? 0] ?? 0) * width
      }
    }
    this.#firstEnding = order.filter((state) => !isEnding(trie, state)).length * width
    this.#endings = order.map((state) => trie[state]?.endings ?? [])
  }

  /** Calls back for every keyword in the order of their ends, until one says true; answers whether one did. */
  scan(text: string, onKeyword: OnKeyword): boolean {
    const columns = this.#columns
    const next = this.#next
    const firstEnding = this.#firstEnding
    let state = 0
    for (let at = 0; at < text.length; at++) {
      state = next[state + (columns[text.charCodeAt(at)] as number)] as number
      if (state < firstEnding) continue
      for (const keyword of this.#endings[state / this.#width] as readonly number[]) {
        if (onKeyword(keyword, at + 1)) return true
      }
    }
    return false
  }
}

interface TrieState {
  readonly next: number[]
  readonly endings: number[]
}

function buildTrie(keywords: readonly string[], columnOf: (code: number) => number): TrieState[] {
  const trie: TrieState[] = [{ next: [], endings: [] }]
  for (const [id, keyword] of keywords.entries()) {
    let state = 0
    for (const code of codesOf(keyword)) {
      const column = columnOf(code)
      const known = trie[state]?.next[column]
      if (known === undefined) trie.push({ next: [], endings: [] })
      const target = known ?? trie.length - 1
      const { next } = trie[state] as TrieState
      next[column] = target
      state = target
    }
    trie[state]?.endings.push(id)
  }
  return trie
}

/** Fills the gaps: where a state has no next, it goes where its longest proper suffix goes. */
function linkSuffixes(trie: readonly TrieState[], width: number): void {
  const queue: { state: number; suffix: number }[] = [{ state: 0, suffix: 0 }]
  for (let at = 0; at < queue.length; at++) {
    const { state, suffix } = queue[at] as { state: number; suffix: number }
    const { next, endings } = trie[state] as TrieState
    const fallback = trie[suffix] as TrieState
    if (state !== suffix) endings.push(...fallback.endings)
    for (let column = 0; column < width; column++) {
      const child = next[column]
      const onSuffix = state === 0 ? 0 : (fallback.next[column] ?? 0)
      if (child === undefined) next[column] = onSuffix
      else queue.push({ state: child, suffix: onSuffix })
    }
  }
}

function isEnding(trie: readonly TrieState[], state: number): boolean {
  return (trie[state]?.endings.length ?? 0) > 0
}

function codesOf(keyword: string): number[] {
  return Array.from({ length: keyword.length }, (_, at) => keyword.toLowerCase().charCodeAt(at))
}

function bothCases(code: number): number[] {
  const letter = String.fromCharCode(code)
  return [letter.toLowerCase().charCodeAt(0), letter.toUpperCase().charCodeAt(0)]
}
