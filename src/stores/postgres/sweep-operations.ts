import type { CurrentEvaluators, SweepFindings } from '../../ports/work-storage.ts'
import type { Sql } from '../shared/sql.ts'
import { WORK_STATE } from '../shared/work-state.ts'
import { NOW_MS } from './leases.ts'
import { lockProjectNumber } from './lock-project.ts'
import { stopMonitorsOf } from './monitor-operations.ts'
import type { PostgresDatabase } from './postgres-database.ts'
import { releaseOrphans } from './release-orphans.ts'

/** How far back the sweep looks: work is made together with its batch, so what is missing shows at once or never. */
const SWEEP_BATCHES = 5_000

/** Other processes may be at work: what they hold stays theirs. */
export async function resume(db: PostgresDatabase, current: CurrentEvaluators): Promise<void> {
  await releaseOrphans(db)
  await db.transaction(async (tx) => {
    // An entry that failed for want of an evaluator may bind now; one that failed for want of spans is looked at once
    // more.
    await tx.run(
      `WITH open AS MATERIALIZED (
         SELECT id FROM setups WHERE status IN ('waiting_for_spans', 'partial', 'failed') AND deleted_at_ms IS NULL
           AND lease IS NULL ORDER BY id FOR UPDATE)
       UPDATE setups s SET has_news = CASE WHEN s.first_match IS NULL THEN 0 ELSE 1 END, can_heal = 1, looked_through = 0
       FROM open o WHERE s.id = o.id`,
    )
    await tx.run(
      `UPDATE setup_entries e SET status = 'pending' FROM setups s
       WHERE s.id = e.setup_id AND s.lease IS NULL AND e.status = 'in_progress'`,
    )
  })
  await rebind(db, current)
}

/** Project by project, so that none is held while another is being seen to. */
export async function rebind(db: PostgresDatabase, current: CurrentEvaluators): Promise<void> {
  const outdated = await listOutdated(db, current)
  for (const number of new Set(outdated.map((row) => row.project_number))) {
    await db.transaction((tx) => rebindProject(tx, number, current))
  }
}

async function rebindProject(tx: Sql, projectNumber: number, current: CurrentEvaluators): Promise<void> {
  if (!(await lockProjectNumber(tx, projectNumber))) return
  const setupIds = (await listOutdated(tx, current, projectNumber)).map((row) => row.setup_id)
  if (setupIds.length === 0) return
  // A worker that is binding its entries now binds them to an outdated version.
  await tx.run(
    "UPDATE setups SET status = 'pending', lease = NULL, holder = NULL WHERE id = ANY($1)",
    setupIds,
  )
  await tx.run(
    "UPDATE setup_entries SET status = 'pending', binding_id = NULL WHERE setup_id = ANY($1)",
    setupIds,
  )
  await stopMonitorsOf(tx, setupIds, { keepsWork: true }, Date.now())
}

function listOutdated(
  db: Sql,
  { versions, judges = {} }: CurrentEvaluators,
  projectNumber: number | null = null,
): Promise<{ setup_id: string; project_number: number }[]> {
  return db.all(
    `SELECT DISTINCT m.setup_id, m.project_number FROM monitors m
     JOIN monitor_versions v ON v.number = m.version_number
     JOIN setups s ON s.id = m.setup_id
     LEFT JOIN unnest($1::text[], $2::bigint[]) AS e (slug, version) ON e.slug = m.slug
     LEFT JOIN unnest($3::text[], $4::text[]) AS j (org_id, judge) ON j.org_id = s.org_id
     LEFT JOIN custom_evaluators c ON c.id = m.evaluator_id
     WHERE m.is_active = 1 AND ($5::bigint IS NULL OR m.project_number = $5)
       AND (v.evaluator_version <> coalesce(e.version, c.version, v.evaluator_version)
         OR (e.slug IS NOT NULL AND v.judge IS NOT NULL AND v.judge <> coalesce(j.judge, v.judge)))
     ORDER BY m.project_number, m.setup_id`,
    Object.keys(versions),
    Object.values(versions),
    Object.keys(judges),
    Object.values(judges),
    projectNumber,
  )
}

export async function sweep(db: PostgresDatabase): Promise<SweepFindings> {
  const missingWork = await makeMissingWork(db)
  const staleWork = await db.run(
    `WITH stale AS MATERIALIZED (
       SELECT batch_id, monitor_version, job_number FROM work
       WHERE state < 2 AND state = ${WORK_STATE.leased} AND lease_until_ms <= ${NOW_MS}
       FOR UPDATE SKIP LOCKED)
     UPDATE work w SET state = ${WORK_STATE.ready}, lease = NULL, holder = NULL FROM stale s
     WHERE w.batch_id = s.batch_id AND w.monitor_version = s.monitor_version AND w.job_number = s.job_number`,
  )
  return { missingWork, staleLeases: staleWork + (await releaseStaleSetups(db)) }
}

/**
 * Matches that an active monitor has no work for. Spans that came before the monitor was bound are filled in, or were done by the
 * version before.
 */
const MISSING = `FROM matches t
  JOIN monitors m ON m.setup_version = t.setup_version AND m.is_active = 1 AND m.is_gathered = 0
  JOIN span_batches b ON b.id = t.batch_id AND b.project_number = m.project_number
  WHERE t.batch_id > $1 AND t.job_number = 0 AND t.batch_id > m.fill_last
    AND NOT EXISTS (SELECT 1 FROM work w
      WHERE w.batch_id = t.batch_id AND w.monitor_version = m.version_number AND w.job_number = 0)`

/**
 * Looks without holding up others, and repairs under the lock of the project: what another process is writing or taking away
 * just then is not missing.
 */
async function makeMissingWork(db: PostgresDatabase): Promise<number> {
  const newest = await db.get<{ id: number | null }>('SELECT max(id) AS id FROM span_batches')
  const after = (newest?.id ?? 0) - SWEEP_BATCHES
  const projects = await db.all<{ project_number: number }>(
    `SELECT DISTINCT m.project_number ${MISSING}`,
    after,
  )
  let made = 0
  for (const { project_number: number } of projects) {
    made += await db.transaction(async (tx) => {
      if (!(await lockProjectNumber(tx, number))) return 0
      return tx.run(
        `INSERT INTO work (batch_id, monitor_version, project_number, units, unit_count, is_judged)
         SELECT t.batch_id, m.version_number, m.project_number, t.units, bit_count(t.units), m.is_judged ${MISSING}
           AND m.project_number = $2 ON CONFLICT (batch_id, monitor_version, job_number) DO NOTHING`,
        after,
        number,
      )
    })
  }
  return made
}

function releaseStaleSetups(db: PostgresDatabase): Promise<number> {
  return db.run(
    `WITH stale AS MATERIALIZED (
       SELECT id FROM setups WHERE lease IS NOT NULL AND lease_until_ms <= ${NOW_MS} AND deleted_at_ms IS NULL
       ORDER BY id FOR UPDATE SKIP LOCKED)
     UPDATE setups s SET lease = NULL, holder = NULL,
       has_news = CASE WHEN s.status IN ('partial', 'failed') THEN 1 ELSE 0 END,
       status = CASE s.status WHEN 'in_progress' THEN 'pending' ELSE s.status END
     FROM stale WHERE s.id = stale.id`,
  )
}
