import { PublicError } from '../../lib/public-error.ts'
import { addressBlock } from '../client-address.ts'
import { RateBucket, waitMs } from './rate-bucket.ts'

/** Addresses that are remembered; of more, those that failed longest ago are forgotten. */
const ADDRESSES_MAX = 10_000
const MINUTE_S = 60

/**
 * Failed authentications, by the address they come from. Only attempts that fail are counted and refused: a key is looked up
 * first, so that no caller can lock out a valid one that shares the address.
 */
export class FailedAuthentications {
  readonly #perMinute: number
  readonly #nowMs: () => number
  /** The one that failed longest ago first. */
  readonly #addresses = new Map<string, RateBucket>()

  /** `perMinute` 0 means that there is no limit. */
  constructor(perMinute: number, nowMs: () => number = () => performance.now()) {
    this.#perMinute = perMinute
    this.#nowMs = nowMs
  }

  /** How many addresses are remembered. */
  get size(): number {
    return this.#addresses.size
  }

  /** The answer to a failed authentication: the same error, or that there were too many. */
  judge(error: unknown, address: string): unknown {
    const isFailure = error instanceof PublicError && error.kind === 'unauthorized'
    if (!isFailure || this.#perMinute === 0) return error
    const bucket = this.#bucketOf(addressBlock(address))
    const perSecond = this.#perMinute / MINUTE_S
    const nowMs = this.#nowMs()
    const available = bucket.available(perSecond, nowMs)
    if (available >= 1) {
      bucket.use(1, perSecond, nowMs)
      return error
    }
    return new PublicError(
      'rate_limited',
      'too many requests from this address had no valid API key; check the Authorization header',
      waitMs(available, perSecond),
    )
  }

  #bucketOf(address: string): RateBucket {
    const known = this.#addresses.get(address)
    if (known) this.#addresses.delete(address)
    const bucket = known ?? new RateBucket(MINUTE_S)
    this.#addresses.set(address, bucket)
    if (!known && this.#addresses.size > ADDRESSES_MAX) {
      const [oldest] = this.#addresses.keys()
      if (oldest !== undefined) this.#addresses.delete(oldest)
    }
    return bucket
  }
}
