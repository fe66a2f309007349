import type { ClaimedUnit } from '../../src/ports/unit-storage.ts'
import type { Recorded, WorkRecord } from '../../src/ports/work-storage.ts'
import type { Call, Outcome } from '../../src/stores/sqlite/operations.ts'
import type { SqliteDatabase } from '../../src/stores/sqlite/sqlite-database.ts'
import { Violation, type Watcher } from './invariants.ts'

/** Calls that set setups back to pending. */
const RESTARTS = new Set(['upsertSetups', 'resume', 'rebind'])

/**
 * Sees what workers hand to the store and what the store answers: a worker that no longer holds its lease must not have
 * published anything.
 */
export class CallWatch {
  readonly #db: SqliteDatabase
  readonly #watcher: Watcher
  readonly #stale = new Set<number>()

  constructor(db: SqliteDatabase, watcher: Watcher) {
    this.#db = db
    this.#watcher = watcher
  }

  /** Ids of calls are unique within their thread only, so each thread has a watch of its own. */
  forThread(): CallWatch {
    return new CallWatch(this.#db, this.#watcher)
  }

  /** A call is about to be run. */
  before({ id, operation, args }: Call): void {
    if (RESTARTS.has(operation)) this.#watcher.mayRestart = true
    const isStale =
      (operation === 'recordWork' && !(args[0] as WorkRecord[]).some((record) => this.#holdsWork(record))) ||
      (operation === 'recordUnit' && !this.#holdsUnit(args[0] as ClaimedUnit))
    if (isStale) this.#stale.add(id)
  }

  /** Calls were run and committed, or not. */
  after(outcomes: readonly Outcome[]): void {
    this.#watcher.hasNews = true
    for (const outcome of outcomes) {
      if (!this.#stale.delete(outcome.id)) continue
      if ('value' in outcome && hasPublished(outcome.value))
        throw new Violation('a worker has published without holding the lease')
    }
  }

  #holdsWork({ work: { batchId, monitorVersion, lease } }: WorkRecord): boolean {
    return this.#holds('work WHERE batch_id = ? AND monitor_version = ?', batchId, monitorVersion, lease)
  }

  #holdsUnit({ monitorVersion, scope, key, lease }: ClaimedUnit): boolean {
    const unitKey = scope === 'trace' ? Buffer.from(key, 'hex') : Buffer.from(key)
    return this.#holds('units WHERE unit_key = ? AND monitor_version = ?', unitKey, monitorVersion, lease)
  }

  #holds(rows: string, ...key: [number | Buffer, number, number]): boolean {
    return this.#db.get(`SELECT 1 FROM ${rows} AND state = 1 AND lease = ?`, ...key) !== undefined
  }
}

/** `recordUnit` tells whether it has stored anything, `recordWork` how much. */
function hasPublished(value: unknown): boolean {
  return typeof value === 'object' ? (value as Recorded).evaluations > 0 : value === true
}
