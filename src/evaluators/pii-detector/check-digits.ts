/** Luhn: every second digit from the right doubled, the sum a multiple of ten. Cards, SIN, personnummer. */
export function passesLuhn(digits: string): boolean {
  let sum = 0
  for (let at = digits.length - 1, isDoubled = false; at >= 0; at--, isDoubled = !isDoubled) {
    const digit = digits.charCodeAt(at) - 48
    sum += isDoubled ? (digit > 4 ? digit * 2 - 9 : digit * 2) : digit
  }
  return sum % 10 === 0
}

/** The weighted sum of the digits, the weights from the left; digits beyond the weights count nothing. */
export function weightedSum(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, at) => sum + weight * (digits.charCodeAt(at) - 48), 0)
}

/** The number that the digits and letters (A = 10) make, modulo 97, as in ISO 7064 and IBAN. */
export function modulo97(characters: string): number {
  let rest = 0
  for (let at = 0; at < characters.length; at++) {
    const value = Number.parseInt(characters[at] ?? '', 36)
    rest = (value > 9 ? rest * 100 + value : rest * 10 + value) % 97
  }
  return rest
}

const VERHOEFF_PRODUCT = [
  '0123456789',
  '1234067895',
  '2340178956',
  '3401289567',
  '4012395678',
  '5987604321',
  '6598710432',
  '7659821043',
  '8765932104',
  '9876543210',
]
const VERHOEFF_TURN = [
  '0123456789',
  '1576283094',
  '5803796142',
  '8916043527',
  '9453126870',
  '4286573901',
  '2793806415',
  '7046913258',
]

/** Verhoeff: the check of Aadhaar numbers, which notices every single error and every swap of neighbours. */
export function passesVerhoeff(digits: string): boolean {
  let check = 0
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at])
    const turned = Number(VERHOEFF_TURN[at % 8]?.[digit])
    check = Number(VERHOEFF_PRODUCT[check]?.[turned])
  }
  return check === 0
}

/** True when YYMMDD (or MMDD after any two digits) is a day that can be. */
export function isMonthAndDay(month: string, day: string): boolean {
  return Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= 31
}

/** True when all digits are the same: such numbers pass many checks and belong to no person. */
export function isOneDigitRepeated(digits: string): boolean {
  for (let at = 1; at < digits.length; at++) if (digits[at] !== digits[0]) return false
  return true
}
