import type { SqliteDatabase } from './sqlite-database.ts'
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
    `SELECT monitor_version, sum(unit_count) AS units FROM work
     WHERE state < 2 AND monitor_version IN (SELECT value FROM json_each(?)) GROUP BY monitor_version`,
    JSON.stringify(monitorVersions),
  )
  for (const { monitor_version: version, units } of rows) {
    db.run(
      'UPDATE work SET state = ?, lease = NULL WHERE state < 2 AND monitor_version = ?',
      WORK_STATE.cancelled,
      version,
    )
    countStatus(db, version, minuteOf(atMs), 'cancelled', units)
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
  db.run(`DELETE FROM units WHERE ${open}`, JSON.stringify(monitorVersions))
}

export function countStatus(
  db: SqliteDatabase,
  monitorVersion: number,
  minute: number,
  status: string,
  units: number,
): void {
  db.run(
    `INSERT INTO status_rollups (monitor_version, minute, status, units) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET units = units + excluded.units`,
    monitorVersion,
    minute,
    status,
    units,
  )
}

/** Takes units out of the counts again, because what came of them was superseded. A status that is left by all is not shown. */
export function discountStatus(
  db: SqliteDatabase,
  monitorVersion: number,
  minute: number,
  status: string,
  units: number,
): void {
  db.run(
    'UPDATE status_rollups SET units = max(0, units - ?) WHERE monitor_version = ? AND minute = ? AND status = ?',
    units,
    monitorVersion,
    minute,
    status,
  )
  db.run(
    'DELETE FROM status_rollups WHERE monitor_version = ? AND minute = ? AND status = ? AND units = 0',
    monitorVersion,
    minute,
    status,
  )
  db.run(
    'DELETE FROM status_totals WHERE monitor_version = ? AND status = ? AND units = 0',
    monitorVersion,
    status,
  )
}

export function minuteOf(atMs: number): number {
  return Math.floor(atMs / 60_000)
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
    is_gathered: number
    fill_next: number
    fill_last: number
  }>(
    'SELECT setup_version, version_number, is_judged, is_gathered, fill_next, fill_last FROM monitors WHERE number = ?',
    monitorNumber,
  )
  if (!monitor) return false
  const untilMs = performance.now() + FILL_MS_MAX
  let next = monitor.fill_next
  while (next <= monitor.fill_last && performance.now() < untilMs) {
    if (monitor.is_gathered === 1) {
      const { setup_version: setupVersion, version_number: versionNumber } = monitor
      const last = Math.min(next + FILL_BATCHES - 1, monitor.fill_last)
      fillUnits(db, { setupVersion, versionNumber }, next, last)
      next += FILL_BATCHES
      continue
    }
    db.run(
      `INSERT INTO work (batch_id, monitor_version, units, unit_count, is_judged)
       SELECT batch_id, ?, units, count_units(units), ? FROM matches
       WHERE batch_id >= ? AND batch_id < ? AND batch_id <= ? AND setup_version = ? ON CONFLICT DO NOTHING`,
      monitor.version_number,
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
