import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { TestService } from '../support/service.ts'
import { chatSpan, idsOf, sendSpans } from '../support/spans.ts'

/** A fault of a statement on its way to PostgreSQL. */
export interface PostgresFault {
  readonly name: string
  /** The server itself fails the statement with this code, and the transaction with it. */
  readonly code?: string
  /** The connection breaks before the statement is sent, or after the server has run it and before its answer is heard. */
  readonly breaks?: 'before' | 'after'
  /** A commit takes this long. */
  readonly slowMs?: number
}

/** Every kind is tried at every statement. */
export const POSTGRES_FAULTS: readonly PostgresFault[] = [
  { name: 'serialization failure', code: '40001' },
  { name: 'deadlock', code: '40P01' },
  { name: 'disk full', code: '53100' },
  { name: 'I/O error', code: '58030' },
  { name: 'connection reset before the statement', breaks: 'before' },
  { name: 'connection reset after the statement', breaks: 'after' },
  { name: 'slow fsync', slowMs: 1_500 },
]

// The driver that the service uses, which need not be the one that tests find.
const driver = createRequire(new URL('../../src/stores/postgres/postgres-database.ts', import.meta.url))(
  'pg',
) as typeof pg

type Query = (this: pg.Client, ...args: unknown[]) => Promise<unknown>

/** Stands between the driver and everything that uses it, and makes one statement go wrong when it is told to. */
export class StatementSaboteur {
  readonly #query = driver.Client.prototype.query as unknown as Query
  #fault: PostgresFault | undefined
  #left = 0
  /** Statements since the last `arm`. */
  statements = 0

  constructor() {
    const saboteur = this
    const query = this.#query
    driver.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
      const fault = saboteur.#next(args[0])
      return fault ? saboteur.#fail(this, fault, args) : query.apply(this, args)
    } as unknown as typeof pg.Client.prototype.query
  }

  /** The n-th statement from now on goes wrong. */
  arm(fault: PostgresFault, n: number): void {
    this.#fault = fault
    this.#left = n
    this.statements = 0
  }

  /** Whether the fault that was armed has happened. */
  get hasStruck(): boolean {
    return this.#fault === undefined
  }

  close(): void {
    this.#fault = undefined
    driver.Client.prototype.query = this.#query as unknown as typeof pg.Client.prototype.query
  }

  #next(statement: unknown): PostgresFault | undefined {
    this.statements++
    const fault = this.#fault
    // Undoing is never what goes wrong, and only a commit waits for the disk.
    if (!fault || statement === 'ROLLBACK' || --this.#left > 0) return undefined
    if (fault.slowMs !== undefined && statement !== 'COMMIT') return undefined
    this.#fault = undefined
    return fault
  }

  async #fail(client: pg.Client, fault: PostgresFault, args: unknown[]): Promise<unknown> {
    const run = () => this.#query.apply(client, args)
    if (fault.slowMs !== undefined) {
      await sleep(fault.slowMs)
      return run()
    }
    if (fault.code !== undefined)
      return this.#query.call(
        client,
        `DO $$ BEGIN RAISE EXCEPTION 'injected' USING ERRCODE = '${fault.code}'; END $$`,
      )
    if (fault.breaks === 'after') await run()
    const { connection } = client as unknown as { connection: { stream: { destroy(): void } } }
    connection.stream.destroy()
    throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  }
}

/** Long enough for a machine that is busy with other things; a service that does not recover takes for ever. */
const RECOVERY_MS_MAX = 300_000
const LOOK_MS = 50

/** The first result of `look` that is neither undefined nor false. */
export async function until<T>(look: () => Promise<T | undefined | false>, what: string): Promise<T> {
  const untilMs = performance.now() + RECOVERY_MS_MAX
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    assert.ok(performance.now() < untilMs, `this did not happen: ${what}`)
    await sleep(LOOK_MS)
  }
}

let rounds = 0

/**
 * Sends spans while a fault waits for its statement, again until they are acknowledged, and waits until each has its score
 * and its trace; then deletes one of the traces. The service is never restarted.
 */
export async function runPostgresRound(
  service: TestService,
  saboteur: StatementSaboteur,
  fault: PostgresFault,
  n: number,
): Promise<void> {
  const names = ['a', 'b', 'c'].map((name) => `round ${++rounds} ${name}`)
  saboteur.arm(fault, n)
  await again(() =>
    sendSpans(
      service,
      names.map((name) => chatSpan(name)),
    ),
  )
  for (const name of names) await untilShown(service, name)
  const [gone = ''] = names
  await again(async () => {
    const { status } = await service.call('DELETE', `/v2/traces/${idsOf(gone).trace_id}`)
    assert.equal(status, 202)
  })
  await until(async () => {
    const { status } = await service.call('GET', `/v2/traces/${idsOf(gone).trace_id}`)
    return status === 404
  }, `${gone} is hidden`)
}

/** Each monitor has scored the span, exactly once, and its trace can be found. */
async function untilShown(service: TestService, name: string): Promise<void> {
  const { trace_id: traceId } = idsOf(name)
  const monitors = ['spans scored', 'traces scored']
  const found = await until(async () => {
    const answer = await service.call('GET', `/v2/evaluations?trace_id=${traceId}`)
    const trace = await service.call('GET', `/v2/traces/${traceId}`)
    if (answer.status !== 200 || trace.status !== 200) return undefined
    const rows = answer.json.evaluations as { external_id: string; status: string }[]
    return rows.length >= monitors.length && rows
  }, `${name} is scored and can be found`)
  assert.deepEqual(found.map((row) => `${row.external_id} ${row.status}`).toSorted(), monitors)
}

/** A client repeats what was not acknowledged. */
async function again(act: () => Promise<void>): Promise<void> {
  await until(
    () =>
      act().then(
        () => true,
        () => false,
      ),
    'the service acknowledges again',
  )
}
