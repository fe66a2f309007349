import { type CodePointSet, pairsOf } from './character-sets.ts'
import { WORD_CLASS } from './python-classes.ts'
import { RegexSyntaxError, RegexTimeout } from './regex-errors.ts'
import { type Place, type RegexNode, widthOf } from './syntax-tree.ts'

// No \b here: V8's knows the words of ASCII only. The empty text has neither edge, as in Python before 3.14.
const WORD = `[${WORD_CLASS}]`
const PLACES: ReadonlyMap<Place, string> = new Map([
  ['textStart', '^'],
  ['textEnd', '$'],
  ['finalEnd', '(?=\\n?$)'],
  ['lineStart', '(?<![^\\n])'],
  ['lineEnd', '(?![^\\n])'],
  ['asciiWordEdge', '\\b'],
  ['asciiNoWordEdge', '(?!^$)\\B'],
  ['wordEdge', `(?:(?<=${WORD})(?!${WORD})|(?<!${WORD})(?=${WORD}))`],
  ['noWordEdge', `(?!^$)(?:(?<=${WORD})(?=${WORD})|(?<!${WORD})(?!${WORD}))`],
])

/** How long the classes of a source may get; a word class of Unicode is 14,000 characters. */
const SOURCE_CHARS_MAX = 2_000_000

/** The source of a RegExp with the flag `u` that is found in the same texts as the Python pattern of this tree. */
export function backtrackingSource(tree: RegexNode, asciiText: boolean): string {
  return searchingSource(tree, asciiText, new BacktrackingWriter(tree).write(tree))
}

/**
 * The same, and its group `g<number>` holds what that group captures; group 0 is the whole match. Unlike in Python, a
 * group inside a repetition is empty again if it takes no part in the last round.
 */
export function backtrackingExtraction(tree: RegexNode, asciiText: boolean, group: number): string {
  const source = new BacktrackingWriter(tree, group).write(tree)
  return searchingSource(tree, asciiText, group === 0 ? `(?<g0>${source})` : source)
}

function searchingSource(tree: RegexNode, asciiText: boolean, source: string): string {
  // V8 also searches between the two halves of a character beyond U+FFFF, where an empty match must not be found.
  const mayBeEmpty = widthOf(tree, [])[0] === 0
  return mayBeEmpty && !asciiText ? `^[^]*?${source}` : source
}

class BacktrackingWriter {
  readonly #referenced: ReadonlySet<number>
  /** The groups that have certainly taken part where the writer stands. */
  #taken: ReadonlySet<number> = new Set()
  #atomics = 0
  #lookBehinds = 0
  #setChars = 0

  constructor(tree: RegexNode, kept?: number) {
    this.#referenced = new Set([...referencesIn(tree), ...(kept === undefined ? [] : [kept])])
  }

  write(node: RegexNode): string {
    switch (node.kind) {
      case 'set':
        return this.#set(node.set)
      case 'sequence':
        return `(?:${node.items.map((item) => this.write(item)).join('')})`
      case 'choice':
        return this.#choice(node.items)
      case 'repeat':
        return this.#repeat(node)
      case 'capture': {
        const item = this.write(node.item)
        this.#taken = new Set([...this.#taken, node.group])
        return this.#referenced.has(node.group) ? `(?<g${node.group}>${item})` : `(?:${item})`
      }
      case 'atomic':
        return this.#atomic(this.write(node.item))
      case 'reference':
        return this.#reference(node.group, node.ignoreCase)
      case 'look':
        return this.#look(node)
      case 'place':
        return PLACES.get(node.place) as string
    }
  }

  #set(set: CodePointSet): string {
    const source = writeSet(set)
    this.#setChars += source.length
    // Only classes of Unicode get so long, and those are only needed for some texts: so it is not a bad pattern.
    if (this.#setChars > SOURCE_CHARS_MAX) throw new RegexTimeout('needs too much memory on this text')
    return source
  }

  #choice(items: readonly RegexNode[]): string {
    const before = this.#taken
    let common: ReadonlySet<number> | undefined
    const sources = items.map((item) => {
      this.#taken = before
      const source = this.write(item)
      common = common ? new Set([...common].filter((group) => this.#taken.has(group))) : this.#taken
      return source
    })
    this.#taken = common ?? before
    return `(?:${sources.join('|')})`
  }

  #repeat({ item, min, max, mode }: RegexNode & { kind: 'repeat' }): string {
    const before = this.#taken
    const source = `(?:${this.write(item)})`
    if (min === 0) this.#taken = before
    const repeated = `${source}{${min},${Number.isFinite(max) ? max : ''}}`
    if (mode === 'possessive') return this.#atomic(repeated)
    return `(?:${repeated}${mode === 'lazy' ? '?' : ''})`
  }

  /** A look-ahead is never entered again once it has matched, so what it captured can stand for an atomic group. */
  #atomic(source: string): string {
    // Inside a look-behind V8 matches from right to left and would meet the reference first.
    if (this.#lookBehinds > 0) {
      throw new RegexSyntaxError(
        'atomic groups and possessive quantifiers in a look-behind are not supported',
      )
    }
    this.#atomics += 1
    return `(?:(?=(?<a${this.#atomics}>${source}))\\k<a${this.#atomics}>)`
  }

  /** In Python a reference to a group that took no part fails, in V8 it matches the empty text: better say so. */
  #reference(group: number, ignoreCase: boolean): string {
    if (!this.#taken.has(group)) {
      throw new RegexSyntaxError(
        `a reference to group ${group} where that group may not have taken part is not supported`,
      )
    }
    return ignoreCase ? `(?i:\\k<g${group}>)` : `\\k<g${group}>`
  }

  #look({ item, behind, negative }: RegexNode & { kind: 'look' }): string {
    const before = this.#taken
    if (behind) this.#lookBehinds += 1
    const source = this.write(item)
    if (behind) this.#lookBehinds -= 1
    if (negative) this.#taken = before
    // The group around it makes it repeatable: V8 takes no quantifier on a bare look-around.
    return `(?:(?${behind ? '<' : ''}${negative ? '!' : '='}${source}))`
  }
}

function* referencesIn(node: RegexNode): Generator<number> {
  if (node.kind === 'reference') yield node.group
  if ('item' in node) yield* referencesIn(node.item)
  if ('items' in node) for (const item of node.items) yield* referencesIn(item)
}

const writtenSets = new WeakMap<CodePointSet, string>()

function writeSet(set: CodePointSet): string {
  let source = writtenSets.get(set)
  if (source === undefined) {
    let members = ''
    for (const [first, last] of pairsOf(set))
      members += `\\u{${first.toString(16)}}-\\u{${last.toString(16)}}`
    source = `[${members}]`
    writtenSets.set(set, source)
  }
  return source
}
