import type { CurrentEvaluators, SweepFindings } from '../../ports/work-storage.ts'
import { stopMonitors } from './monitor-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { WORK_STATE } from './work-state.ts'

/** How far back the sweep looks: work is made together with its batch, so what is missing shows at once or never. */
const SWEEP_BATCHES = 5_000

export function resume(db: SqliteDatabase, current: CurrentEvaluators): void {
  db.run('UPDATE work SET state = ?, lease = NULL WHERE state = ?', WORK_STATE.ready, WORK_STATE.leased)
  db.run('UPDATE units SET state = 0, lease = NULL WHERE state = 1')
  db.run(`UPDATE setups SET lease = NULL,
            status = CASE status WHEN 'in_progress' THEN 'pending' ELSE status END
          WHERE lease IS NOT NULL`)
  db.run("UPDATE setup_entries SET status = 'pending' WHERE status = 'in_progress'")
  // An entry that failed for want of an evaluator may bind now; one that failed for want of spans is looked at once
  // more.
  db.run(`UPDATE setups SET has_news = first_match IS NOT NULL, can_heal = 1, looked_through = 0
          WHERE status IN ('waiting_for_spans', 'partial', 'failed') AND deleted_at_ms IS NULL`)
  rebind(db, current)
}

export function rebind(db: SqliteDatabase, { versions, judges }: CurrentEvaluators): void {
  const nowMs = Date.now()
  const outdated = db.all<{ setup_id: string }>(
    `SELECT DISTINCT m.setup_id FROM monitors m
     JOIN monitor_versions v ON v.number = m.version_number
     JOIN setups s ON s.id = m.setup_id
     LEFT JOIN json_each(?1) e ON e.key = m.slug
     LEFT JOIN json_each(?2) j ON j.key = s.org_id
     LEFT JOIN custom_evaluators c ON c.id = m.evaluator_id
     WHERE m.is_active = 1 AND (v.evaluator_version <> coalesce(e.value, c.version, v.evaluator_version)
       OR (e.key IS NOT NULL AND v.judge IS NOT NULL AND v.judge <> coalesce(j.value, v.judge)))`,
    JSON.stringify(versions),
    JSON.stringify(judges ?? {}),
  )
  for (const { setup_id: setupId } of outdated) {
    stopMonitors(db, setupId, { keepsWork: true }, nowMs)
    // A worker that is binding its entries now binds them to an outdated version.
    db.run("UPDATE setups SET status = 'pending', lease = NULL WHERE id = ?", setupId)
    db.run("UPDATE setup_entries SET status = 'pending', binding_id = NULL WHERE setup_id = ?", setupId)
  }
}

export function sweep(db: SqliteDatabase): SweepFindings {
  const nowMs = Date.now()
  const newest = db.get<{ id: number | null }>('SELECT max(id) AS id FROM span_batches')?.id ?? 0
  const missingWork = db.run(
    `INSERT INTO work (batch_id, monitor_version, project_number, units, unit_count, is_judged)
     SELECT t.batch_id, m.version_number, m.project_number, t.units, count_units(t.units), m.is_judged
     FROM matches t JOIN monitors m ON m.setup_version = t.setup_version AND m.is_active = 1 AND m.is_gathered = 0
     JOIN span_batches b ON b.id = t.batch_id AND b.project_number = m.project_number
     -- What came before the monitor was bound is filled in, or was done by the version before.
     WHERE t.batch_id > ? AND t.job_number = 0 AND t.batch_id > m.fill_last
     ON CONFLICT DO NOTHING`,
    newest - SWEEP_BATCHES,
  )
  const staleWork = db.run(
    'UPDATE work SET state = ?, lease = NULL WHERE state < 2 AND state = ? AND lease_until_ms <= ?',
    WORK_STATE.ready,
    WORK_STATE.leased,
    nowMs,
  )
  return { missingWork, staleLeases: staleWork + releaseStaleSetups(db, nowMs) }
}

function releaseStaleSetups(db: SqliteDatabase, nowMs: number): number {
  return db.run(
    `UPDATE setups SET lease = NULL, has_news = status IN ('partial', 'failed'),
       status = CASE status WHEN 'in_progress' THEN 'pending' ELSE status END
     WHERE lease IS NOT NULL AND lease_until_ms <= ? AND deleted_at_ms IS NULL`,
    nowMs,
  )
}
