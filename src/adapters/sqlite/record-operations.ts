import type { UnitOutcome } from '../../domain/evaluation.ts'
import {
  addToRollup,
  emptyRollup,
  mergeRollups,
  removeFromRollup,
  type ValueRollup,
} from '../../domain/rollup.ts'
import { commonUnits, countUnits, emptyUnits } from '../../domain/unit-set.ts'
import { ValueSketch } from '../../domain/value-sketch.ts'
import type { WorkRecord } from '../../ports/work-storage.ts'
import { isDeleted } from './deleted-traces.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { countStatus, discountStatus, minuteOf } from './status-counts.ts'
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
  let total = 0
  for (const record of records) {
    const work = endWork(db, record, nowMs)
    if (!work) continue
    const { monitorVersion, batchId } = record.work
    const owner = { projectNumber: work.project_number, monitorVersion, batchId }
    let recorded = 0
    for (const outcome of record.outcomes) {
      // Deleted while it was evaluated.
      if (isDeleted(db, owner.projectNumber, Buffer.from(outcome.traceId, 'hex'))) continue
      const generation = work.is_rerun === 1 ? retireUnit(db, rollups, monitorVersion, outcome) + 1 : 1
      if (!insertEvaluation(db, owner, outcome, generation, nowMs)) continue
      rollups.add(monitorVersion, outcome)
      recorded++
    }
    if (record.sampledOut > 0) {
      const minute = minuteOf(receivedAt(db, batchId) ?? nowMs)
      rollups.count(monitorVersion, minute, 'sampled_out', record.sampledOut)
    }
    if (work.job_number > 0) countForJob(db, work.job_number, recorded, record.sampledOut)
    total += recorded
  }
  rollups.write(db)
  return total
}

function countForJob(db: SqliteDatabase, jobNumber: number, evaluated: number, sampledOut: number): void {
  db.run(
    'UPDATE jobs SET evaluated = evaluated + ?, sampled_out = sampled_out + ? WHERE number = ?',
    evaluated,
    sampledOut,
    jobNumber,
  )
}

/** Makes the unit's current evaluation history; tells its generation, 0 where there is none. */
function retireUnit(
  db: SqliteDatabase,
  rollups: Rollups,
  monitorVersion: number,
  { traceId, spanId }: UnitOutcome,
): number {
  const current = db.get<{ number: number; generation: number }>(
    `SELECT number, generation FROM evaluations
     WHERE monitor_version = ? AND trace_id = ? AND span_id = ? ORDER BY generation DESC LIMIT 1`,
    monitorVersion,
    Buffer.from(traceId, 'hex'),
    Buffer.from(spanId, 'hex'),
  )
  if (!current) return 0
  retire(db, rollups, monitorVersion, current.number)
  return current.generation
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

/** A recorded evaluation, as far as taking it away has to know it. */
export interface RecordedRow extends RetiredRow {
  readonly number: number
  readonly monitor_version: number
  readonly is_current: number
}

/** Takes evaluations away as if they had never been made; what counts them is put right. */
export function forgetEvaluations(db: SqliteDatabase, rows: readonly RecordedRow[]): void {
  const rollups = new Rollups()
  for (const row of rows) {
    if (row.is_current === 1) rollups.remove(row.monitor_version, row)
    db.run('DELETE FROM evaluations WHERE number = ?', row.number)
  }
  rollups.write(db)
}

interface EndedWork {
  job_number: number
  is_rerun: number
  units: Uint8Array
  project_number: number
}

/** Whose the work is, or undefined when the lease is no longer ours: then nothing of it may be written. */
function endWork(db: SqliteDatabase, { work, left }: WorkRecord, nowMs: number): EndedWork | undefined {
  const { batchId, monitorVersion, lease } = work
  const mine = 'batch_id = ? AND monitor_version = ? AND state = ? AND lease = ?'
  const place = [batchId, monitorVersion, WORK_STATE.leased, lease]
  const held = db.get<EndedWork & Record<string, unknown>>(
    `SELECT w.job_number, w.is_rerun, w.units, m.project_number FROM (SELECT * FROM work WHERE ${mine}) w
     JOIN monitor_versions v ON v.number = w.monitor_version JOIN monitors m ON m.number = v.monitor_number`,
    ...place,
  )
  if (!held) return undefined
  // What was deleted since the work was taken is no longer in it, whatever the worker has still to do.
  const units = left ? commonUnits(left.units, held.units) : emptyUnits(0)
  if (left === undefined || ('readyInMs' in left && countUnits(units) === 0)) {
    db.run(`UPDATE work SET state = ?, lease = NULL WHERE ${mine}`, WORK_STATE.done, ...place)
  } else if ('holdMs' in left) {
    db.run(
      `UPDATE work SET units = ?1, unit_count = count_units(?1), lease_until_ms = ?2 WHERE ${mine}`,
      units,
      nowMs + left.holdMs,
      ...place,
    )
  } else {
    db.run(
      `UPDATE work SET units = ?1, unit_count = count_units(?1), state = ?2, lease = NULL, ready_at_ms = ?3 WHERE ${mine}`,
      units,
      WORK_STATE.ready,
      nowMs + left.readyInMs,
      ...place,
    )
  }
  return held
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
