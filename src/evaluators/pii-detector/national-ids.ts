import {
  isMonthAndDay,
  isOneDigitRepeated,
  modulo97,
  passesLuhn,
  passesVerhoeff,
  weightedSum,
} from './check-digits.ts'

/** A number that a state gives to a person (or to a trader), made of digits only. */
export interface NationalId {
  readonly name: string
  readonly digits: number
  /** How the groups are written, for example `3-2-4`; any of these raises the confidence. */
  readonly written: readonly string[]
  readonly isValid: (digits: string) => boolean
  /** Confidence as bare digits, in its own grouping, and with a word such as "tax" or "identity" nearby. */
  readonly bare: number
  readonly grouped: number
  readonly named: number
}

/**
 * The recognisers, by number of digits. A check digit is passed by one random number in ten or eleven, so bare digits are
 * never enough; two check digits, or a date and a check digit, in the usual grouping are.
 */
export const NATIONAL_IDS: readonly NationalId[] = [
  {
    name: 'NHS number',
    digits: 10,
    written: ['3 3 4'],
    isValid: isNhsNumber,
    bare: 0.1,
    grouped: 0.55,
    named: 0.95,
  },
  {
    name: 'Aadhaar',
    digits: 12,
    written: ['4 4 4', '4-4-4'],
    isValid: isAadhaar,
    bare: 0.3,
    grouped: 0.85,
    named: 0.97,
  },
  { name: 'PESEL', digits: 11, written: [], isValid: isPesel, bare: 0.6, grouped: 0.6, named: 0.97 },
  {
    name: 'BSN',
    digits: 9,
    written: ['4.2.3', '3.3.3'],
    isValid: isBsn,
    bare: 0.1,
    grouped: 0.4,
    named: 0.93,
  },
  {
    name: 'SIN',
    digits: 9,
    written: ['3 3 3', '3-3-3'],
    isValid: isSin,
    bare: 0.1,
    grouped: 0.6,
    named: 0.95,
  },
  { name: 'CPF', digits: 11, written: ['3.3.3-2'], isValid: isCpf, bare: 0.6, grouped: 0.97, named: 0.97 },
  {
    name: 'CNPJ',
    digits: 14,
    written: ['2.3.3/4-2'],
    isValid: isCnpj,
    bare: 0.6,
    grouped: 0.97,
    named: 0.97,
  },
  { name: 'TFN', digits: 9, written: ['3 3 3'], isValid: isTfn, bare: 0.1, grouped: 0.4, named: 0.93 },
  { name: 'ABN', digits: 11, written: ['2 3 3 3'], isValid: isAbn, bare: 0.2, grouped: 0.85, named: 0.95 },
  {
    name: 'personnummer',
    digits: 10,
    written: ['6-4'],
    isValid: isPersonnummer,
    bare: 0.2,
    grouped: 0.85,
    named: 0.95,
  },
  {
    name: 'fødselsnummer',
    digits: 11,
    written: ['6 5'],
    isValid: isFodselsnummer,
    bare: 0.75,
    grouped: 0.9,
    named: 0.97,
  },
  { name: 'AHV', digits: 13, written: ['3.4.4.2'], isValid: isAhv, bare: 0.7, grouped: 0.97, named: 0.97 },
  {
    name: 'NIR',
    digits: 15,
    written: ['1 2 2 2 3 3 2', '13 2'],
    isValid: isNir,
    bare: 0.85,
    grouped: 0.95,
    named: 0.97,
  },
  { name: 'TCKN', digits: 11, written: [], isValid: isTckn, bare: 0.6, grouped: 0.6, named: 0.95 },
  {
    name: 'RSA identity number',
    digits: 13,
    written: ['6 4 3'],
    isValid: isRsaId,
    bare: 0.6,
    grouped: 0.85,
    named: 0.95,
  },
  {
    name: 'Steuer-ID',
    digits: 11,
    written: ['2 3 3 3'],
    isValid: isSteuerId,
    bare: 0.3,
    grouped: 0.6,
    named: 0.95,
  },
]

/** US social security numbers: areas 000, 666 and 9xx, group 00 and serial 0000 are never given out. */
export function isSsn(digits: string): boolean {
  const area = digits.slice(0, 3)
  return (
    area !== '000' &&
    area !== '666' &&
    area < '900' &&
    digits.slice(3, 5) !== '00' &&
    digits.slice(5) !== '0000'
  )
}

/** US taxpayer numbers of people without a social security number: 9xx with these groups. */
export function isItin(digits: string): boolean {
  const group = Number(digits.slice(3, 5))
  return (
    digits[0] === '9' &&
    ((group >= 50 && group <= 65) || (group >= 70 && group <= 99 && group !== 89 && group !== 93))
  )
}

export function isNhsNumber(digits: string): boolean {
  const check = 11 - (weightedSum(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)
  return !isOneDigitRepeated(digits) && check !== 10 && check % 11 === Number(digits[9])
}

export function isAadhaar(digits: string): boolean {
  return digits >= '2' && !isOneDigitRepeated(digits) && passesVerhoeff(digits)
}

export function isPesel(digits: string): boolean {
  const month = Number(digits.slice(2, 4)) % 20
  if (!isMonthAndDay(String(month), digits.slice(4, 6))) return false
  return (weightedSum(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]) + Number(digits[10])) % 10 === 0
}

export function isBsn(digits: string): boolean {
  return !isOneDigitRepeated(digits) && weightedSum(digits, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0
}

export function isSin(digits: string): boolean {
  return digits[0] !== '0' && digits[0] !== '8' && !isOneDigitRepeated(digits) && passesLuhn(digits)
}

export function isCpf(digits: string): boolean {
  const first = checkOfEleven(weightedSum(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]))
  const second = checkOfEleven(weightedSum(digits, [11, 10, 9, 8, 7, 6, 5, 4, 3, 2]))
  return !isOneDigitRepeated(digits) && first === Number(digits[9]) && second === Number(digits[10])
}

export function isCnpj(digits: string): boolean {
  const first = checkOfEleven(weightedSum(digits, [5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]))
  const second = checkOfEleven(weightedSum(digits, [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]))
  return !isOneDigitRepeated(digits) && first === Number(digits[12]) && second === Number(digits[13])
}

export function isTfn(digits: string): boolean {
  return !isOneDigitRepeated(digits) && weightedSum(digits, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0
}

export function isAbn(digits: string): boolean {
  const weights = [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]
  return digits[0] !== '0' && (weightedSum(digits, weights) - 10) % 89 === 0
}

export function isPersonnummer(digits: string): boolean {
  const day = Number(digits.slice(4, 6)) % 60
  return isMonthAndDay(digits.slice(2, 4), String(day)) && passesLuhn(digits)
}

export function isFodselsnummer(digits: string): boolean {
  const day = Number(digits.slice(0, 2)) % 40
  if (!isMonthAndDay(digits.slice(2, 4), String(day))) return false
  const first = weightedSum(digits, [3, 7, 6, 1, 8, 9, 4, 5, 2, 1]) % 11
  return first === 0 && weightedSum(digits, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0
}

/** Swiss social security number: the country 756 and the check digit of EAN-13. */
export function isAhv(digits: string): boolean {
  return digits.startsWith('756') && weightedSum(digits, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0
}

/** French social security number; the departments of Corsica (2A, 2B) are written with letters and not read here. */
export function isNir(digits: string): boolean {
  const month = Number(digits.slice(3, 5))
  if (!/^[1-4]/.test(digits) || month < 1 || (month > 12 && month < 20)) return false
  return modulo97(digits.slice(0, 13)) + Number(digits.slice(13)) === 97
}

export function isTckn(digits: string): boolean {
  const odd = weightedSum(digits, [1, 0, 1, 0, 1, 0, 1, 0, 1])
  const even = weightedSum(digits, [0, 1, 0, 1, 0, 1, 0, 1])
  const sum = weightedSum(digits, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1])
  return (
    digits[0] !== '0' && (odd * 7 - even + 100) % 10 === Number(digits[9]) && sum % 10 === Number(digits[10])
  )
}

export function isRsaId(digits: string): boolean {
  return (
    isMonthAndDay(digits.slice(2, 4), digits.slice(4, 6)) &&
    /[01]/.test(digits[10] ?? '') &&
    passesLuhn(digits)
  )
}

/** German tax number: ISO 7064 mod 11,10, and among the first ten digits exactly one comes twice or three times. */
export function isSteuerId(digits: string): boolean {
  if (digits[0] === '0') return false
  const counts = new Array<number>(10).fill(0)
  let product = 10
  for (let at = 0; at < 10; at++) {
    const digit = Number(digits[at])
    counts[digit] = (counts[digit] ?? 0) + 1
    const sum = (digit + product) % 10
    product = ((sum === 0 ? 10 : sum) * 2) % 11
  }
  const repeated = counts.filter((count) => count > 1)
  return repeated.length === 1 && (repeated[0] ?? 0) <= 3 && (11 - product) % 10 === Number(digits[10])
}

function checkOfEleven(sum: number): number {
  const rest = sum % 11
  return rest < 2 ? 0 : 11 - rest
}
