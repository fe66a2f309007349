// Numbers are compared as the decimals that people write: 0.0075 is 75 times 0.0001, although neither is exact in binary.
// The shortest decimal that means a double is what the person wrote, up to 15 digits.

interface Decimal {
  readonly digits: bigint
  /** The number is digits * 10^exponent. */
  readonly exponent: number
}

/** A test for multiples of a positive divisor, exact in decimal. */
export function multipleOfTest(divisor: number): (value: number) => boolean {
  const isWholeDivisor = Number.isSafeInteger(divisor)
  const exactDivisor = toDecimal(divisor)
  return (value) => {
    if (isWholeDivisor && Number.isSafeInteger(value)) return value % divisor === 0
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
