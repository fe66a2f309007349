import { addUnits, countUnits, intersects, removeUnits, type UnitSet } from '../../domain/unit-set.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { WORK_STATE } from './work-state.ts'

/** Takes spans of a batch out of everything that was decided about them, and has their content erased. */
export function hideUnits(db: SqliteDatabase, batchId: number, units: UnitSet): void {
  addErasure(db, batchId, units)
  const matches = db.all<{ setup_version: number; units: Uint8Array }>(
    'SELECT setup_version, units FROM matches WHERE batch_id = ?',
    batchId,
  )
  for (const { setup_version: version, units: matched } of matches) {
    if (!intersects(matched, units)) continue
    removeUnits(matched, units)
    if (countUnits(matched) === 0)
      db.run('DELETE FROM matches WHERE batch_id = ? AND setup_version = ?', batchId, version)
    else
      db.run(
        'UPDATE matches SET units = ? WHERE batch_id = ? AND setup_version = ?',
        matched,
        batchId,
        version,
      )
  }
  cancelUnitsOf(db, batchId, units)
}

function cancelUnitsOf(db: SqliteDatabase, batchId: number, units: UnitSet): void {
  const works = db.all<{ monitor_version: number; job_number: number; units: Uint8Array }>(
    'SELECT monitor_version, job_number, units FROM work WHERE batch_id = ? AND state < ?',
    batchId,
    WORK_STATE.done,
  )
  for (const { monitor_version: version, job_number: job, units: open } of works) {
    if (!intersects(open, units)) continue
    removeUnits(open, units)
    const left = countUnits(open)
    db.run(
      `UPDATE work SET units = ?1, unit_count = ?2, state = CASE ?2 WHEN 0 THEN ?3 ELSE state END,
         lease = CASE ?2 WHEN 0 THEN NULL ELSE lease END
       WHERE batch_id = ?4 AND monitor_version = ?5 AND job_number = ?6`,
      open,
      left,
      WORK_STATE.cancelled,
      batchId,
      version,
      job,
    )
  }
}

/** Has the content of spans erased from the bytes of their batch. */
export function addErasure(db: SqliteDatabase, batchId: number, units: UnitSet): void {
  const known = db.get<{ units: Uint8Array }>('SELECT units FROM erasures WHERE batch_id = ?', batchId)
  const all = new Uint8Array(Math.max(units.length, known?.units.length ?? 0))
  addUnits(all, units)
  if (known) addUnits(all, known.units)
  db.run(
    'INSERT INTO erasures (batch_id, units) VALUES (?, ?) ON CONFLICT DO UPDATE SET units = excluded.units',
    batchId,
    all,
  )
}

/** The log holds the pages as they were before; it has to be emptied when everything is erased. */
export function markLog(db: SqliteDatabase): void {
  db.run('UPDATE erasure_progress SET is_log_dirty = 1')
}
