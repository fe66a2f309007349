import { minuteOf } from '../shared/minute-of.ts'
import type { Sql } from '../shared/sql.ts'
import { UNIT_STATE } from '../shared/unit-rows.ts'
import { WORK_STATE } from '../shared/work-state.ts'
import { lockProjectNumber } from './lock-project.ts'
import { addStatusCounts } from './status-counts.ts'
import { fillUnits } from './unit-operations.ts'

/** How long one step of making work for old matches may hold the project. */
const FILL_MS_MAX = 20
/** Batches whose matches are looked at between two looks at the clock. */
const FILL_BATCHES = 500

/**
 * Stops all monitors of setups of a project, which the caller holds. Their work is cancelled unless the same version may go on
 * with it later.
 */
export async function stopMonitorsOf(
  tx: Sql,
  setupIds: readonly string[],
  { keepsWork }: { readonly keepsWork: boolean },
  atMs: number,
): Promise<void> {
  await tx.run(
    'UPDATE monitors SET is_active = 0, updated_at_ms = $1 WHERE setup_id = ANY($2) AND is_active = 1',
    atMs,
    setupIds,
  )
  if (keepsWork) return
  const rows = await tx.all<{ version_number: number }>(
    'UPDATE monitors SET fill_next = 0, fill_last = -1 WHERE setup_id = ANY($1) RETURNING version_number',
    setupIds,
  )
  const versions = rows.map((row) => row.version_number)
  await cancelWork(tx, versions, atMs)
}

/** Ends open work for good and counts its units as cancelled. A worker that holds it can no longer publish. */
export async function cancelWork(tx: Sql, monitorVersions: readonly number[], atMs: number): Promise<void> {
  if (monitorVersions.length === 0) return
  // A unit that was to be evaluated again has its evaluation and is counted with that.
  const rows = await tx.all<CancelledRow>(
    `WITH open AS MATERIALIZED (
       SELECT batch_id, monitor_version, job_number FROM work WHERE state < 2 AND monitor_version = ANY($1)
       ORDER BY batch_id, monitor_version, job_number FOR UPDATE),
     ended AS (
       UPDATE work w SET state = ${WORK_STATE.cancelled}, lease = NULL, holder = NULL FROM open o
       WHERE w.batch_id = o.batch_id AND w.monitor_version = o.monitor_version AND w.job_number = o.job_number
       RETURNING w.monitor_version, w.unit_count * (1 - w.is_rerun) AS units)
     SELECT monitor_version, sum(units) AS units FROM ended GROUP BY monitor_version`,
    monitorVersions,
  )
  const units = await cancelUnits(tx, monitorVersions)
  const minute = minuteOf(atMs)
  await addStatusCounts(
    tx,
    [...rows, ...units].map((row) => ({
      monitorVersion: row.monitor_version,
      minute,
      status: 'cancelled',
      units: row.units,
    })),
  )
}

interface CancelledRow {
  monitor_version: number
  units: number
}

/** Traces and sessions that were never evaluated are cancelled; those that were keep what came of them. */
function cancelUnits(tx: Sql, monitorVersions: readonly number[]): Promise<CancelledRow[]> {
  return tx.all<CancelledRow>(
    `WITH open AS MATERIALIZED (
       SELECT monitor_version, scope, unit_key, evaluation FROM units WHERE state < 2 AND monitor_version = ANY($1)
       ORDER BY monitor_version, scope, unit_key FOR UPDATE),
     kept AS (
       UPDATE units u SET state = ${UNIT_STATE.done}, lease = NULL, holder = NULL FROM open o
       WHERE u.monitor_version = o.monitor_version AND u.scope = o.scope AND u.unit_key = o.unit_key
         AND o.evaluation IS NOT NULL),
     gone AS (
       DELETE FROM units u USING open o
       WHERE u.monitor_version = o.monitor_version AND u.scope = o.scope AND u.unit_key = o.unit_key
         AND o.evaluation IS NULL
       RETURNING u.monitor_version)
     SELECT monitor_version, count(*) AS units FROM gone GROUP BY monitor_version`,
    monitorVersions,
  )
}

export async function fillWork(tx: Sql): Promise<boolean> {
  const [first, second] = await tx.all<{ number: number; project_number: number }>(
    'SELECT number, project_number FROM monitors WHERE fill_next <= fill_last ORDER BY number LIMIT 2',
  )
  if (!first) return false
  // All data of the project was deleted just now; what there is to do is then found under its new number.
  if (!(await lockProjectNumber(tx, first.project_number))) return true
  return (await fillWorkOf(tx, first.number)) || second !== undefined
}

interface FillingMonitor {
  project_number: number
  setup_version: number
  version_number: number
  is_judged: number
  is_gathered: number
  fill_next: number
  fill_last: number
}

/** One step of making work for what matched before the monitor existed; true when there is more. The project is held. */
export async function fillWorkOf(tx: Sql, monitorNumber: number): Promise<boolean> {
  const monitor = await tx.get<FillingMonitor>(
    `SELECT project_number, setup_version, version_number, is_judged, is_gathered, fill_next, fill_last
     FROM monitors WHERE number = $1`,
    monitorNumber,
  )
  if (!monitor || monitor.fill_next > monitor.fill_last) return false
  const untilMs = performance.now() + FILL_MS_MAX
  let next = monitor.fill_next
  // The first look at the clock comes after some work: a machine that is slow enough would never get anywhere.
  for (let isInTime = true; next <= monitor.fill_last && isInTime; isInTime = performance.now() < untilMs) {
    next = await (monitor.is_gathered === 1 ? fillSliceOfUnits : fillSliceOfWork)(tx, monitor, next)
  }
  await tx.run('UPDATE monitors SET fill_next = $1 WHERE number = $2', next, monitorNumber)
  return next <= monitor.fill_last
}

/** Batches of one project: their numbers have gaps, because all projects count together. */
const SLICE = `SELECT id FROM span_batches WHERE project_number = $1 AND id >= $2 AND id <= $3
  ORDER BY id LIMIT ${FILL_BATCHES}`

interface SliceRow {
  batches: number
  last: number | null
}

/** The first batch behind a slice; slices have no gap between them, wherever they end. */
function afterSlice(slice: SliceRow | undefined, monitor: FillingMonitor): number {
  return slice?.batches === FILL_BATCHES ? (slice.last as number) + 1 : monitor.fill_last + 1
}

async function fillSliceOfWork(tx: Sql, monitor: FillingMonitor, from: number): Promise<number> {
  const slice = await tx.get<SliceRow>(
    `WITH slice AS MATERIALIZED (${SLICE}),
     made AS (
       INSERT INTO work (batch_id, monitor_version, job_number, project_number, units, unit_count, is_judged)
       SELECT t.batch_id, $4::bigint, t.job_number, $1::bigint, t.units, bit_count(t.units), $5::smallint
       FROM slice s JOIN matches t ON t.batch_id = s.id AND t.setup_version = $6
         LEFT JOIN jobs j ON j.number = t.job_number
       -- What a job had found and nobody has begun with ends with the job.
       WHERE t.job_number = 0 OR j.state IN ('running', 'done')
       ON CONFLICT (batch_id, monitor_version, job_number) DO NOTHING RETURNING job_number, unit_count),
     counted AS (
       UPDATE jobs j SET queued = j.queued + m.units
       FROM (SELECT job_number, sum(unit_count) AS units FROM made WHERE job_number > 0 GROUP BY job_number) m
       WHERE j.number = m.job_number)
     SELECT count(*) AS batches, max(id) AS last FROM slice`,
    monitor.project_number,
    from,
    monitor.fill_last,
    monitor.version_number,
    monitor.is_judged,
    monitor.setup_version,
  )
  return afterSlice(slice, monitor)
}

async function fillSliceOfUnits(tx: Sql, monitor: FillingMonitor, from: number): Promise<number> {
  const {
    project_number: projectNumber,
    setup_version: setupVersion,
    version_number: versionNumber,
  } = monitor
  const rows = await tx.all<{ id: number }>(SLICE, projectNumber, from, monitor.fill_last)
  const batchIds = rows.map(({ id }) => id)
  await fillUnits(tx, { projectNumber, setupVersion, versionNumber }, batchIds)
  return afterSlice({ batches: batchIds.length, last: batchIds.at(-1) ?? null }, monitor)
}
