import type { UnitOutcome } from '../../domain/evaluation.ts'
import type { Recorded, WorkRecord } from '../../ports/work-storage.ts'
import { applicationStatements, sortedChanges } from '../shared/application-rollups.ts'
import { leftOutCounts } from '../shared/left-out.ts'
import { EVALUATION_COLUMNS, type NewEvaluation } from '../shared/new-evaluation.ts'
import { type NextGeneration, NO_BATCH } from '../shared/next-generation.ts'
import { type NamedUnit, numberApplications } from '../shared/number-applications.ts'
import {
  type CountedRow,
  changeRollup,
  type RecordedRow,
  RollupChanges,
  type RollupRow,
  type ValueChange,
} from '../shared/rollup-changes.ts'
import { judgeOutcome } from '../shared/stored-verdict.ts'
import { workAfter } from '../shared/work-after.ts'
import { isDeleted } from './deleted-traces.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { SQL_DIALECT, SqliteSql } from './sqlite-sql.ts'
import { countStatus, discountStatus, minuteOf } from './status-counts.ts'
import { WORK_STATE } from './work-state.ts'

export type { RecordedRow } from '../shared/rollup-changes.ts'

const COLUMNS = EVALUATION_COLUMNS.map(({ name }) => name)
const INSERT = `INSERT INTO evaluations (${COLUMNS.join(', ')}, created_at_ms)
  VALUES (${COLUMNS.map(() => '?').join(', ')}, ?) ON CONFLICT DO NOTHING`

/** Stores one outcome as a generation of its unit and puts it in the place of the superseded one in all counts; its number. */
export async function recordGeneration(db: SqliteDatabase, next: NextGeneration): Promise<number> {
  const { outcome, superseded, monitorVersion, batchId = NO_BATCH } = next
  const nowMs = Date.now()
  const application = (await numberApplications(new SqliteSql(db), [next], nowMs))(next)
  const rollups = new RollupChanges()
  if (superseded !== null) retire(db, rollups, monitorVersion, superseded)
  const verdict = judgeOutcome(ruleOf(db, monitorVersion), outcome)
  if (!insertEvaluation(db, { ...next, batchId, verdict, application }, nowMs))
    throw new Error(`generation ${next.generation} of a unit is stored already`)
  const number = db.lastInsertedId()
  rollups.add(monitorVersion, outcome, verdict, application)
  writeRollups(db, rollups)
  return number
}

function ruleOf(db: SqliteDatabase, monitorVersion: number): string | null {
  const row = db.get<{ verdict_rule: string | null }>(
    `SELECT m.verdict_rule FROM monitor_versions v JOIN monitors m ON m.number = v.monitor_number WHERE v.number = ?`,
    monitorVersion,
  )
  return row?.verdict_rule ?? null
}

export async function recordWork(db: SqliteDatabase, records: readonly WorkRecord[]): Promise<Recorded> {
  const nowMs = Date.now()
  const rollups = new RollupChanges()
  const ended = records.map((record) => ({ record, work: endWork(db, record, nowMs) }))
  const applicationOf = await numberApplications(new SqliteSql(db), unitsOf(ended), nowMs)
  let evaluations = 0
  for (const { record, work } of ended) {
    if (!work) continue
    const { monitorVersion, batchId } = record.work
    const owner = { projectNumber: work.project_number, monitorVersion, batchId }
    let recorded = 0
    for (const outcome of record.outcomes) {
      // Deleted while it was evaluated.
      if (isDeleted(db, owner.projectNumber, Buffer.from(outcome.traceId, 'hex'))) continue
      const generation = work.is_rerun === 1 ? retireUnit(db, rollups, monitorVersion, outcome) + 1 : 1
      const verdict = judgeOutcome(work.verdict_rule, outcome)
      const application = applicationOf({ ...owner, outcome })
      if (!insertEvaluation(db, { ...owner, generation, outcome, verdict, application }, nowMs)) continue
      rollups.add(monitorVersion, outcome, verdict, application)
      recorded++
    }
    const leftOut = leftOutCounts(record, work.job_number)
    if (leftOut.length > 0) {
      const minute = minuteOf(receivedAt(db, batchId) ?? nowMs)
      for (const { status, units } of leftOut) rollups.count(monitorVersion, minute, status, units)
    }
    if (work.job_number > 0) countForJob(db, work.job_number, recorded, record)
    evaluations += recorded
  }
  writeRollups(db, rollups)
  return { evaluations, refused: ended.flatMap(({ work }, position) => (work ? [] : [position])) }
}

function unitsOf(
  ended: readonly { readonly record: WorkRecord; readonly work: EndedWork | undefined }[],
): NamedUnit[] {
  return ended.flatMap(({ record, work }) =>
    work ? record.outcomes.map((outcome) => ({ projectNumber: work.project_number, outcome })) : [],
  )
}

function countForJob(
  db: SqliteDatabase,
  jobNumber: number,
  evaluated: number,
  { sampledOut, skipped = 0 }: WorkRecord,
): void {
  db.run(
    'UPDATE jobs SET evaluated = evaluated + ?, sampled_out = sampled_out + ?, skipped = skipped + ? WHERE number = ?',
    evaluated,
    sampledOut,
    skipped,
    jobNumber,
  )
}

/** Makes the unit's current evaluation history; tells its generation, 0 where there is none. */
function retireUnit(
  db: SqliteDatabase,
  rollups: RollupChanges,
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
function retire(db: SqliteDatabase, rollups: RollupChanges, monitorVersion: number, number: number): void {
  const row = db.get<CountedRow & Record<string, unknown>>(
    `SELECT status, output, unit_at_ms, verdict, application FROM evaluations
     WHERE number = ? AND monitor_version = ? AND is_current = 1`,
    number,
    monitorVersion,
  )
  if (!row) return
  db.run('UPDATE evaluations SET is_current = 0 WHERE number = ?', number)
  rollups.remove(monitorVersion, row)
}

/** Takes evaluations away as if they had never been made; what counts them is put right. */
export function forgetEvaluations(db: SqliteDatabase, rows: readonly RecordedRow[]): void {
  const rollups = new RollupChanges()
  for (const row of rows) {
    if (row.is_current === 1) rollups.remove(row.monitor_version, row)
    db.run(
      `DELETE FROM review_items WHERE evaluation_number = ?1
         AND project_number = (SELECT project_number FROM evaluations WHERE number = ?1)`,
      row.number,
    )
    db.run('DELETE FROM evaluations WHERE number = ?', row.number)
  }
  writeRollups(db, rollups)
}

interface EndedWork {
  job_number: number
  is_rerun: number
  units: Uint8Array
  project_number: number
  verdict_rule: string | null
}

/** The owner of the work, or undefined when the lease is no longer ours: then nothing of it may be written. */
function endWork(db: SqliteDatabase, { work, left }: WorkRecord, nowMs: number): EndedWork | undefined {
  const { batchId, monitorVersion, lease } = work
  const mine = 'batch_id = ? AND monitor_version = ? AND state = ? AND lease = ?'
  const place = [batchId, monitorVersion, WORK_STATE.leased, lease]
  const held = db.get<EndedWork & Record<string, unknown>>(
    `SELECT w.job_number, w.is_rerun, w.units, m.project_number, m.verdict_rule FROM (SELECT * FROM work WHERE ${mine}) w
     JOIN monitor_versions v ON v.number = w.monitor_version JOIN monitors m ON m.number = v.monitor_number`,
    ...place,
  )
  if (!held) return undefined
  const after = workAfter(left, held.units)
  if (after.becomes === 'done') {
    db.run(`UPDATE work SET state = ?, lease = NULL WHERE ${mine}`, WORK_STATE.done, ...place)
  } else if (after.becomes === 'leased') {
    db.run(
      `UPDATE work SET units = ?1, unit_count = count_units(?1), lease_until_ms = ?2 WHERE ${mine}`,
      after.units,
      nowMs + after.inMs,
      ...place,
    )
  } else {
    db.run(
      `UPDATE work SET units = ?1, unit_count = count_units(?1), state = ?2, lease = NULL, ready_at_ms = ?3 WHERE ${mine}`,
      after.units,
      WORK_STATE.ready,
      nowMs + after.inMs,
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
function insertEvaluation(db: SqliteDatabase, evaluation: NewEvaluation, nowMs: number): boolean {
  const values = EVALUATION_COLUMNS.map(({ type, read }) => {
    const value = read(evaluation)
    return type === 'id' ? Buffer.from(String(value), 'hex') : value
  })
  return db.run(INSERT, ...values, nowMs) > 0
}

/** Writes what was gathered: counts first, then values. */
export function writeRollups(db: SqliteDatabase, changes: RollupChanges): void {
  for (const { monitorVersion, minute, status, units } of changes.statuses()) {
    if (units > 0) countStatus(db, monitorVersion, minute, status, units)
    else if (units < 0) discountStatus(db, monitorVersion, minute, status, -units)
  }
  for (const change of changes.values()) writeRollup(db, change)
  const applications = sortedChanges(changes)
  for (const sql of applicationStatements(SQL_DIALECT, applications))
    db.run(sql, JSON.stringify(applications))
}

function writeRollup(db: SqliteDatabase, change: ValueChange): void {
  const key = [change.monitorVersion, change.minute, change.property] as const
  const where = 'monitor_version = ? AND minute = ? AND property = ?'
  const stored = db.get<RollupRow & Record<string, unknown>>(
    `SELECT count, sum, min, max, sketch, labels FROM value_rollups WHERE ${where}`,
    ...key,
  )
  const row = changeRollup(stored, change)
  if (!row) {
    db.run(`DELETE FROM value_rollups WHERE ${where}`, ...key)
    return
  }
  db.run(
    `INSERT INTO value_rollups (monitor_version, minute, property, count, sum, min, max, sketch, labels)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET count = excluded.count, sum = excluded.sum, min = excluded.min, max = excluded.max,
       sketch = excluded.sketch, labels = excluded.labels`,
    ...key,
    row.count,
    row.sum,
    row.min,
    row.max,
    row.sketch,
    row.labels,
  )
}
