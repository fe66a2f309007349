import { type Limits, WARNING_SHARE } from '../../domain/limits.ts'
import type { Principal } from '../../domain/tenant.ts'
import { PublicError } from '../../lib/public-error.ts'
import type { OtherRateUse, RateUse } from '../../ports/limit-storage.ts'
import { RateBucket, waitMs } from './rate-bucket.ts'

/** How many seconds' worth of its rate a key may use at once. */
const WINDOW_S = 10
/** Keys whose buckets are kept; of more, those that were used longest ago start with full buckets again. */
const KEYS_MAX = 10_000
/** A key that uses less than this share of its rate is not worth telling the other processes about. */
const TOLD_SHARE = 0.02

/** Which key sends, and what its organization may. */
export type Sender = Pick<Principal, 'keyId' | 'orgId' | 'limits'>

/** Where the answer says how much is left: a header and its value. */
export type SetHeader = (name: string, value: string) => void

/** The rates of a key. */
export type RateUnit = 'requests' | 'spans'
const UNITS = ['requests', 'spans'] as const
const REQUESTS_ONLY = ['requests'] as const

/** A key that is near its rate. */
export interface BusyKey {
  readonly keyId: string
  readonly orgId: string
  readonly unit: RateUnit
  readonly perSecond: number
  readonly limit: number
}

type Amounts = Record<RateUnit, number>

interface KeyRates {
  readonly orgId: string
  readonly buckets: Readonly<Record<RateUnit, RateBucket>>
  /** The rates that held when the key was last used; 0 is none. */
  readonly limits: Amounts
  /** Usage at the last exchange, and the total reported so far. */
  readonly seen: Amounts
  readonly told: Amounts
  /** The reports of each other process that were already taken out of the buckets here. */
  readonly others: Map<string, Readonly<Amounts>>
}

/**
 * Requests and spans that each key may send, in this process. Nothing is asked of the store: limits come with the key. A
 * request that is refused uses nothing up, so that a client that does not wait is served again as soon as one that does.
 */
export class RateLimits {
  readonly #defaults: Limits
  readonly #nowMs: () => number
  /** The one that was used longest ago first. */
  readonly #keys = new Map<string, KeyRates>()
  /** Those that were used since the last exchange. */
  readonly #active = new Map<string, KeyRates>()

  constructor(defaults: Limits, nowMs: () => number = () => performance.now()) {
    this.#defaults = defaults
    this.#nowMs = nowMs
  }

  /**
   * Counts a request, or throws when it is one too many; tells the client about its rates either way. How many spans a request
   * brings is known only when it has been read: one that exceeds the rate is taken, and the next ones wait for it.
   */
  take(
    sender: Sender,
    withSpans: boolean,
    setHeader?: SetHeader,
    onRefused?: (unit: RateUnit) => void,
  ): void {
    const { limits, buckets } = this.#ratesOf(sender)
    const nowMs = this.#nowMs()
    let policies = ''
    let states = ''
    for (const unit of withSpans ? UNITS : REQUESTS_ONLY) {
      if (limits[unit] === 0) continue
      const available = buckets[unit].available(limits[unit], nowMs)
      if (available < 1) {
        onRefused?.(unit)
        throw refusal(unit, limits[unit], waitMs(available, limits[unit]), setHeader)
      }
      const isRequest = unit === 'requests' ? 1 : 0
      policies += `${policies && ', '}${policyOf(unit, limits[unit])}`
      states += `${states && ', '}${stateOf(unit, available - isRequest, limits[unit])}`
    }
    if (limits.requests > 0) buckets.requests.use(1, limits.requests, nowMs)
    if (policies) setHeader?.('ratelimit-policy', policies)
    if (policies) setHeader?.('ratelimit', states)
  }

  /** Counts the spans of a request. */
  useSpans(sender: Sender, count: number): void {
    const { limits, buckets } = this.#ratesOf(sender)
    if (limits.spans > 0) buckets.spans.use(count, limits.spans, this.#nowMs())
  }

  /** How much a key has used in the last seconds, as a mean by the second, in this process. */
  useOf({ keyId }: Sender): Readonly<Amounts> {
    const buckets = this.#keys.get(keyId)?.buckets
    const nowMs = this.#nowMs()
    return { requests: buckets?.requests.perSecond(nowMs) ?? 0, spans: buckets?.spans.perSecond(nowMs) ?? 0 }
  }

  /** Keys that use nearly all that they may, or more, of those that were used since the last exchange. */
  listBusy(): BusyKey[] {
    const nowMs = this.#nowMs()
    const busy: BusyKey[] = []
    for (const [keyId, { orgId, buckets, limits }] of this.#active) {
      for (const unit of UNITS) {
        const limit = limits[unit]
        const perSecond = limit > 0 ? buckets[unit].perSecond(nowMs) : 0
        if (limit > 0 && perSecond >= limit * WARNING_SHARE)
          busy.push({ keyId, orgId, unit, perSecond, limit })
      }
    }
    return busy
  }

  /** Keys that have used a notable share of a rate since the last call, with all that was ever told about them. */
  takeUses(elapsedMs: number): RateUse[] {
    const uses: RateUse[] = []
    for (const [keyId, { buckets, limits, seen, told }] of this.#active) {
      const grown = (unit: RateUnit) => buckets[unit].used - seen[unit]
      const isNotable = (unit: RateUnit) =>
        limits[unit] > 0 && grown(unit) >= (limits[unit] * TOLD_SHARE * elapsedMs) / 1_000
      if (UNITS.some(isNotable)) {
        for (const unit of UNITS) told[unit] += grown(unit)
        uses.push({ keyId, ...told })
      }
      for (const unit of UNITS) seen[unit] = buckets[unit].used
    }
    this.#active.clear()
    return uses
  }

  /** Takes out of the buckets what other processes have let the same keys use since they were last heard of. */
  debitOthers(others: readonly OtherRateUse[]): void {
    const nowMs = this.#nowMs()
    for (const { keyId, processId, requests, spans } of others) {
      const rates = this.#keys.get(keyId)
      if (!rates) continue
      const use = { requests, spans }
      const before = rates.others.get(processId) ?? use
      for (const unit of UNITS) {
        // Usage that piled up during an outage of the store would otherwise block the key for as long.
        const grown = Math.min(use[unit] - before[unit], rates.limits[unit] * WINDOW_S)
        rates.buckets[unit].debit(Math.max(0, grown), rates.limits[unit], nowMs)
      }
      rates.others.set(processId, use)
    }
  }

  #ratesOf(sender: Sender): KeyRates {
    const { keyId, limits } = sender
    const known = this.#keys.get(keyId)
    if (known) this.#keys.delete(keyId)
    const rates = known ?? newRates(sender.orgId)
    rates.limits.requests = limits?.requestsPerSecond ?? this.#defaults.requestsPerSecond
    rates.limits.spans = limits?.spansPerSecond ?? this.#defaults.spansPerSecond
    this.#keys.set(keyId, rates)
    this.#active.set(keyId, rates)
    if (!known && this.#keys.size > KEYS_MAX) this.#forgetOldest()
    return rates
  }

  #forgetOldest(): void {
    const [oldest] = this.#keys.keys()
    if (oldest === undefined) return
    this.#keys.delete(oldest)
    this.#active.delete(oldest)
  }
}

function newRates(orgId: string): KeyRates {
  const none = (): Amounts => ({ requests: 0, spans: 0 })
  return {
    orgId,
    buckets: { requests: new RateBucket(WINDOW_S), spans: new RateBucket(WINDOW_S) },
    ...{ limits: none(), seen: none(), told: none(), others: new Map() },
  }
}

function refusal(
  unit: RateUnit,
  perSecond: number,
  retryAfterMs: number,
  setHeader?: SetHeader,
): PublicError {
  const seconds = Math.ceil(retryAfterMs / 1_000)
  setHeader?.('ratelimit-policy', policyOf(unit, perSecond))
  setHeader?.('ratelimit', `"${unit}";r=0;t=${seconds}`)
  return new PublicError(
    'rate_limited',
    `rate limit reached: this API key may send ${perSecond} ${unit} a second; ` +
      `wait ${seconds} ${seconds === 1 ? 'second' : 'seconds'}, or ask the operator to raise ${unit}_per_second`,
    retryAfterMs,
  )
}

/** A quota and the seconds it is for, by name, as draft-ietf-httpapi-ratelimit-headers-10 writes it. */
function policyOf(unit: RateUnit, perSecond: number): string {
  const quotaUnit = unit === 'requests' ? '' : `;qu="${unit}"`
  return `"${unit}";q=${perSecond * WINDOW_S}${quotaUnit};w=${WINDOW_S}`
}

/** The remaining quota, and the seconds until it is full again. */
function stateOf(unit: RateUnit, available: number, perSecond: number): string {
  const missing = perSecond * WINDOW_S - available
  return `"${unit}";r=${Math.max(0, Math.floor(available))};t=${Math.ceil(missing / perSecond)}`
}
