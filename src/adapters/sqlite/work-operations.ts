import type { MonitorVersion } from '../../domain/monitor.ts'
import type { StoredBatch } from '../../ports/span-storage.ts'
import type { ClaimedWork, MonitorOwner, WorkKind } from '../../ports/work-storage.ts'
import {
  type OwnerRow,
  SELECT_OWNER,
  SELECT_VERSION,
  toMonitorOwner,
  toMonitorVersion,
  type VersionRow,
} from '../sql/monitor-rows.ts'
import { nextLease } from './leases.ts'
import { type BatchRow, SELECT_BATCH, toBatch } from './span-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { WORK_STATE } from './work-state.ts'

/** Work that came with spans, or work that a job has made of what was stored. */
type Lane = 'w.job_number = 0' | 'w.job_number > 0'

/** Work that may be taken now: nobody holds it, or not any longer, its monitor is running, and its spans were not deleted. */
const claimable = (lane: Lane) =>
  `work w JOIN monitors m ON m.version_number = w.monitor_version AND m.is_active = 1
  JOIN span_batches b ON b.id = w.batch_id AND b.project_number = m.project_number
  WHERE w.state < 2 AND w.is_judged = ?3 AND ${lane} AND ((w.state = 0 AND w.ready_at_ms <= ?1) OR (w.state = 1 AND w.lease_until_ms <= ?1))`

export function claimWork(db: SqliteDatabase, kind: WorkKind, limit: number, leaseMs: number): ClaimedWork[] {
  const live = claimLane(db, 'w.job_number = 0', kind, limit, leaseMs)
  const batches = new Set(live.map(({ batchId }) => batchId))
  // One place stays free, so that spans that come in now need not wait until something of a job has ended.
  const room = limit - batches.size - 1
  return room > 0 ? [...live, ...claimLane(db, 'w.job_number > 0', kind, room, leaseMs)] : live
}

function claimLane(
  db: SqliteDatabase,
  lane: Lane,
  kind: WorkKind,
  limit: number,
  leaseMs: number,
): ClaimedWork[] {
  const nowMs = Date.now()
  // Whole batches, so that each is read and decoded once for all the monitors that want it.
  const batches = db.all<{ batch_id: number }>(
    `SELECT DISTINCT w.job_number, w.batch_id FROM ${claimable(lane)} ORDER BY w.job_number, w.batch_id LIMIT ?2`,
    nowMs,
    limit,
    Number(kind === 'judged'),
  )
  const rows = db.all<{
    batch_id: number
    monitor_version: number
    job_number: number
    units: Uint8Array
    attempts: number
  }>(
    `SELECT w.batch_id, w.monitor_version, w.job_number, w.units, w.attempts FROM ${claimable(lane)}
       AND w.batch_id IN (SELECT value FROM json_each(?2)) ORDER BY w.batch_id, w.monitor_version, w.job_number`,
    nowMs,
    JSON.stringify(batches.map((row) => row.batch_id)),
    Number(kind === 'judged'),
  )
  return rows.map((row) => {
    const lease = nextLease(db)
    db.run(
      `UPDATE work SET state = ?, attempts = attempts + 1, lease = ?, lease_until_ms = ?
       WHERE batch_id = ? AND monitor_version = ? AND job_number = ?`,
      WORK_STATE.leased,
      lease,
      nowMs + leaseMs,
      row.batch_id,
      row.monitor_version,
      row.job_number,
    )
    return {
      monitorVersion: row.monitor_version,
      batchId: row.batch_id,
      units: row.units,
      attempt: row.attempts + 1,
      lease,
    }
  })
}

export function retryWork(db: SqliteDatabase, work: readonly ClaimedWork[], delayMs: number): void {
  for (const { batchId, monitorVersion, lease } of work) {
    db.run(
      `UPDATE work SET state = ?, lease = NULL, ready_at_ms = ?
       WHERE batch_id = ? AND monitor_version = ? AND state = ? AND lease = ?`,
      WORK_STATE.ready,
      Date.now() + delayMs,
      batchId,
      monitorVersion,
      WORK_STATE.leased,
      lease,
    )
  }
}

export function readMonitorVersions(db: SqliteDatabase, numbers: readonly number[]): MonitorVersion[] {
  return db
    .all<VersionRow>(
      `${SELECT_VERSION} WHERE v.number IN (SELECT value FROM json_each(?))`,
      JSON.stringify(numbers),
    )
    .map(toMonitorVersion)
}

export function readMonitorOwners(db: SqliteDatabase, monitorVersions: readonly number[]): MonitorOwner[] {
  return db
    .all<OwnerRow>(
      `${SELECT_OWNER} WHERE v.number IN (SELECT value FROM json_each(?))`,
      JSON.stringify(monitorVersions),
    )
    .map(toMonitorOwner)
}

export function readWorkBatches(db: SqliteDatabase, batchIds: readonly number[]): StoredBatch[] {
  return db
    .all<BatchRow>(`${SELECT_BATCH} WHERE b.id IN (SELECT value FROM json_each(?))`, JSON.stringify(batchIds))
    .map(toBatch)
}
