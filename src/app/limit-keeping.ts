import { type LimitCounts, LimitWatch } from '../control/limit-watch.ts'
import type { ControlDeps } from '../control/setups.ts'
import type { Limits } from '../domain/limits.ts'
import { RateExchange } from '../http/limits/rate-exchange.ts'
import type { RateLimits } from '../http/limits/rate-limits.ts'
import { Loop } from '../pipeline/loop.ts'
import type { Logger } from '../ports/logger.ts'

/** How often it is looked at what organizations use. */
const WATCH_MS = 60_000

/** Dependencies of limit keeping. */
export interface LimitKeepingDeps extends ControlDeps {
  readonly limits: Limits
  readonly logger: Logger
  readonly rates: RateLimits
  /** Whether this process warns of organizations that come near a limit; those that serve only leave it to others. */
  readonly watchesUse: boolean
  readonly onLook: (counts: LimitCounts) => void
}

/** The background work of limits: exchanging rates with other processes and watching usage. */
export class LimitKeeping {
  readonly #parts: readonly { start(): void; close(): Promise<void> }[]

  constructor({ storage, ids, limits, logger, rates, watchesUse, onLook }: LimitKeepingDeps) {
    const watch = new LimitWatch({ storage, logger, limits, onLook })
    const step = async () => {
      await watch.look()
      return false
    }
    this.#parts = [
      new RateExchange({ storage, rates, processId: ids.newId(), logger }),
      ...(watchesUse ? [new Loop({ name: 'limits', pauseMs: WATCH_MS, logger, step })] : []),
    ]
  }

  start(): void {
    for (const part of this.#parts) part.start()
  }

  async close(): Promise<void> {
    await Promise.all(this.#parts.map((part) => part.close()))
  }
}
