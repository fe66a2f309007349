import { countUnits } from '../../domain/unit-set.ts'
import type { WorkRecord } from '../../ports/work-storage.ts'
import type { Sql } from '../shared/sql.ts'
import { workAfter } from '../shared/work-after.ts'
import { WORK_STATE } from '../shared/work-state.ts'

/** Work whose lease is still the one that it was claimed with, held until the transaction ends. */
export interface HeldWork {
  readonly record: WorkRecord
  readonly projectNumber: number
  readonly jobNumber: number
  readonly isRerun: boolean
  readonly units: Uint8Array
  /** The stored rule of the verdicts of its monitor. */
  readonly verdictRule: string | null
  /** When its batch arrived; absent where the batch is no longer kept. */
  readonly receivedAtMs: number | undefined
  /** How many outcomes were new. */
  recorded: number
}

interface WorkRow {
  readonly position: number
  readonly project_number: number
  readonly job_number: number
  readonly is_rerun: number
  readonly units: Uint8Array
  readonly received_at_ms: number | null
  readonly verdict_rule: string | null
}

/** Of the records those whose lease is still theirs; of the others nothing may be written. In the order in which they were given. */
export async function holdWork(tx: Sql, records: readonly WorkRecord[]): Promise<HeldWork[]> {
  const rows = await tx.all<WorkRow>(
    `SELECT c.position - 1 AS position, m.project_number, w.job_number, w.is_rerun, w.units, b.received_at_ms,
       m.verdict_rule
     FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) WITH ORDINALITY AS c (batch_id, monitor_version, lease, position)
     JOIN work w ON w.batch_id = c.batch_id AND w.monitor_version = c.monitor_version AND w.lease = c.lease
     JOIN monitor_versions v ON v.number = w.monitor_version JOIN monitors m ON m.number = v.monitor_number
     LEFT JOIN span_batches b ON b.id = w.batch_id
     WHERE w.state = ${WORK_STATE.leased}
     ORDER BY w.batch_id, w.monitor_version, w.job_number FOR UPDATE OF w`,
    records.map(({ work }) => work.batchId),
    records.map(({ work }) => work.monitorVersion),
    records.map(({ work }) => work.lease),
  )
  return rows
    .toSorted((left, right) => left.position - right.position)
    .map((row) => ({
      record: records[row.position] as WorkRecord,
      projectNumber: row.project_number,
      jobNumber: row.job_number,
      isRerun: row.is_rerun === 1,
      units: row.units,
      verdictRule: row.verdict_rule,
      receivedAtMs: row.received_at_ms ?? undefined,
      recorded: 0,
    }))
}

/** Ends the work, or leaves of it what has still to be done. */
export async function endWork(tx: Sql, held: readonly HeldWork[]): Promise<void> {
  const ends = held.map(({ record, jobNumber, units }) => {
    const after = workAfter(record.left, units)
    const { batchId, monitorVersion } = record.work
    const place = { batchId, monitorVersion, jobNumber, state: WORK_STATE[after.becomes] }
    return after.becomes === 'done'
      ? { ...place, units: null, unitCount: null, inMs: 0 }
      : { ...place, units: after.units, unitCount: countUnits(after.units), inMs: Math.ceil(after.inMs) }
  })
  await tx.run(
    `WITH clock AS (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms)
     UPDATE work w SET state = e.state, units = coalesce(e.units, w.units), unit_count = coalesce(e.unit_count, w.unit_count),
       lease = CASE e.state WHEN ${WORK_STATE.leased} THEN w.lease END,
       holder = CASE e.state WHEN ${WORK_STATE.leased} THEN w.holder END,
       lease_until_ms = CASE e.state WHEN ${WORK_STATE.leased} THEN clock.now_ms + e.in_ms ELSE w.lease_until_ms END,
       ready_at_ms = CASE e.state WHEN ${WORK_STATE.ready} THEN clock.now_ms + e.in_ms ELSE w.ready_at_ms END
     FROM clock, unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::smallint[], $5::bytea[], $6::bigint[], $7::bigint[])
       AS e (batch_id, monitor_version, job_number, state, units, unit_count, in_ms)
     WHERE w.batch_id = e.batch_id AND w.monitor_version = e.monitor_version AND w.job_number = e.job_number`,
    ends.map((end) => end.batchId),
    ends.map((end) => end.monitorVersion),
    ends.map((end) => end.jobNumber),
    ends.map((end) => end.state),
    ends.map((end) => end.units),
    ends.map((end) => end.unitCount),
    ends.map((end) => end.inMs),
  )
}
