import type { UnitOutcome } from '../../domain/evaluation.ts'
import {
  addToRollup,
  emptyRollup,
  mergeRollups,
  removeFromRollup,
  type ValueRollup,
} from '../../domain/rollup.ts'
import { ValueSketch } from '../../domain/value-sketch.ts'
import type { WorkRecord } from '../../ports/work-storage.ts'
import { countStatus, discountStatus, minuteOf } from './monitor-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { WORK_STATE } from './work-state.ts'

/** No batch has this id. */
const NO_BATCH = 0

/** To whom the outcome of a unit belongs, and the batch in which the unit lies. */
interface OutcomeOwner {
  readonly projectNumber: number
  readonly monitorVersion: number
  readonly batchId: number
}

/** An outcome that takes the place of an earlier one of the same unit. */
export interface NextGeneration {
  readonly projectNumber: number
  readonly monitorVersion: number
  /** Absent where the unit does not lie in one batch. */
  readonly batchId?: number
  readonly outcome: UnitOutcome
  readonly generation: number
  /** The number of the evaluation that becomes history; null where there is none. */
  readonly superseded: number | null
}

/** Stores one outcome as a generation of its unit and puts it in the place of the superseded one in all counts; its number. */
export function recordGeneration(db: SqliteDatabase, next: NextGeneration): number {
  const { outcome, superseded, monitorVersion, batchId = NO_BATCH } = next
  const rollups = new Rollups()
  if (superseded !== null) retire(db, rollups, monitorVersion, superseded)
  if (!insertEvaluation(db, { ...next, batchId }, outcome, next.generation, Date.now()))
    throw new Error(`generation ${next.generation} of a unit is stored already`)
  const number = db.lastInsertedId()
  rollups.add(monitorVersion, outcome)
  rollups.write(db)
  return number
}

export function recordWork(db: SqliteDatabase, records: readonly WorkRecord[]): number {
  const nowMs = Date.now()
  const rollups = new Rollups()
  let recorded = 0
  for (const record of records) {
    const projectNumber = endWork(db, record, nowMs)
    if (projectNumber === undefined) continue
    const { monitorVersion, batchId } = record.work
    const owner = { projectNumber, monitorVersion, batchId }
    for (const outcome of record.outcomes) {
      if (takeOutcome(db, rollups, owner, outcome, nowMs)) recorded++
    }
    if (record.sampledOut > 0) {
      rollups.count(
        monitorVersion,
        minuteOf(receivedAt(db, record.work.batchId) ?? nowMs),
        'sampled_out',
        record.sampledOut,
      )
    }
  }
  rollups.write(db)
  return recorded
}

/** False when the unit has an evaluation of this version already and keeps it. */
function takeOutcome(
  db: SqliteDatabase,
  rollups: Rollups,
  owner: OutcomeOwner,
  outcome: UnitOutcome,
  nowMs: number,
): boolean {
  if (!insertEvaluation(db, owner, outcome, 1, nowMs)) return false
  rollups.add(owner.monitorVersion, outcome)
  return true
}

/** Makes an evaluation history and takes it out of the rollups; nothing where it is history or gone already. */
function retire(db: SqliteDatabase, rollups: Rollups, monitorVersion: number, number: number): void {
  const row = db.get<RetiredRow>(
    `SELECT status, output, unit_at_ms FROM evaluations
     WHERE number = ? AND monitor_version = ? AND is_current = 1`,
    number,
    monitorVersion,
  )
  if (!row) return
  db.run('UPDATE evaluations SET is_current = 0 WHERE number = ?', number)
  rollups.remove(monitorVersion, row)
}

interface RetiredRow {
  status: string
  output: string | null
  unit_at_ms: number
}

/** The project of the work, or undefined when the lease is no longer ours: then nothing of it may be written. */
function endWork(db: SqliteDatabase, { work, left }: WorkRecord, nowMs: number): number | undefined {
  const { batchId, monitorVersion, lease } = work
  const mine = 'batch_id = ? AND monitor_version = ? AND state = ? AND lease = ?'
  const place = [batchId, monitorVersion, WORK_STATE.leased, lease]
  let changed: number
  if (left === undefined) {
    changed = db.run(`UPDATE work SET state = ?, lease = NULL WHERE ${mine}`, WORK_STATE.done, ...place)
  } else if ('holdMs' in left) {
    changed = db.run(
      `UPDATE work SET units = ?1, unit_count = count_units(?1), lease_until_ms = ?2 WHERE ${mine}`,
      left.units,
      nowMs + left.holdMs,
      ...place,
    )
  } else {
    changed = db.run(
      `UPDATE work SET units = ?1, unit_count = count_units(?1), state = ?2, lease = NULL, ready_at_ms = ?3 WHERE ${mine}`,
      left.units,
      WORK_STATE.ready,
      nowMs + left.readyInMs,
      ...place,
    )
  }
  if (changed === 0) return undefined
  return db.get<{ project_number: number }>(
    `SELECT m.project_number FROM monitor_versions v JOIN monitors m ON m.number = v.monitor_number
     WHERE v.number = ?`,
    monitorVersion,
  )?.project_number
}

function receivedAt(db: SqliteDatabase, batchId: number): number | undefined {
  return db.get<{ received_at_ms: number }>('SELECT received_at_ms FROM span_batches WHERE id = ?', batchId)
    ?.received_at_ms
}

/** False when that generation of the unit is stored already. */
function insertEvaluation(
  db: SqliteDatabase,
  { projectNumber, monitorVersion, batchId }: OutcomeOwner,
  outcome: UnitOutcome,
  generation: number,
  nowMs: number,
): boolean {
  const inserted = db.run(
    `INSERT INTO evaluations (project_number, monitor_version, trace_id, span_id, generation, status, value, output,
                              error_message, session_id, batch_id, ordinal, unit_at_ms, duration_us, created_at_ms, judgement)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    projectNumber,
    monitorVersion,
    Buffer.from(outcome.traceId, 'hex'),
    Buffer.from(outcome.spanId, 'hex'),
    generation,
    outcome.status,
    firstValue(outcome) ?? null,
    outcome.output === undefined ? null : JSON.stringify(outcome.output),
    outcome.errorMessage ?? null,
    outcome.sessionId ?? null,
    batchId,
    outcome.ordinal,
    outcome.unitAtMs,
    outcome.durationUs,
    nowMs,
    outcome.judgement === undefined ? null : JSON.stringify(outcome.judgement),
  )
  return inserted > 0
}

/** The value that filters compare: the first number or boolean of the output, in the order of its schema. */
function firstValue({ output = {} }: UnitOutcome): number | undefined {
  const first = Object.values(output).find((value) => typeof value === 'number' || typeof value === 'boolean')
  return first === undefined ? undefined : Number(first)
}

/** A row of the rollups: monitor version, minute, and the status or property. */
type RollupKey = [monitorVersion: number, minute: number, name: string]

/** What one transaction adds to the rollups and takes out of them, gathered first so that each row is written once. */
class Rollups {
  readonly #statuses = new Map<string, { key: RollupKey; units: number }>()
  readonly #values = new Map<string, { key: RollupKey; rollup: ValueRollup; removed: unknown[] }>()

  add(monitorVersion: number, { status, output = {}, unitAtMs }: UnitOutcome): void {
    const minute = minuteOf(unitAtMs)
    this.count(monitorVersion, minute, status, 1)
    if (status !== 'scored') return
    for (const [property, value] of Object.entries(output)) {
      addToRollup(this.#rowOf([monitorVersion, minute, property]).rollup, value)
    }
  }

  remove(monitorVersion: number, { status, output, unit_at_ms: unitAtMs }: RetiredRow): void {
    const minute = minuteOf(unitAtMs)
    this.count(monitorVersion, minute, status, -1)
    if (status !== 'scored' || output === null) return
    for (const [property, value] of Object.entries(JSON.parse(output))) {
      this.#rowOf([monitorVersion, minute, property]).removed.push(value)
    }
  }

  count(monitorVersion: number, minute: number, status: string, units: number): void {
    const key: RollupKey = [monitorVersion, minute, status]
    const row = this.#statuses.get(key.join()) ?? { key, units: 0 }
    this.#statuses.set(key.join(), row)
    row.units += units
  }

  write(db: SqliteDatabase): void {
    for (const { key, units } of this.#statuses.values()) {
      if (units > 0) countStatus(db, ...key, units)
      else if (units < 0) discountStatus(db, ...key, -units)
    }
    for (const { key, rollup, removed } of this.#values.values()) {
      const stored = db.get<RollupRow>(
        `SELECT count, sum, min, max, sketch, labels FROM value_rollups
         WHERE monitor_version = ? AND minute = ? AND property = ?`,
        ...key,
      )
      const merged = stored ? toRollup(stored) : emptyRollup()
      mergeRollups(merged, rollup)
      for (const value of removed) removeFromRollup(merged, value)
      writeRollup(db, key, merged)
    }
  }

  #rowOf(key: RollupKey): { rollup: ValueRollup; removed: unknown[] } {
    const row = this.#values.get(key.join()) ?? { key, rollup: emptyRollup(), removed: [] }
    this.#values.set(key.join(), row)
    return row
  }
}

/** The columns of a stored rollup. */
export interface RollupRow {
  count: number
  sum: number
  min: number | null
  max: number | null
  sketch: Uint8Array | null
  labels: string | null
}

export function toRollup(row: RollupRow): ValueRollup {
  return {
    count: row.count,
    sum: row.sum,
    ...(row.min === null ? {} : { min: row.min }),
    ...(row.max === null ? {} : { max: row.max }),
    ...(row.sketch === null ? {} : { sketch: ValueSketch.decode(row.sketch) }),
    ...(row.labels === null ? {} : { labels: JSON.parse(row.labels) }),
  }
}

function writeRollup(db: SqliteDatabase, key: RollupKey, rollup: ValueRollup): void {
  if (rollup.count === 0 && !rollup.labels) {
    db.run('DELETE FROM value_rollups WHERE monitor_version = ? AND minute = ? AND property = ?', ...key)
    return
  }
  db.run(
    `INSERT INTO value_rollups (monitor_version, minute, property, count, sum, min, max, sketch, labels)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET count = excluded.count, sum = excluded.sum, min = excluded.min, max = excluded.max,
       sketch = excluded.sketch, labels = excluded.labels`,
    ...key,
    rollup.count,
    rollup.sum,
    rollup.min ?? null,
    rollup.max ?? null,
    rollup.sketch?.encode() ?? null,
    rollup.labels ? JSON.stringify(rollup.labels) : null,
  )
}
