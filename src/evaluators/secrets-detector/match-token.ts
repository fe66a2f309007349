import { countsOn, hasPlaceholderPart } from './placeholders.ts'
import { looksRandom } from './text-shape.ts'
import type { TokenFormat } from './token-format.ts'
import { AI_FORMATS } from './token-formats-ai.ts'
import { CLOUD_FORMATS } from './token-formats-cloud.ts'
import { CODE_FORMATS } from './token-formats-code.ts'
import { LINK_FORMATS } from './token-formats-links.ts'
import { SAAS_FORMATS } from './token-formats-saas.ts'

/** All formats of tokens that are known by themselves. */
export const TOKEN_FORMATS: readonly TokenFormat[] = [
  ...CLOUD_FORMATS,
  ...CODE_FORMATS,
  ...AI_FORMATS,
  ...SAAS_FORMATS,
  ...LINK_FORMATS,
]

// More than chance or a vendor's padding: somebody held a key down.
const ONE_CHARACTER = /([^A])\1{31}/

// A token ends where no letter, digit or underscore follows, nor a hyphen that goes on to one.
const TOKEN_END = '(?![A-Za-z0-9_]|-[A-Za-z0-9])'

/** A rule for the place of a format's keyword. */
export function tokenRule(format: TokenFormat): (text: string, start: number) => boolean {
  const pattern = new RegExp(`${format.pattern}${TOKEN_END}`, 'y')
  return (text, start) => format.back.some((distance) => isTokenAt(text, start - distance, pattern, format))
}

function isTokenAt(text: string, at: number, pattern: RegExp, format: TokenFormat): boolean {
  if (at < 0 || !isTokenStart(text, at)) return false
  pattern.lastIndex = at
  const token = pattern.exec(text)?.[0]
  if (token === undefined) return false
  if (format.hasChecksum?.(token)) return true
  if (format.needsChecksum) return false
  const body = format.back.includes(0) ? token.slice(format.keyword.length) : token
  if (hasPlaceholderPart(body) || countsOn(body) || ONE_CHARACTER.test(body)) return false
  return format.mustLookRandom !== true || looksRandom(body)
}

/**
 * True where a token may begin: not in the middle of a word. The end of an escape (`\n`, `\u003d`, `%3D`, a colour of
 * a terminal) looks like a letter but is none of the token's neighbours.
 */
export function isTokenStart(text: string, at: number): boolean {
  if (at === 0 || !isLetterOrDigit(text.charCodeAt(at - 1))) return true
  // Asked at every keyword: the dear look at the escape comes only where something could begin one.
  if (
    text[at - 2] !== '\\' &&
    text[at - 3] !== '%' &&
    text[at - 4] !== '\\' &&
    text[at - 6] !== '\\' &&
    text[at - 1] !== 'm'
  )
    return false
  return ESCAPE_END.test(text.slice(Math.max(0, at - 16), at))
}

const ESCAPE_END = /(?:\\[nrtbf]|\\u00[0-9a-f]{2}|\\x[0-9a-f]{2}|%[0-9A-F]{2}|\p{Cc}\[[0-9;]{0,12}m)$/iu

function isLetterOrDigit(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57)
}
