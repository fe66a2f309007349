import type { ProjectTenant } from '../../domain/tenant.ts'
import type { SessionUsageBucket, UsageBucket, UsageQuery } from '../../ports/trace-storage.ts'
import { USAGE_FOLDS } from './fold-kinds.ts'
import { hasModel, modelKey } from './model-use-text.ts'
import { projectOf } from './project-of.ts'
import { leveled, stretchesOf } from './read-levels.ts'
import { Rows, type Sql, type SqlValue } from './sql.ts'
import { joinUses, minutesOf, toUsage, USAGE_COLUMNS, type UsageRow } from './usage-rows.ts'
import { numberPlaces, Where } from './where.ts'

// The length of a bucket is bound: statements are kept prepared, and one with a number of the caller in it would be another one
// for each caller.

export async function readUsage(db: Sql, tenant: ProjectTenant, query: UsageQuery): Promise<UsageBucket[]> {
  const { from, to, each } = minutesOf(query)
  const { number: project } = await projectOf(db, tenant)
  const stretches = await stretchesOf(db, USAGE_FOLDS, [project], [from, to, each])
  const where = new Where<SqlValue>()
    .and('true')
    .and(db.dialect.oneOf('env_project_id', '?'), query.envProjectIds)
    .and('service = ?', query.service)
    .and('model = ?', query.model)
  const parts = { minutes: 'usage_rollups', folds: 'usage_folds', columns: `r.minute, ${USAGE_COLUMNS}` }
  const rows = await db.all<UsageRow>(
    numberPlaces(
      `SELECT minute / CAST(? AS bigint) * CAST(? AS bigint) AS bucket, ${USAGE_COLUMNS}
       FROM ${leveled(db.dialect, '?', USAGE_FOLDS, parts)} WHERE ${where.sql} ORDER BY bucket, model, service, env_project_id`,
    ),
    ...[each, each, new Rows(stretches), new Rows(stretches)],
    ...where.values,
  )
  return toUsage(rows, query)
}

export async function readSessionUsage(
  db: Sql,
  tenant: ProjectTenant,
  query: Omit<UsageQuery, 'groupBy'>,
  limit: number,
): Promise<SessionUsageBucket[]> {
  const where = new Where<SqlValue>()
    .and('project_number = ?', (await projectOf(db, tenant)).number)
    .and('first_ms >= ?', query.fromMs)
    .and('first_ms < ?', query.toMs)
    .and('session_id IS NOT NULL')
    .and("model_use <> '{}'")
    .and(db.dialect.oneOf('env_project_id', '?'), query.envProjectIds)
    .and('service = ?', query.service)
    .and(hasModel(db.dialect), query.model === undefined ? undefined : modelKey(query.model))
  const rows = await db.all<{ bucket: number; session_id: string; uses: string }>(
    numberPlaces(
      `SELECT first_ms / CAST(? AS bigint) AS bucket, session_id, '[' || string_agg(model_use, ',') || ']' AS uses
       FROM traces WHERE ${where.sql} GROUP BY bucket, session_id ORDER BY bucket, session_id LIMIT ?`,
    ),
    query.bucketMs,
    ...where.values,
    limit,
  )
  return rows.map((row) => ({
    startMs: row.bucket * query.bucketMs,
    sessionId: row.session_id,
    models: joinUses(row.uses, query.model),
  }))
}
