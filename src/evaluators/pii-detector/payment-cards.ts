import { isOneDigitRepeated, passesLuhn } from './check-digits.ts'

/** Issuers: how their numbers begin (a range of prefixes of one length) and how long they are. */
const ISSUERS: readonly (readonly [from: string, to: string, lengths: readonly number[]])[] = [
  ['4', '4', [13, 16, 19]],
  ['51', '55', [16]],
  ['2221', '2720', [16]],
  ['34', '34', [15]],
  ['37', '37', [15]],
  ['300', '305', [14, 16]],
  ['36', '36', [14]],
  ['38', '39', [14, 16]],
  ['6011', '6011', [16, 19]],
  ['644', '649', [16, 19]],
  ['65', '65', [16, 19]],
  ['3528', '3589', [16, 19]],
  ['62', '62', [16, 17, 18, 19]],
  ['5018', '5018', [12, 13, 14, 15, 16, 19]],
  ['5020', '5020', [12, 13, 14, 15, 16, 19]],
  ['5038', '5038', [12, 13, 14, 15, 16, 19]],
  ['6304', '6304', [12, 13, 14, 15, 16, 19]],
  ['6759', '6763', [12, 13, 14, 15, 16, 19]],
  ['60', '60', [16]],
  ['2200', '2204', [16]],
  ['9792', '9792', [16]],
]

/** True when the digits begin and end as a payment card's number does, the Luhn check included. */
export function isCardNumber(digits: string): boolean {
  const isIssued = ISSUERS.some(([from, to, lengths]) => {
    const prefix = digits.slice(0, from.length)
    return prefix >= from && prefix <= to && lengths.includes(digits.length)
  })
  return isIssued && !isOneDigitRepeated(digits) && passesLuhn(digits)
}
