import { TOKEN, type Tokens } from './tokens.ts'

const GROUPS_MAX = 8
const DIGITS_MAX = 19

/** Digits in groups, as people write long numbers: `4111 1111 1111 1111`, `12.345.678/0001-95`, `(030) 123-45`. */
export interface NumberRun {
  readonly firstToken: number
  readonly lastToken: number
  readonly digits: string
  /** Lengths of the groups with what stands between them: `3-2-4`. Several signs between groups become the last of them. */
  readonly pattern: string
  readonly groups: number
  readonly start: number
  readonly end: number
}

/**
 * Calls `visit` for the runs that begin at a number token, the longest first, until it returns true: a longer number that
 * is known is not also a shorter one. Ends after a fixed number of groups, so that each start costs the same at most.
 */
export function visitRuns(tokens: Tokens, first: number, visit: (run: NumberRun) => boolean): number {
  const ends: number[] = []
  const patterns: string[] = []
  const lengths: number[] = []
  let digits = tokens.textOf(first)
  let pattern = String(digits.length)
  let last = first
  if (digits.length > DIGITS_MAX) return first
  ends.push(last)
  patterns.push(pattern)
  lengths.push(digits.length)
  while (ends.length < GROUPS_MAX) {
    const next = nextGroup(tokens, last)
    if (next < 0) break
    const group = tokens.textOf(next)
    if (digits.length + group.length > DIGITS_MAX) break
    const sign = tokens.signAt(next - 1)
    pattern +=
      (sign === 0 || sign === 40 || (sign === 41 && !tokens.isJoined(next))
        ? ' '
        : String.fromCharCode(sign)) + group.length
    digits += group
    last = next
    ends.push(last)
    patterns.push(pattern)
    lengths.push(digits.length)
  }
  for (let at = ends.length - 1; at >= 0; at--) {
    const lastToken = ends[at] as number
    if (!endsHere(tokens, lastToken)) continue
    const run: NumberRun = {
      firstToken: first,
      lastToken,
      digits: digits.slice(0, lengths[at]),
      pattern: patterns[at] as string,
      groups: at + 1,
      start: tokens.start[first] as number,
      end: tokens.end[lastToken] as number,
    }
    if (visit(run)) return lastToken
  }
  return first
}

/** The token of the next group of digits, or -1. Between groups: one space, one sign, or a bracket with a space. */
function nextGroup(tokens: Tokens, token: number): number {
  const next = token + 1
  if (next >= tokens.count) return -1
  const gap = (tokens.start[next] as number) - (tokens.end[token] as number)
  if (tokens.kind[next] === TOKEN.number) return gap === 1 || gap === 2 ? next : -1
  const sign = tokens.signAt(next)
  // Hyphen, dot, slash, and both brackets.
  if (sign !== 45 && sign !== 46 && sign !== 47 && sign !== 40 && sign !== 41) return -1
  if (gap > 1 || next + 1 >= tokens.count) return -1
  let after = next + 1
  if (sign === 41 && tokens.signAt(after) === 45) after++
  if (after >= tokens.count || tokens.kind[after] !== TOKEN.number) return -1
  const room = (tokens.start[after] as number) - (tokens.end[after - 1] as number)
  return room <= 1 ? after : -1
}

/** A number does not end where digits or letters follow at once, nor before a decimal place or another hyphenated group. */
function endsHere(tokens: Tokens, token: number): boolean {
  const sign = tokens.signAt(token + 1)
  if (!tokens.isJoined(token + 1) || token + 1 >= tokens.count) return true
  if (tokens.kind[token + 1] !== TOKEN.sign) return false
  const isJoinedNumber =
    tokens.isJoined(token + 2) && token + 2 < tokens.count && tokens.kind[token + 2] === TOKEN.number
  return !(isJoinedNumber && (sign === 45 || sign === 46 || sign === 44 || sign === 47 || sign === 58))
}
