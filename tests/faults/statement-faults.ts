// Must come first: see there.
import '../simulation/virtual-platform.ts'

import { CallWatch } from '../simulation/call-watch.ts'
import { checkEnd } from '../simulation/check-end.ts'
import { Client } from '../simulation/client.ts'
import { Violation, Watcher } from '../simulation/invariants.ts'
import type { MemoryStore } from '../simulation/memory-store.ts'
import { Model } from '../simulation/model.ts'
import { createTenant, SCOPE } from '../simulation/tenant.ts'
import { onPlatform } from '../simulation/virtual-platform.ts'
import { openVirtualSqlite, RETENTION_HOURS, VirtualProcess } from '../simulation/virtual-process.ts'
import { virtualThreads } from '../simulation/virtual-threads.ts'
import { World } from '../simulation/world.ts'
import { faultyDatabase, type StatementFault, sqliteError } from '../support/faulty-database.ts'

/** A fault of a statement, and of those behind it. */
export interface FaultKind {
  readonly name: string
  /** `since` is 0 for the statement itself and grows with every statement; `sinceMs` is the time since it. */
  readonly at: (sql: string, since: number, sinceMs: number) => StatementFault | 'slow' | undefined
}

const WRITES = /^\s*(INSERT|UPDATE|DELETE|COMMIT)/
const OUTAGE_MS = 20_000
/** How long a flush takes on a disk that has trouble. */
const SLOW_MS = 10_000
const HOUR_MS = 3_600_000
const STEPS_MAX = 30_000

const once =
  (error: 'ENOSPC' | 'EIO' | 'BUSY', change: Partial<StatementFault> = {}): FaultKind['at'] =>
  (_sql, since) =>
    since === 0 ? { error: sqliteError(error), when: 'before', ...change } : undefined

const lasting =
  (statements: RegExp): FaultKind['at'] =>
  (sql, _since, sinceMs) =>
    sinceMs < OUTAGE_MS && statements.test(sql) ? { error: sqliteError('ENOSPC'), when: 'before' } : undefined

/** Every kind is tried at every statement. */
export const FAULT_KINDS: readonly FaultKind[] = [
  { name: 'ENOSPC', at: once('ENOSPC') },
  { name: 'ENOSPC, transaction given up', at: once('ENOSPC', { endsTransaction: true }) },
  { name: 'EIO', at: once('EIO') },
  { name: 'EIO, transaction given up', at: once('EIO', { endsTransaction: true }) },
  { name: 'SQLITE_BUSY', at: once('BUSY') },
  { name: 'answer lost after the statement', at: once('EIO', { when: 'after' }) },
  { name: 'disk full for 20 s', at: lasting(WRITES) },
  { name: 'no room for new rows for 20 s', at: lasting(/^\s*INSERT/) },
  { name: 'fsync takes 10 s', at: (sql, since) => (since === 0 && sql === 'COMMIT' ? 'slow' : undefined) },
]

/** The result of a run with a fault. */
export interface FaultReport {
  /** Statements of the whole run. */
  readonly statements: number
  readonly acknowledged: number
  readonly scores: number
  /** Until everything was done, in the time of the world; what a fault adds to it is the time to recover. */
  readonly tookMs: number
}

/**
 * One process goes through everything a span can meet: setups, spans, scores, whole traces, a rerun, a backfill, deletions,
 * retention. At statement n something goes wrong. The process is never restarted. Rejects with a `Violation`.
 */
export async function runWithFault(store: MemoryStore, kind?: FaultKind, n = 0): Promise<FaultReport> {
  store.empty()
  await createTenant(store.db)
  const world = new World(1)
  world.slowness = 0
  return onPlatform(world, () => new FaultRun(store, world, kind, n).run())
}

class FaultRun {
  readonly #store: MemoryStore
  readonly #world: World
  readonly #kind: FaultKind | undefined
  readonly #n: number
  readonly #model = new Model()
  readonly #client: Client
  readonly #watcher: Watcher
  readonly #process: VirtualProcess
  #statements = 0
  #isCounting = false
  #struckMs: number | undefined

  constructor(store: MemoryStore, world: World, kind: FaultKind | undefined, n: number) {
    this.#store = store
    this.#world = world
    this.#kind = kind
    this.#n = n
    this.#client = new Client(world, SCOPE, this.#model)
    this.#watcher = new Watcher(store.db, SCOPE, this.#model)
    const db = faultyDatabase(store.db, (sql) => this.#decide(sql))
    const calls = new CallWatch(store.db, this.#watcher)
    this.#process = new VirtualProcess('p', world, {
      isShared: false,
      openStore: openVirtualSqlite,
      startThread: (place) => virtualThreads(world, place, () => db, calls),
    })
  }

  async run(): Promise<FaultReport> {
    await this.#process.start()
    await this.#until(() => this.#process.pipeline !== undefined)
    this.#isCounting = true
    const client = this.#client
    client.applySetup('setup-0', 'shop char-count span')
    client.applySetup('setup-1', 'shop word-count trace')
    await this.#until(() => client.isDone)
    client.send([0, 2, 4, 4])
    client.send([2, 3])
    await this.#settle()
    client.resend()
    client.send([0, 4])
    client.makeJob('rerun')
    client.makeJob('backfill')
    await this.#settle()
    client.removeTrace(2)
    client.removeSession(0)
    client.send([4, 5])
    await this.#settle()
    checkEnd(this.#store.db, this.#model)
    const report = {
      acknowledged: this.#model.spans.size,
      scores: this.#store.db.get<{ n: number }>('SELECT count(*) AS n FROM evaluations')?.n ?? 0,
      tookMs: this.#world.nowMs,
    }
    await this.#expire()
    return { ...report, statements: this.#statements }
  }

  /** Everything is acknowledged and nothing is left to be done. */
  #settle(): Promise<void> {
    return this.#until(() => this.#client.isDone && this.#watcher.unfinished() === undefined)
  }

  /** Expired data goes, although something fails meanwhile. */
  async #expire(): Promise<void> {
    this.#model.expiries++
    this.#world.pass((RETENTION_HOURS + 1) * HOUR_MS)
    await this.#until(() => this.#store.db.get('SELECT 1 FROM span_batches LIMIT 1') === undefined)
  }

  async #until(isReached: () => boolean): Promise<void> {
    for (let at = 0; at < STEPS_MAX; at++) {
      if (isReached()) return
      await this.#client.knock([this.#process])
      await this.#world.step()
      this.#model.latestMs = Math.max(this.#model.latestMs, this.#world.wallMs())
      this.#watcher.check()
    }
    throw new Violation(
      `it does not recover: ${this.#watcher.unfinished() ?? 'a request is not acknowledged'}\n` +
        `${[...this.#client.history.slice(-5), ...this.#process.logLines.slice(-3)].join('\n')}`,
    )
  }

  #decide(sql: string): StatementFault | undefined {
    if (!this.#isCounting) return undefined
    const since = ++this.#statements - this.#n
    if (!this.#kind || since < 0) return undefined
    this.#struckMs ??= this.#world.nowMs
    const fault = this.#kind.at(sql, since, this.#world.nowMs - this.#struckMs)
    if (fault !== 'slow') return fault
    this.#world.pass(SLOW_MS)
    return undefined
  }
}
