import type { ProjectScope } from '../../domain/tenant.ts'
import type { SessionUsageBucket, UsageBucket, UsageQuery } from '../../ports/trace-storage.ts'
import { joinUses, minutesOf, toUsage, USAGE_COLUMNS, type UsageRow } from '../shared/usage-rows.ts'
import { Where } from '../shared/where.ts'
import { jsonOf } from './json-of.ts'
import { projectOf } from './span-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

export function readUsage(db: SqliteDatabase, scope: ProjectScope, query: UsageQuery): UsageBucket[] {
  const { from, to, each } = minutesOf(query)
  const where = new Where()
    .and('project_number = ?', projectOf(db, scope).number)
    .and('minute >= ?', from)
    .and('minute < ?', to)
    .and('env_project_id IN (SELECT value FROM json_each(?))', jsonOf(query.envProjectIds))
    .and('service = ?', query.service)
    .and('model = ?', query.model)
  const rows = db.all<UsageRow>(
    `SELECT minute / ${each} * ${each} AS bucket, ${USAGE_COLUMNS}
     FROM usage_rollups WHERE ${where.sql} ORDER BY bucket, model, service, env_project_id`,
    ...where.values,
  )
  return toUsage(rows, query)
}

export function readSessionUsage(
  db: SqliteDatabase,
  scope: ProjectScope,
  query: Omit<UsageQuery, 'groupBy'>,
  limit: number,
): SessionUsageBucket[] {
  const where = new Where()
    .and('project_number = ?', projectOf(db, scope).number)
    .and('first_ms >= ?', query.fromMs)
    .and('first_ms < ?', query.toMs)
    .and('session_id IS NOT NULL')
    .and("model_use <> '{}'")
    .and('env_project_id IN (SELECT value FROM json_each(?))', jsonOf(query.envProjectIds))
    .and('service = ?', query.service)
    .and('EXISTS (SELECT 1 FROM json_each(model_use) WHERE key = ?)', query.model)
  const rows = db.all<{ start_ms: number; session_id: string; uses: string }>(
    `SELECT first_ms / ${query.bucketMs} * ${query.bucketMs} AS start_ms, session_id,
       json_group_array(json(model_use)) AS uses
     FROM traces WHERE ${where.sql} GROUP BY start_ms, session_id ORDER BY start_ms, session_id LIMIT ?`,
    ...where.values,
    limit,
  )
  return rows.map((row) => ({
    startMs: row.start_ms,
    sessionId: row.session_id,
    models: joinUses(row.uses, query.model),
  }))
}
