import type { SqliteDatabase } from './sqlite-database.ts'

export { minuteOf } from '../shared/minute-of.ts'

/** Adds units to what came of a monitor version in a minute. */
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
  const changed = db.run(
    'UPDATE status_rollups SET units = max(0, units - ?) WHERE monitor_version = ? AND minute = ? AND status = ?',
    units,
    monitorVersion,
    minute,
    status,
  )
  // The totals follow the minutes by a trigger; where the minute is no longer kept they still count the units.
  if (changed === 0) {
    db.run(
      'UPDATE status_totals SET units = max(0, units - ?) WHERE monitor_version = ? AND status = ?',
      units,
      monitorVersion,
      status,
    )
  }
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
