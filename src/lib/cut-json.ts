/** How senders say that they have cut a text. */
const CUT_SIGN = /\s*(?:\.\.\.|…|[[(<]?\s*truncated\b)/iy
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORDS = ['true', 'false', 'null']
const SPACES = /[ \t\r\n]*/y

type Next = 'value' | 'firstValue' | 'key' | 'firstKey' | 'colon' | 'comma'

/**
 * Makes JSON of the beginning of a JSON text: a text value keeps the part before the cut, and everything else that is not
 * complete is left out. Undefined for a text that is whole, or that no JSON begins with.
 */
export function closeCutJson(text: string): string | undefined {
  const closers: string[] = []
  let next: Next = 'value'
  // Up to here everything is complete; `closers` always belongs to this place.
  let safe = 0
  for (let at = matchAt(SPACES, text, 0); at < text.length; at = matchAt(SPACES, text, at)) {
    const sign = text[at] as string
    const isEnd = sign === closers.at(-1) && ['comma', 'firstKey', 'firstValue'].includes(next)
    if (isEnd) {
      closers.pop()
      at++
    } else if (next === 'comma') {
      if (sign !== ',') return isCut(text, at) ? close(text.slice(0, safe), closers) : undefined
      next = closers.at(-1) === '}' ? 'key' : 'value'
      at++
      continue
    } else if (next === 'colon') {
      if (sign !== ':') return undefined
      next = 'value'
      at++
      continue
    } else if (sign === '"') {
      const isKey = next === 'key' || next === 'firstKey'
      const { end, whole } = endOfString(text, at)
      if (!whole) {
        const kept = isKey ? text.slice(0, safe) : `${withoutHalf(text.slice(0, end))}"`
        return close(kept, closers)
      }
      at = end
      if (isKey) {
        next = 'colon'
        continue
      }
    } else if (next === 'key' || next === 'firstKey') {
      return isCut(text, at) ? close(text.slice(0, safe), closers) : undefined
    } else if (sign === '{' || sign === '[') {
      closers.push(sign === '{' ? '}' : ']')
      next = sign === '{' ? 'firstKey' : 'firstValue'
      safe = ++at
      continue
    } else {
      const end = endOfScalar(text, at)
      if (end === undefined) return isCut(text, at) ? close(text.slice(0, safe), closers) : undefined
      if (end === 'cut') break
      at = end
    }
    if (closers.length === 0) return undefined
    safe = at
    next = 'comma'
  }
  return closers.length === 0 ? undefined : close(text.slice(0, safe), closers)
}

function close(text: string, closers: readonly string[]): string | undefined {
  return text === '' ? undefined : text + closers.toReversed().join('')
}

function isCut(text: string, at: number): boolean {
  return matchAt(CUT_SIGN, text, at) > at
}

/** Where a string ends, or the last place before its end at which nothing is half written. */
function endOfString(text: string, start: number): { readonly end: number; readonly whole: boolean } {
  let at = start + 1
  while (at < text.length) {
    if (text[at] === '"') return { end: at + 1, whole: true }
    const length = text[at] !== '\\' ? 1 : text[at + 1] === 'u' ? 6 : 2
    if (at + length > text.length) return { end: at, whole: false }
    at += length
  }
  return { end: at, whole: false }
}

/** The end of a number or a word; `cut` where the text ends before it is certain. */
function endOfScalar(text: string, at: number): number | 'cut' | undefined {
  for (const word of WORDS) {
    if (text.startsWith(word, at)) return at + word.length
    if (word.startsWith(text.slice(at))) return 'cut'
  }
  const end = matchAt(NUMBER, text, at)
  if (end === at) return text.slice(at) === '-' ? 'cut' : undefined
  // A number at the end of the text, or one whose fraction is missing, may have had more digits.
  return end === text.length || /^[.eE][+-]?$/.test(text.slice(end, end + 3)) ? 'cut' : end
}

// Half of a character that takes two.
function withoutHalf(text: string): string {
  return text.replace(/(?:\\u[dD][89abAB][0-9a-fA-F]{2}|[\uD800-\uDBFF])$/, '')
}

function matchAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}
