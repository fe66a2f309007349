import { limitReached } from '../../control/limits.ts'
import type { OrgTenant } from '../../domain/tenant.ts'
import type { LimitStorage } from '../../ports/limit-storage.ts'
import type { Logger } from '../../ports/logger.ts'

/** How old a figure may be before it is read again. */
const FRESH_MS = 1_000
/** Organizations whose figures are kept; of more, the one that was read longest ago is forgotten. */
const ORGANIZATIONS_MAX = 10_000
/** How long the first request of an organization waits for the figure. */
const FIRST_READ_MS_MAX = 500

interface Figure {
  readonly bytes: number
  readonly readAtMs: number
}

/**
 * Turns spans away from organizations that have stored as much as they may. Only the first request of an
 * organization waits for the figure, and not for long. Later requests use the last figure and have it read again, so an
 * organization can exceed its limit by about a second's worth. While the store does not answer, nothing is turned away.
 */
export class StoredBytesGate {
  readonly #storage: Pick<LimitStorage, 'readResourceUse'>
  readonly #logger: Logger
  readonly #nowMs: () => number
  readonly #figures = new Map<string, Figure>()
  readonly #reading = new Map<string, Promise<number>>()

  constructor(
    storage: Pick<LimitStorage, 'readResourceUse'>,
    logger: Logger,
    nowMs: () => number = () => performance.now(),
  ) {
    this.#storage = storage
    this.#logger = logger
    this.#nowMs = nowMs
  }

  /** Throws when the organization has no room for more spans; `limit` 0 is none. */
  async requireRoom(tenant: OrgTenant, limit: number): Promise<void> {
    if (limit === 0) return
    const known = this.#figures.get(tenant.orgId)
    const isStale = !known || this.#nowMs() - known.readAtMs >= FRESH_MS
    const reading = isStale ? this.#read(tenant) : undefined
    const bytes = known ? known.bytes : await orLate(reading)
    if (bytes >= limit) throw limitReached('storedBytes', bytes, limit)
  }

  /** One reading at a time for each organization; a failure keeps the figure that there is. */
  #read({ orgId }: OrgTenant): Promise<number> {
    const underWay = this.#reading.get(orgId)
    if (underWay) return underWay
    const reading = this.#storage
      .readResourceUse({ orgId })
      .then(({ storedBytes }) => {
        this.#keep(orgId, storedBytes)
        return storedBytes
      })
      .catch((error: unknown) => {
        this.#logger.warn({ err: error, orgId }, 'stored bytes could not be read; spans are taken meanwhile')
        return this.#figures.get(orgId)?.bytes ?? 0
      })
      .finally(() => this.#reading.delete(orgId))
    this.#reading.set(orgId, reading)
    return reading
  }

  #keep(orgId: string, bytes: number): void {
    this.#figures.delete(orgId)
    this.#figures.set(orgId, { bytes, readAtMs: this.#nowMs() })
    const [oldest] = this.#figures.keys()
    if (this.#figures.size > ORGANIZATIONS_MAX && oldest !== undefined) this.#figures.delete(oldest)
  }
}

/** Spans are taken in while the store is away, so a figure that does not come counts as 0. */
function orLate(reading: Promise<number> = Promise.resolve(0)): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const timer = setTimeout(() => resolve(0), FIRST_READ_MS_MAX)
  return Promise.race([reading, promise]).finally(() => clearTimeout(timer))
}
