import type { MonitorVersion } from '../../domain/monitor.ts'
import type { StoredBatch } from '../../ports/span-storage.ts'
import type { ClaimedWork, ClaimTurns, MonitorOwner, WorkKind } from '../../ports/work-storage.ts'
import { inTurn, NO_TURNS, takeInTurn } from '../shared/claim-turns.ts'
import {
  type OwnerRow,
  SELECT_OWNER,
  SELECT_VERSION,
  toMonitorOwner,
  toMonitorVersion,
  type VersionRow,
} from '../shared/monitor-rows.ts'
import { nextLease } from './leases.ts'
import { type BatchRow, SELECT_BATCH, toBatch } from './span-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { WORK_STATE } from './work-state.ts'

/** Work that came with spans, or work that a job has made of what was stored, and the index that has it by project. */
const LANES = {
  live: { condition: 'w.job_number = 0', index: 'work_live' },
  jobs: { condition: 'w.job_number > 0', index: 'work_of_jobs' },
} as const
type Lane = (typeof LANES)[keyof typeof LANES]

/** Work that may be taken now: no worker holds it, or not any longer, its monitor is running, and its spans were not deleted. */
const claimable = ({ condition }: Lane, indexed = '') =>
  `work w ${indexed} CROSS JOIN monitors m ON m.version_number = w.monitor_version AND m.is_active = 1
  CROSS JOIN span_batches b ON b.id = w.batch_id AND b.project_number = m.project_number
  WHERE w.state < 2 AND w.is_judged = ?3 AND ${condition} AND ((w.state = 0 AND w.ready_at_ms <= ?1) OR (w.state = 1 AND w.lease_until_ms <= ?1))`

export function claimWork(
  db: SqliteDatabase,
  kind: WorkKind,
  limit: number,
  leaseMs: number,
  turns: ClaimTurns = NO_TURNS,
): ClaimedWork[] {
  const live = claimLane(db, LANES.live, kind, limit, leaseMs, turns)
  const batches = new Set(live.map(({ batchId }) => batchId))
  // One place stays free, so that spans that come in now need not wait until something of a job has ended.
  const room = limit - batches.size - 1
  return room > 0 ? [...live, ...claimLane(db, LANES.jobs, kind, room, leaseMs, turns)] : live
}

/** The projects that have open work in the lane, each found by one step through the index. */
function waitingProjects(db: SqliteDatabase, { condition, index }: Lane, isJudged: number): number[] {
  const next = (behind: string) =>
    `SELECT min(w.project_number) FROM work w INDEXED BY ${index}
     WHERE w.state < 2 AND ${condition} AND w.is_judged = ?1 ${behind}`
  return db
    .all<{ project: number }>(
      `WITH RECURSIVE waiting (project) AS (
         ${next('')} UNION ALL SELECT (${next('AND w.project_number > waiting.project')}) FROM waiting WHERE project IS NOT NULL)
       SELECT project FROM waiting WHERE project IS NOT NULL`,
      isJudged,
    )
    .map(({ project }) => project)
}

function claimLane(
  db: SqliteDatabase,
  lane: Lane,
  kind: WorkKind,
  limit: number,
  leaseMs: number,
  turns: ClaimTurns,
): ClaimedWork[] {
  const nowMs = Date.now()
  const isJudged = Number(kind === 'judged')
  // Whole batches, so that each is read and decoded once for all the monitors that want it.
  const batches = takeInTurn(inTurn(waitingProjects(db, lane, isJudged), turns), limit, (project, share) =>
    db.all<{ batch_id: number }>(
      `SELECT DISTINCT w.job_number, w.batch_id FROM ${claimable(lane, `INDEXED BY ${lane.index}`)} AND w.project_number = ?4
       ORDER BY w.job_number, w.batch_id LIMIT ?2`,
      nowMs,
      share,
      isJudged,
      project,
    ),
  )
  const rows = db.all<{
    batch_id: number
    monitor_version: number
    job_number: number
    project_number: number
    units: Uint8Array
    attempts: number
  }>(
    `SELECT w.batch_id, w.monitor_version, w.job_number, w.project_number, w.units, w.attempts FROM ${claimable(lane)}
       AND w.batch_id IN (SELECT value FROM json_each(?2)) ORDER BY w.batch_id, w.monitor_version, w.job_number`,
    nowMs,
    JSON.stringify(batches.map((row) => row.batch_id)),
    isJudged,
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
      project: row.project_number,
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
