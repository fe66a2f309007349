import { Loop } from '../../pipeline/loop.ts'
import type { Logger } from '../../ports/logger.ts'
import type { Storage } from '../../ports/storage.ts'
import type { RateLimits } from './rate-limits.ts'

const EXCHANGE_MS = 1_000
/** How often a key that stays busy is warned about. */
const WARN_MS = 600_000
const WARNED_MAX = 10_000

/** Dependencies of the exchange. */
export interface RateExchangeDeps {
  readonly storage: { readonly system: Pick<Storage['system'], 'exchangeRateUse'> }
  readonly rates: RateLimits
  /** Tells this process from the others. */
  readonly processId: string
  readonly logger: Logger
}

/**
 * Makes rates hold across processes: once a second each tells the others through the store what it has let busy keys use, and
 * takes out of its own buckets what the others have. While the store is away each process limits by itself. Keys that come
 * near their rate are named in the log.
 */
export class RateExchange {
  readonly #deps: RateExchangeDeps
  readonly #loop: Loop
  readonly #warnedAtMs = new Map<string, number>()
  #atMs = performance.now()

  constructor(deps: RateExchangeDeps) {
    this.#deps = deps
    this.#loop = new Loop({
      ...{ name: 'rates', pauseMs: EXCHANGE_MS, logger: deps.logger },
      step: async () => {
        this.#warn()
        await this.exchange()
        return false
      },
    })
  }

  start(): void {
    this.#loop.start()
  }

  close(): Promise<void> {
    return this.#loop.close()
  }

  /** One exchange; asks nothing of the store when no key is busy. */
  async exchange(): Promise<void> {
    const { storage, rates, processId } = this.#deps
    const nowMs = performance.now()
    const uses = rates.takeUses(nowMs - this.#atMs)
    this.#atMs = nowMs
    if (uses.length > 0) rates.debitOthers(await storage.system.exchangeRateUse(processId, uses))
  }

  #warn(): void {
    const nowMs = performance.now()
    for (const { keyId, orgId, unit, perSecond, limit } of this.#deps.rates.listBusy()) {
      const subject = `${keyId} ${unit}`
      if (nowMs < (this.#warnedAtMs.get(subject) ?? Number.NEGATIVE_INFINITY) + WARN_MS) continue
      if (this.#warnedAtMs.size >= WARNED_MAX) this.#warnedAtMs.clear()
      this.#warnedAtMs.set(subject, nowMs)
      this.#deps.logger.warn(
        { keyId, orgId, limit: `${unit}_per_second`, perSecond: Math.round(perSecond), allowed: limit },
        'an API key uses more than 80 % of its rate limit',
      )
    }
  }
}
