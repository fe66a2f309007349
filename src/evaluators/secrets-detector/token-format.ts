/** How the tokens of one vendor are written. */
export interface TokenFormat {
  /** The issuer of the token; for readers and test names only. */
  readonly vendor: string
  /** A literal that every such token contains. The pre-filter looks for it in both cases, the pattern decides. */
  readonly keyword: string
  /** The whole token. Only classes with bounded repetition, so that a match takes at most a few thousand steps. */
  readonly pattern: string
  /** How many characters before the keyword the token begins: 0, or the possible distances. */
  readonly back: readonly number[]
  /** True when the token's own checksum is right: then no look at its body is needed. */
  readonly hasChecksum?: (token: string) => boolean
  /** True where a wrong checksum means that it is none. Elsewhere it may be cut off, altered or of an older kind. */
  readonly needsChecksum?: boolean
  /** True for prefixes that ordinary names share (`key-`, `live_`): the body has to look random. */
  readonly mustLookRandom?: boolean
}

type Extras = Pick<TokenFormat, 'hasChecksum' | 'needsChecksum' | 'mustLookRandom'>

/** A token that begins with the keyword; the rest is a pattern. */
export function prefixed(vendor: string, keyword: string, rest: string, extras: Extras = {}): TokenFormat {
  return { vendor, keyword, pattern: escapePattern(keyword) + rest, back: [0], ...extras }
}

/** A token with the keyword somewhere inside it, at one of the given distances from its beginning. */
export function containing(
  vendor: string,
  keyword: string,
  back: readonly number[],
  pattern: string,
  extras: Extras = {},
): TokenFormat {
  return { vendor, keyword, pattern, back, ...extras }
}

/** Letters and digits; the same with `_` and `-`; lower-case hexadecimal; upper-case letters and digits. */
export const ALNUM = '[A-Za-z0-9]'
export const WORD = '[A-Za-z0-9_-]'
export const HEX = '[0-9a-f]'
export const UPPER = '[A-Z0-9]'
export const BASE64 = '[A-Za-z0-9+/]'
export const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'

function escapePattern(literal: string): string {
  return literal.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
}
