import type { ProjectScope } from '../../domain/tenant.ts'
import type { SessionUsageBucket, UsageBucket, UsageQuery } from '../../ports/trace-storage.ts'
import { projectOf } from '../shared/project-of.ts'
import type { Sql, SqlValue } from '../shared/sql.ts'
import { joinUses, minutesOf, toUsage, USAGE_COLUMNS, type UsageRow } from '../shared/usage-rows.ts'
import { numberPlaces, Where } from '../shared/where.ts'
import { HAS_MODEL, modelKey } from './has-model.ts'

export async function readUsage(db: Sql, scope: ProjectScope, query: UsageQuery): Promise<UsageBucket[]> {
  const { from, to, each } = minutesOf(query)
  const where = new Where<SqlValue>()
    .and('project_number = ?', (await projectOf(db, scope)).number)
    .and('minute >= ?', from)
    .and('minute < ?', to)
    .and('env_project_id = ANY(?)', query.envProjectIds)
    .and('service = ?', query.service)
    .and('model = ?', query.model)
  const rows = await db.all<UsageRow>(
    numberPlaces(
      `SELECT minute / each.minutes * each.minutes AS bucket, ${USAGE_COLUMNS}
       FROM usage_rollups CROSS JOIN (SELECT ?::bigint AS minutes) AS each WHERE ${where.sql} ORDER BY bucket, model, service, env_project_id`,
    ),
    each,
    ...where.values,
  )
  return toUsage(rows, query)
}

export async function readSessionUsage(
  db: Sql,
  scope: ProjectScope,
  query: Omit<UsageQuery, 'groupBy'>,
  limit: number,
): Promise<SessionUsageBucket[]> {
  const where = new Where<SqlValue>()
    .and('project_number = ?', (await projectOf(db, scope)).number)
    .and('first_ms >= ?', query.fromMs)
    .and('first_ms < ?', query.toMs)
    .and('session_id IS NOT NULL')
    .and("model_use <> '{}'")
    .and('env_project_id = ANY(?)', query.envProjectIds)
    .and('service = ?', query.service)
    .and(HAS_MODEL, query.model === undefined ? undefined : modelKey(query.model))
  const rows = await db.all<{ start_ms: number; session_id: string; uses: string }>(
    numberPlaces(
      `SELECT first_ms / each.ms * each.ms AS start_ms, session_id,
         '[' || string_agg(model_use, ',') || ']' AS uses
       FROM traces CROSS JOIN (SELECT ?::bigint AS ms) AS each WHERE ${where.sql} GROUP BY start_ms, session_id ORDER BY start_ms, session_id LIMIT ?`,
    ),
    query.bucketMs,
    ...where.values,
    limit,
  )
  return rows.map((row) => ({
    startMs: row.start_ms,
    sessionId: row.session_id,
    models: joinUses(row.uses, query.model),
  }))
}
