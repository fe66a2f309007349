import { isMonthAndDay } from './check-digits.ts'

/** A national number with letters in it. */
export interface LetteredId {
  readonly name: string
  readonly isValid: (word: string) => boolean
  /** Confidence alone, and with a word such as "identity" nearby. */
  readonly alone: number
  readonly named: number
}

const DNI_LETTERS = 'TRWAGMYFPDXBNJZSQVHLCKE'

/** The recognisers; words are in capitals. Those without a check character need their name. */
export const LETTERED_IDS: readonly LetteredId[] = [
  { name: 'NIF or NIE', isValid: isNif, alone: 0.88, named: 0.97 },
  { name: 'codice fiscale', isValid: isCodiceFiscale, alone: 0.97, named: 0.98 },
  { name: 'National Insurance number', isValid: isNino, alone: 0.82, named: 0.97 },
  { name: 'NRIC', isValid: isNric, alone: 0.85, named: 0.97 },
  { name: 'Chinese resident identity', isValid: isChineseId, alone: 0.95, named: 0.97 },
  { name: 'CURP', isValid: isCurp, alone: 0.95, named: 0.97 },
  { name: 'PAN', isValid: isPersonalPan, alone: 0.7, named: 0.93 },
]

/** Spain: eight digits, or X, Y, Z and seven, and the letter of their rest by 23. */
export function isNif(word: string): boolean {
  if (!/^[\dXYZ]\d{7}[A-Z]$/.test(word)) return false
  const number = Number(word.slice(0, 8).replace(/^[XYZ]/, (letter) => String('XYZ'.indexOf(letter))))
  return DNI_LETTERS[number % 23] === word[8]
}

/** Values of the characters in odd places of a codice fiscale; digits count as the letters A to J. */
const ODD_VALUES = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
]

export function isCodiceFiscale(word: string): boolean {
  if (!/^[A-Z]{6}[0-9L-V]{2}[A-EHLMPRST][0-9L-V]{2}[A-Z][0-9L-V]{3}[A-Z]$/.test(word)) return false
  let sum = 0
  for (let at = 0; at < 15; at++) {
    const code = word.charCodeAt(at)
    const value = code < 58 ? code - 48 : code - 65
    sum += at % 2 === 0 ? (ODD_VALUES[value] as number) : value
  }
  return sum % 26 === word.charCodeAt(15) - 65
}

/** United Kingdom: no check character, but many letters are never used. */
export function isNino(word: string): boolean {
  return /^(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$/.test(word)
}

const NRIC_WEIGHTS = [2, 7, 6, 5, 4, 3, 2]

export function isNric(word: string): boolean {
  if (!/^[STFG]\d{7}[A-Z]$/.test(word)) return false
  const sum = NRIC_WEIGHTS.reduce((total, weight, at) => total + weight * Number(word[at + 1]), 0)
  const rest = (sum + (/^[TG]/.test(word) ? 4 : 0)) % 11
  return (/^[ST]/.test(word) ? 'JZIHGFEDCBA' : 'XWUTRQPNMLK')[rest] === word[8]
}

const CHINESE_WEIGHTS = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]

export function isChineseId(word: string): boolean {
  if (!/^[1-9]\d{5}(?:19|20)\d{9}[\dX]$/.test(word) || !isMonthAndDay(word.slice(10, 12), word.slice(12, 14)))
    return false
  const sum = CHINESE_WEIGHTS.reduce((total, weight, at) => total + weight * Number(word[at]), 0)
  return '10X98765432'[sum % 11] === word[17]
}

const CURP_ALPHABET = '0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ'

export function isCurp(word: string): boolean {
  if (!/^[A-Z][AEIOUX][A-Z]{2}\d{6}[HMX][A-Z]{5}[0-9A-Z]\d$/.test(word)) return false
  if (!isMonthAndDay(word.slice(6, 8), word.slice(8, 10))) return false
  let sum = 0
  for (let at = 0; at < 17; at++) sum += CURP_ALPHABET.indexOf(word[at] as string) * (18 - at)
  return (10 - (sum % 10)) % 10 === Number(word[17])
}

/** India: the fourth letter is P for a person. */
export function isPersonalPan(word: string): boolean {
  return /^[A-Z]{3}P[A-Z]\d{4}[A-Z]$/.test(word)
}

const VIN_WEIGHTS = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2]
const VIN_VALUES: Readonly<Record<string, number>> = Object.fromEntries(
  ['AJ', 'BKS', 'CLT', 'DMU', 'ENV', 'FW', 'GPX', 'HY', 'RZ'].flatMap((letters, at) =>
    [...letters].map((letter) => [letter, at + 1]),
  ),
)

/** A vehicle's number with its check digit, as North America and China require it. */
export function isVin(word: string): boolean {
  if (!/^[A-HJ-NPR-Z0-9]{17}$/.test(word)) return false
  const sum = VIN_WEIGHTS.reduce((total, weight, at) => {
    const character = word[at] as string
    return total + weight * (VIN_VALUES[character] ?? Number(character))
  }, 0)
  return '0123456789X'[sum % 11] === word[8]
}
