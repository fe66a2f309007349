const MICROS_PER_USD = 1_000_000

/** An amount of the wire in millionths of a US dollar. */
export function toMicros(usd: number): number {
  return Math.round(usd * MICROS_PER_USD)
}

/** Millionths of a US dollar in the form of the wire. */
export function toUsd(micros: number): number {
  return micros / MICROS_PER_USD
}
