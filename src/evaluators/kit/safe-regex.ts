/** Which language a pattern is written in. */
export type RegexDialect = 'python' | 'ecmascript'

/** How a pattern is applied, besides what its own inline flags say. */
export interface RegexOptions {
  readonly dialect: RegexDialect
  readonly ignoreCase?: boolean
  readonly dotAll?: boolean
  readonly multiline?: boolean
}

/** A compiled pattern that cannot run away. */
export interface SafeRegex {
  /** True when the pattern is found somewhere in the text. Throws RegexTimeout when a backtracking pattern takes too long. */
  test(text: string): boolean
}

/** The pattern cannot be compiled; the message says why, for the person who wrote it. */
export class RegexSyntaxError extends Error {}

/** A pattern that needs backtracking did not finish within its time. */
export class RegexTimeout extends Error {}

/** Compiles a pattern: on a linear-time engine where possible, otherwise on a backtracking one with a hard time limit. */
export function compileSafeRegex(_source: string, _options: RegexOptions): SafeRegex {
  throw new Error('being written')
}
