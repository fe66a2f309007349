import { createHash } from 'node:crypto'
import type { ProjectTenant } from '../../domain/tenant.ts'
import type { VerdictRule } from '../../domain/verdict.ts'
import type { WatchedMonitor, WatchedProject } from '../../ports/incident-storage.ts'
import { projectOf } from './project-of.ts'
import type { Sql } from './sql.ts'
import { parseRule } from './stored-verdict.ts'

const HASH_DIGITS = 16

export async function listWatchedMonitors(
  db: Sql,
  tenant: ProjectTenant,
  limit: number,
): Promise<WatchedMonitor[]> {
  const rows = await db.all<{ id: string; version: number; verdict_rule: string; is_settled: number }>(
    `SELECT m.id, v.version, m.verdict_rule,
       CASE WHEN v.verdict_next > v.verdict_last AND m.is_rule_stale = 0 THEN 1 ELSE 0 END AS is_settled
     FROM monitors m JOIN monitor_versions v ON v.number = m.version_number
     WHERE m.project_number = $1 AND m.is_active = 1 AND m.verdict_rule IS NOT NULL ORDER BY m.number LIMIT $2`,
    (await projectOf(db, tenant)).number,
    limit,
  )
  return rows.flatMap((row) => {
    const rule = parseRule(row.verdict_rule)
    if (rule.conditions.length === 0) return []
    return [
      { monitorId: row.id, version: row.version, ruleHash: hashOf(rule), isSettled: row.is_settled === 1 },
    ]
  })
}

/** Labels are left out: they change no verdict. */
function hashOf({ conditions }: VerdictRule): string {
  return createHash('sha256').update(JSON.stringify(conditions)).digest('hex').slice(0, HASH_DIGITS)
}

export async function listWatchedProjects(
  db: Sql,
  { afterNumber, limit }: { readonly afterNumber: number; readonly limit: number },
): Promise<WatchedProject[]> {
  const rows = await db.all<{
    number: number
    id: string
    org_id: string
    newest: number | null
    looked_through: number | null
    looked_at_ms: number | null
  }>(
    `SELECT p.number, p.id, p.org_id, l.looked_through, l.looked_at_ms,
       (SELECT max(e.number) FROM evaluations e WHERE e.project_number = p.number) AS newest
     FROM projects p LEFT JOIN incident_looks l ON l.project_number = p.number
     WHERE p.number > $1 ORDER BY p.number LIMIT $2`,
    afterNumber,
    limit,
  )
  return rows.map((row) => ({
    number: row.number,
    tenant: { orgId: row.org_id, projectId: row.id },
    newestEvaluation: row.newest ?? 0,
    lookedThrough: row.looked_through ?? 0,
    lookedAtMs: row.looked_at_ms ?? 0,
  }))
}

export async function claimLook(tx: Sql, project: WatchedProject, atMs: number): Promise<boolean> {
  await tx.run(
    'INSERT INTO incident_looks (project_number, looked_at_ms, looked_through) VALUES ($1, 0, 0) ON CONFLICT DO NOTHING',
    project.number,
  )
  const claimed = await tx.run(
    `UPDATE incident_looks SET looked_at_ms = $2, looked_through = $3
     WHERE project_number = $1 AND looked_at_ms = $4 AND looked_through = $5`,
    ...[project.number, atMs, project.newestEvaluation, project.lookedAtMs, project.lookedThrough],
  )
  return claimed === 1
}
