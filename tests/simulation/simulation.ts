// Must come first: see there.
import './virtual-platform.ts'

import { faultyDatabase, type StatementFault, sqliteError } from '../support/faulty-database.ts'
import { CallWatch } from './call-watch.ts'
import { checkEnd } from './check-end.ts'
import { Client } from './client.ts'
import { Violation, Watcher } from './invariants.ts'
import type { MemoryStore } from './memory-store.ts'
import { Model } from './model.ts'
import type { Sabotage } from './sabotages.ts'
import { createTenant, SCOPE } from './tenant.ts'
import { onPlatform } from './virtual-platform.ts'
import { openVirtualSqlite, type ProcessOptions, RETENTION_HOURS, VirtualProcess } from './virtual-process.ts'
import { virtualThreads } from './virtual-threads.ts'
import { World } from './world.ts'

const HOUR_MS = 3_600_000
/** Events in which things go wrong, then events in which everything has to come right. */
const CHAOS_STEPS_MIN = 100
const CHAOS_STEPS_MAX = 400
const CALM_STEPS_MAX = 30_000
const REQUESTS_MAX = 14
const OUTAGE_MAX = 60
/** A nearly full disk takes a change of a row and not a new one; a full one takes nothing. */
const NEEDS_ROOM = /^\s*INSERT/
const WRITES = /^\s*(INSERT|UPDATE|DELETE|COMMIT)/

/** The summary of a run. */
export interface RunReport {
  readonly steps: number
  readonly acknowledged: number
  readonly scores: number
  readonly crashes: number
  readonly faults: number
  readonly virtualMs: number
}

/** One run of the world: processes, clients and faults in an order that the seed decides. Rejects with a `Violation`. */
export async function simulate(store: MemoryStore, seed: number, sabotage?: Sabotage): Promise<RunReport> {
  store.empty()
  const world = new World(seed)
  const simulation = new Simulation(store, world, sabotage)
  try {
    return await onPlatform(world, () => simulation.run())
  } catch (error) {
    if (error instanceof Violation) error.message += `\n${simulation.history.join('\n')}`
    throw error
  }
}

class Simulation {
  readonly #store: MemoryStore
  readonly #world: World
  readonly #model = new Model()
  readonly #client: Client
  readonly #watcher: Watcher
  readonly #options: ProcessOptions
  readonly #processes: VirtualProcess[] = []
  readonly #faultRate: number
  #isCalm = false
  /** Statements of a kind that all fail, so many times: on a full disk those that need room. */
  #outage = { faultsLeft: 0, statements: NEEDS_ROOM }
  #started = 0
  #crashes = 0
  #faults = 0

  constructor(store: MemoryStore, world: World, sabotage?: Sabotage) {
    this.#store = store
    this.#world = world
    const { dice } = world
    this.#client = new Client(world, SCOPE, this.#model)
    this.#watcher = new Watcher(store.db, SCOPE, this.#model)
    this.#faultRate = dice.pick([0, 0.001, 0.004])
    const faulty = faultyDatabase(store.db, (sql) => this.#decideFault(sql), sabotage?.rewrite)
    const calls = new CallWatch(store.db, this.#watcher)
    this.#options = {
      isShared: dice.isLikely(0.6),
      openStore: async (startThread) => {
        const storage = await openVirtualSqlite(startThread)
        return sabotage?.spoil?.(storage, store.db) ?? storage
      },
      startThread: (place) => virtualThreads(world, place, () => faulty, calls),
    }
  }

  /** Requests and faults so far, for the report of a violation. */
  get history(): readonly string[] {
    return this.#client.history
  }

  async run(): Promise<RunReport> {
    const { dice } = this.#world
    await createTenant(this.#store.db)
    const count = this.#options.isShared ? 2 + dice.below(2) : 1
    for (let at = 0; at < count; at++) await this.#start()
    // Most runs begin with something to score, so that few events are spent on waiting for it.
    if (dice.isLikely(0.8)) this.#client.begin()
    await this.#chaos(CHAOS_STEPS_MIN + dice.below(CHAOS_STEPS_MAX - CHAOS_STEPS_MIN))
    await this.#calmDown()
    checkEnd(this.#store.db, this.#model)
    return {
      steps: this.#world.steps,
      acknowledged: [...this.#model.spans.values()].filter(({ ackedAtMs }) => ackedAtMs !== undefined).length,
      scores: this.#store.db.get<{ n: number }>('SELECT count(*) AS n FROM evaluations')?.n ?? 0,
      crashes: this.#crashes,
      faults: this.#faults,
      virtualMs: this.#world.nowMs,
    }
  }

  async #chaos(steps: number): Promise<void> {
    const { dice } = this.#world
    let requests = 0
    for (let at = 0; at < steps; at++) {
      if (requests < REQUESTS_MAX && dice.isLikely(0.06)) {
        this.#client.invent()
        requests++
      }
      if (dice.isLikely(0.1)) await this.#knock()
      if (dice.isLikely(0.02)) this.#trouble()
      await this.#step()
    }
  }

  /** No more faults: from here on everything has to come to its end by itself. */
  async #calmDown(): Promise<void> {
    this.#isCalm = true
    this.#world.slowness = 0
    for (const process of this.#processes) process.isFrozen = false
    let unfinished: string | undefined = 'not looked yet'
    for (let at = 0; at < CALM_STEPS_MAX; at++) {
      if (at % 20 === 0) {
        await this.#knock()
        unfinished = this.#client.isDone ? this.#watcher.unfinished() : 'a request is not acknowledged'
        if (unfinished === undefined) return
      }
      await this.#step()
    }
    const lines = this.#processes.flatMap(({ logLines }) => logLines.slice(-2))
    throw new Violation(`it does not come to an end: ${unfinished}\n${lines.join('\n')}`)
  }

  async #knock(): Promise<void> {
    await this.#client.knock(this.#processes)
  }

  async #step(): Promise<void> {
    for (const process of this.#processes.filter(({ hasFailed }) => hasFailed)) this.#end(process)
    while (this.#processes.length === 0) await this.#start()
    if (!(await this.#world.step())) {
      for (const process of this.#processes) process.isFrozen = false
      this.#world.pass(1)
    }
    this.#model.latestMs = Math.max(this.#model.latestMs, this.#world.wallMs())
    this.#watcher.check()
  }

  #start(): Promise<void> {
    const process = new VirtualProcess(`p${++this.#started}`, this.#world, this.#options)
    this.#processes.push(process)
    return process.start()
  }

  #end(process: VirtualProcess): void {
    process.vanish()
    this.#processes.splice(this.#processes.indexOf(process), 1)
    void this.#start()
  }

  /** Something that happens to processes and clocks; what happens to statements is decided for each of them. */
  #trouble(): void {
    const { dice } = this.#world
    const process = dice.pick(this.#processes)
    const roll = dice.below(100)
    if (roll < 20) {
      this.#crashes++
      this.#end(process)
    } else if (roll < 40) {
      process.isFrozen = true
      this.#world.setTimer(
        () => {
          process.isFrozen = false
        },
        500 + dice.below(15_000),
        false,
      )
    } else if (roll < 65) {
      this.#outage = { faultsLeft: dice.below(OUTAGE_MAX), statements: dice.pick([NEEDS_ROOM, WRITES]) }
    } else if (roll < 75) this.#world.jumpClock(dice.below(HOUR_MS))
    else if (roll < 85) this.#world.jumpClock(-dice.below(10_000))
    else if (roll < 98) this.#world.pass(dice.below(20_000))
    else {
      this.#world.pass((RETENTION_HOURS + 1) * HOUR_MS)
      this.#model.expiries++
    }
  }

  /** A statement fails now and then; in an outage nothing can be written at all. */
  #decideFault(sql: string): StatementFault | undefined {
    if (this.#isCalm) return undefined
    const { dice } = this.#world
    if (this.#outage.faultsLeft > 0 && this.#outage.statements.test(sql)) {
      this.#outage.faultsLeft--
      this.#faults++
      return { error: sqliteError('ENOSPC'), when: 'before', endsTransaction: dice.isLikely(0.5) }
    }
    if (!dice.isLikely(this.#faultRate)) return undefined
    this.#faults++
    const when = sql === 'COMMIT' && dice.isLikely(0.5) ? 'after' : 'before'
    return {
      error: sqliteError(dice.pick(['EIO', 'BUSY', 'ENOSPC'])),
      when,
      endsTransaction: dice.isLikely(0.3),
    }
  }
}
