import type { MonitorVersion } from '../../domain/monitor.ts'
import type { StoredBatch } from '../../ports/span-storage.ts'
import type { ClaimedWork, ClaimTurns, MonitorOwner, WorkKind } from '../../ports/work-storage.ts'
import { NO_TURNS } from '../shared/claim-turns.ts'
import {
  type OwnerRow,
  SELECT_OWNER,
  SELECT_VERSION,
  toMonitorOwner,
  toMonitorVersion,
  type VersionRow,
} from '../shared/monitor-rows.ts'
import { type BatchRow, SELECT_BATCH, toBatch } from '../shared/span-rows.ts'
import type { Sql } from '../shared/sql.ts'
import { WORK_STATE } from '../shared/work-state.ts'
import { NEXT_LEASE, NOW_MS } from './leases.ts'

/** Work that came with spans, or work that a job has made of what was stored. */
type Lane = '= 0' | '> 0'

/**
 * Work that may be taken now: no worker holds it, or not any longer, its monitor is running, and its spans were not deleted.
 * Conditions on other tables are scalar subqueries, which the planner leaves where they are: as joins it would begin with them,
 * and walk through every batch that is stored to get to the few that are open.
 */
const claimable = (lane: Lane, work: string) =>
  `work ${work}
  WHERE ${work}.state < 2 AND ${work}.is_judged = $1 AND ${work}.job_number ${lane}
    AND ((${work}.state = 0 AND ${work}.ready_at_ms <= ${NOW_MS}) OR (${work}.state = 1 AND ${work}.lease_until_ms <= ${NOW_MS}))
    AND (SELECT b.id FROM monitors m JOIN span_batches b ON b.project_number = m.project_number
         WHERE m.version_number = ${work}.monitor_version AND m.is_active = 1 AND b.id = ${work}.batch_id LIMIT 1) IS NOT NULL`

/**
 * The projects that have open work, each found by one step through the index, in the order of their turns: those that are
 * not named in $5 first, none that is named in $6. An equal share of the places is what each may take.
 */
const projectsInTurn = (lane: Lane) => {
  const next = (behind: string) =>
    `SELECT w.project_number FROM work w WHERE w.state < 2 AND w.job_number ${lane} AND w.is_judged = $1 ${behind}
     ORDER BY w.is_judged, w.project_number LIMIT 1`
  return `
  RECURSIVE waiting (project) AS (
    (${next('')}) UNION ALL
    SELECT n.project_number FROM waiting CROSS JOIN LATERAL (${next('AND w.project_number > waiting.project')}) n),
  turns AS MATERIALIZED (
    SELECT project, ceil($2::float8 / count(*) OVER ())::bigint AS share, array_position($5::bigint[], project) AS place
    FROM waiting WHERE project <> ALL ($6::bigint[]) ORDER BY place NULLS FIRST, project)`
}

/**
 * Whole batches, so that each is read and decoded once for all the monitors that want it. Of every batch the first piece of work
 * stands for the batch: the worker that holds that one takes the rest, and others go on to the next batch.
 */
const claimStatement = (lane: Lane) => `
  WITH ${projectsInTurn(lane)},
  chosen AS MATERIALIZED (
    SELECT c.batch_id, c.job_number FROM turns CROSS JOIN LATERAL (
      SELECT w.batch_id, w.job_number FROM ${claimable(lane, 'w')} AND w.project_number = turns.project
        AND (SELECT w1.batch_id FROM ${claimable(lane, 'w1')} AND w1.batch_id = w.batch_id
               AND w1.job_number = w.job_number AND w1.monitor_version < w.monitor_version LIMIT 1) IS NULL
      ORDER BY w.job_number, w.batch_id LIMIT turns.share FOR UPDATE OF w SKIP LOCKED) c
    LIMIT $2),
  free AS MATERIALIZED (
    SELECT w.batch_id, w.monitor_version, w.job_number FROM ${claimable(lane, 'w')}
      AND w.batch_id = ANY (ARRAY (SELECT batch_id FROM chosen))
    ORDER BY w.batch_id, w.monitor_version, w.job_number FOR UPDATE OF w SKIP LOCKED)
  UPDATE work w SET state = ${WORK_STATE.leased}, attempts = w.attempts + 1, lease = ${NEXT_LEASE},
    lease_until_ms = ${NOW_MS} + $3, holder = $4
  FROM free f
  WHERE w.batch_id = f.batch_id AND w.monitor_version = f.monitor_version AND w.job_number = f.job_number
  RETURNING w.project_number, w.batch_id, w.monitor_version, w.job_number, w.units, w.attempts, w.lease`

const CLAIM = { live: claimStatement('= 0'), jobs: claimStatement('> 0') }

interface ClaimedRow {
  project_number: number
  batch_id: number
  monitor_version: number
  job_number: number
  units: Uint8Array
  attempts: number
  lease: number
}

export async function claimWork(
  tx: Sql,
  holder: number,
  kind: WorkKind,
  limit: number,
  leaseMs: number,
  turns: ClaimTurns = NO_TURNS,
): Promise<ClaimedWork[]> {
  const isJudged = Number(kind === 'judged')
  const claim = async (statement: string, batches: number) =>
    (await tx.all<ClaimedRow>(statement, isJudged, batches, leaseMs, holder, turns.ahead, turns.resting))
      .sort(byKey)
      .map(toClaimedWork)
  const live = await claim(CLAIM.live, limit)
  // One place stays free, so that spans that come in now need not wait until something of a job has ended.
  const room = limit - new Set(live.map(({ batchId }) => batchId)).size - 1
  return room > 0 ? [...live, ...(await claim(CLAIM.jobs, room))] : live
}

function byKey(left: ClaimedRow, right: ClaimedRow): number {
  return (
    left.batch_id - right.batch_id ||
    left.monitor_version - right.monitor_version ||
    left.job_number - right.job_number
  )
}

function toClaimedWork(row: ClaimedRow): ClaimedWork {
  return {
    project: row.project_number,
    monitorVersion: row.monitor_version,
    batchId: row.batch_id,
    units: row.units,
    attempt: row.attempts,
    lease: row.lease,
  }
}

export async function retryWork(tx: Sql, work: readonly ClaimedWork[], delayMs: number): Promise<void> {
  await tx.run(
    `WITH held AS MATERIALIZED (
       SELECT w.batch_id, w.monitor_version, w.job_number
       FROM work w JOIN unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS g (batch_id, monitor_version, lease)
         ON w.batch_id = g.batch_id AND w.monitor_version = g.monitor_version AND w.lease = g.lease
       WHERE w.state = ${WORK_STATE.leased}
       ORDER BY w.batch_id, w.monitor_version, w.job_number FOR UPDATE OF w)
     UPDATE work w SET state = ${WORK_STATE.ready}, lease = NULL, holder = NULL, ready_at_ms = ${NOW_MS} + $4
     FROM held h
     WHERE w.batch_id = h.batch_id AND w.monitor_version = h.monitor_version AND w.job_number = h.job_number`,
    work.map(({ batchId }) => batchId),
    work.map(({ monitorVersion }) => monitorVersion),
    work.map(({ lease }) => lease),
    delayMs,
  )
}

export async function readMonitorVersions(db: Sql, numbers: readonly number[]): Promise<MonitorVersion[]> {
  return (await db.all<VersionRow>(`${SELECT_VERSION} WHERE v.number = ANY($1)`, numbers)).map(
    toMonitorVersion,
  )
}

export async function readMonitorOwners(
  db: Sql,
  monitorVersions: readonly number[],
): Promise<MonitorOwner[]> {
  return (await db.all<OwnerRow>(`${SELECT_OWNER} WHERE v.number = ANY($1)`, monitorVersions)).map(
    toMonitorOwner,
  )
}

export async function readWorkBatches(db: Sql, batchIds: readonly number[]): Promise<StoredBatch[]> {
  return (await db.all<BatchRow>(`${SELECT_BATCH} WHERE b.id = ANY($1)`, batchIds)).map(toBatch)
}
