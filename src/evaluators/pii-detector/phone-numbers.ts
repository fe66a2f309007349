import type { NumberRun } from './number-runs.ts'
import type { Tokens } from './tokens.ts'
import { FLAG } from './word-flags.ts'

/** ITU country codes; one of these begins every international number. */
const COUNTRY_CODES = new Set(
  `1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 90 91 92 93
  94 95 98 211 212 213 216 218 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234 235 236 237 238 239 240 241 242 243
  244 245 246 247 248 249 250 251 252 253 254 255 256 257 258 260 261 262 263 264 265 266 267 268 269 290 291 297 298 299 350
  351 352 353 354 355 356 357 358 359 370 371 372 373 374 375 376 377 378 379 380 381 382 383 385 386 387 389 420 421 423 500
  501 502 503 504 505 506 507 508 509 590 591 592 593 594 595 596 597 598 599 670 672 673 674 675 676 677 678 679 680 681 682
  683 685 686 687 688 689 690 691 692 850 852 853 855 856 880 886 960 961 962 963 964 965 966 967 968 970 971 972 973 974 975
  976 977 992 993 994 995 996 998`.split(/\s+/),
)

const PLUS = 43
const OPENING = 40

/**
 * How sure it is that a number is a phone number. International and North American numbers speak for themselves; others
 * need the grouping of one and, for most, a word such as "call" nearby.
 */
export function phoneConfidence(tokens: Tokens, run: NumberRun, context: number): number {
  const { digits, pattern, groups } = run
  const length = digits.length
  if (length < 6 || length > 15 || isDate(run) || pattern.includes('/4') || context & FLAG.social) return 0
  const isNamed = (context & FLAG.phone) !== 0
  const isOther = (context & FLAG.otherNumber) !== 0 && !isNamed
  const before = tokens.signAt(run.firstToken - 1)
  const isPlus = before === PLUS || (before === OPENING && tokens.signAt(run.firstToken - 2) === PLUS)
  if (isPlus && length >= 8 && startsWithCountry(digits)) return isOther ? 0.85 : 0.96
  const confidence = nationalConfidence(run, before === OPENING, isNamed, length, groups)
  return isOther ? Math.min(confidence, 0.5) : confidence
}

function nationalConfidence(
  { digits, pattern }: NumberRun,
  isBracketed: boolean,
  isNamed: boolean,
  length: number,
  groups: number,
): number {
  if (digits.startsWith('00') && length >= 10 && startsWithCountry(digits.slice(2)))
    return isNamed ? 0.93 : 0.8
  if (isNorthAmerican(digits, pattern)) return isNamed ? 0.97 : /\D3\D4$|^3\D4/.test(pattern) ? 0.9 : 0.4
  if (/^0[1-9]/.test(digits) && groups >= 2 && length >= 9 && length <= 12) return isNamed ? 0.95 : 0.82
  if (isBracketed && groups >= 2 && length >= 8) return isNamed ? 0.93 : 0.82
  if (isNamed && length >= 7 && length <= 13)
    return groups > 1 || digits[0] === '0' || length >= 9 ? 0.88 : 0.84
  if (isNamed && groups >= 3) return 0.84
  return groups >= 3 && length >= 9 && length <= 12 ? 0.45 : 0
}

/** `1-212-555-0123` and the like: area and exchange begin with 2 to 9. */
function isNorthAmerican(digits: string, pattern: string): boolean {
  const national = digits.length === 11 && digits[0] === '1' ? digits.slice(1) : digits
  if (national.length !== 10 || !/^[2-9]\d\d[2-9]/.test(national)) return false
  return /^(?:1\D)?3\D3\D4$|^1?\d?10$|^(?:1\D)?3\D7$|^11$/.test(pattern)
}

function startsWithCountry(digits: string): boolean {
  return [1, 2, 3].some((length) => COUNTRY_CODES.has(digits.slice(0, length)))
}

/** Days written with digits, with or without a time after them, and ranges of years. */
function isDate({ digits, pattern }: NumberRun): boolean {
  if (/^4([-/.])[12]\1[12](?![-/.\d])/.test(pattern) && /^(?:1[5-9]|20)/.test(digits)) return true
  if (/^[12]([-/.])[12]\1[24](?![-/.\d])/.test(pattern)) return true
  if (/^4[- /]4$/.test(pattern)) return /^(?:1[5-9]|20)\d\d(?:1[5-9]|20)/.test(digits)
  return pattern === '8' && /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/.test(digits)
}
