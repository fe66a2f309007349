import type { SqliteDatabase } from './sqlite-database.ts'
import { countStatus, minuteOf } from './status-counts.ts'
import { fillUnits } from './unit-operations.ts'
import { WORK_STATE } from './work-state.ts'

/** How long one step of making work for old matches may hold up the writer. */
const FILL_MS_MAX = 20
/** Batches whose matches are looked at between two looks at the clock. */
const FILL_BATCHES = 500

export function stopMonitor(db: SqliteDatabase, monitorNumber: number, atMs: number): void {
  db.run(
    'UPDATE monitors SET is_active = 0, updated_at_ms = ? WHERE number = ? AND is_active = 1',
    atMs,
    monitorNumber,
  )
}

/** Stops all monitors of a setup. Their work is cancelled unless the same version may go on with it later. */
export function stopMonitors(
  db: SqliteDatabase,
  setupId: string,
  options: { readonly keepsWork: boolean },
  atMs: number,
): void {
  const rows = db.all<{ number: number; version_number: number }>(
    'SELECT number, version_number FROM monitors WHERE setup_id = ?',
    setupId,
  )
  for (const { number } of rows) stopMonitor(db, number, atMs)
  if (rows.length === 0 || options.keepsWork) return
  db.run('UPDATE monitors SET fill_next = 0, fill_last = -1 WHERE setup_id = ?', setupId)
  cancelWork(
    db,
    rows.map((row) => row.version_number),
    atMs,
  )
}

/** Ends open work for good and counts its units as cancelled. A worker that holds it can no longer publish. */
export function cancelWork(db: SqliteDatabase, monitorVersions: readonly number[], atMs: number): void {
  const rows = db.all<{ monitor_version: number; units: number }>(
    // A unit that was to be evaluated again has its evaluation and is counted with that.
    `SELECT monitor_version, sum(unit_count * (1 - is_rerun)) AS units FROM work
     WHERE state < 2 AND monitor_version IN (SELECT value FROM json_each(?)) GROUP BY monitor_version`,
    JSON.stringify(monitorVersions),
  )
  for (const { monitor_version: version, units } of rows) {
    db.run(
      'UPDATE work SET state = ?, lease = NULL WHERE state < 2 AND monitor_version = ?',
      WORK_STATE.cancelled,
      version,
    )
    if (units > 0) countStatus(db, version, minuteOf(atMs), 'cancelled', units)
  }
  cancelUnits(db, monitorVersions, atMs)
}

/** Traces and sessions that were never evaluated are cancelled; those that were keep what came of them. */
function cancelUnits(db: SqliteDatabase, monitorVersions: readonly number[], atMs: number): void {
  const open = 'state < 2 AND monitor_version IN (SELECT value FROM json_each(?))'
  const rows = db.all<{ monitor_version: number; units: number }>(
    `SELECT monitor_version, count(*) AS units FROM units WHERE ${open} AND evaluation IS NULL GROUP BY monitor_version`,
    JSON.stringify(monitorVersions),
  )
  for (const row of rows) countStatus(db, row.monitor_version, minuteOf(atMs), 'cancelled', row.units)
  db.run(`DELETE FROM units WHERE ${open} AND evaluation IS NULL`, JSON.stringify(monitorVersions))
  db.run(`UPDATE units SET state = 2, lease = NULL WHERE ${open}`, JSON.stringify(monitorVersions))
}

export function fillWork(db: SqliteDatabase): boolean {
  const rows = db.all<{ number: number }>('SELECT number FROM monitors WHERE fill_next <= fill_last LIMIT 2')
  const [first, second] = rows
  return first !== undefined && (fillWorkOf(db, first.number) || second !== undefined)
}

/** One step of making work for what matched before the monitor existed; true when there is more. */
export function fillWorkOf(db: SqliteDatabase, monitorNumber: number): boolean {
  const monitor = db.get<{
    setup_version: number
    version_number: number
    is_judged: number
    project_number: number
    is_gathered: number
    fill_next: number
    fill_last: number
  }>(
    'SELECT setup_version, version_number, project_number, is_judged, is_gathered, fill_next, fill_last FROM monitors WHERE number = ?',
    monitorNumber,
  )
  if (!monitor) return false
  const untilMs = performance.now() + FILL_MS_MAX
  let next = monitor.fill_next
  // The first look at the clock comes after some work: a machine that is slow enough would never get anywhere.
  for (let isInTime = true; next <= monitor.fill_last && isInTime; isInTime = performance.now() < untilMs) {
    if (monitor.is_gathered === 1) {
      const { setup_version: setupVersion, version_number: versionNumber } = monitor
      const last = Math.min(next + FILL_BATCHES - 1, monitor.fill_last)
      fillUnits(db, { setupVersion, versionNumber }, next, last)
      next += FILL_BATCHES
      continue
    }
    db.run(
      `INSERT INTO work (batch_id, monitor_version, job_number, project_number, units, unit_count, is_judged)
       SELECT t.batch_id, ?, t.job_number, ?, t.units, count_units(t.units), ?
       FROM matches t LEFT JOIN jobs j ON j.number = t.job_number
       WHERE t.batch_id >= ? AND t.batch_id < ? AND t.batch_id <= ? AND t.setup_version = ?
         -- What a job had found and nobody has begun with ends with the job.
         AND (t.job_number = 0 OR j.state IN ('running', 'done')) ON CONFLICT DO NOTHING`,
      monitor.version_number,
      monitor.project_number,
      monitor.is_judged,
      next,
      next + FILL_BATCHES,
      monitor.fill_last,
      monitor.setup_version,
    )
    next += FILL_BATCHES
  }
  db.run('UPDATE monitors SET fill_next = ? WHERE number = ?', next, monitorNumber)
  return next <= monitor.fill_last
}
