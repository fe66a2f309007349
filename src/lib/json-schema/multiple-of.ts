// Numbers are compared as the decimals that people write: 0.0075 is 75 times 0.0001, although neither is exact in binary.
// The shortest decimal that means a double is what the person wrote, up to 15 digits.

interface Decimal {
  readonly digits: bigint
  /** The number is digits * 10^exponent. */
  readonly exponent: number
}

/** Up to here a double holds every decimal of as many digits: 15. */
const EXACT_BELOW = 1e15

/** Powers of ten up to this one are exact as doubles. */
const EXACT_POWER_MAX = 22

/** A test for multiples of a positive divisor, exact in decimal. */
export function multipleOfTest(divisor: number): (value: number) => boolean {
  const exactDivisor = toDecimal(divisor)
  const scale = exactDivisor.exponent <= 0 ? 10 ** -exactDivisor.exponent : 1
  const wholeDivisor = Math.round(divisor * scale)
  const isScalable = wholeDivisor < EXACT_BELOW && -exactDivisor.exponent <= EXACT_POWER_MAX
  return (value) => {
    const whole = Math.round(value * scale)
    if (isScalable && Math.abs(whole) < EXACT_BELOW) {
      // Unless the value is this many hundredths (or whatever the divisor counts in), it has more digits than a multiple can have.
      return whole / scale === value && whole % wholeDivisor === 0
    }
    // 1e400 is JSON but no double; nothing is known about it.
    if (!Number.isFinite(value)) return false
    return isExactMultiple(toDecimal(value), exactDivisor)
  }
}

function isExactMultiple(value: Decimal, divisor: Decimal): boolean {
  const shift = value.exponent - divisor.exponent
  // At most 10^632, for 1e308 and 5e-324: a few hundred bytes.
  if (shift >= 0) return (value.digits * 10n ** BigInt(shift)) % divisor.digits === 0n
  return value.digits % (divisor.digits * 10n ** BigInt(-shift)) === 0n
}

function toDecimal(value: number): Decimal {
  const [mantissa = '0', exponent = '0'] = String(value).split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}
