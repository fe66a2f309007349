import { addModelUse, type ModelUse } from '../../domain/model-use.ts'
import type { ProjectScope } from '../../domain/tenant.ts'
import { ValueSketch } from '../../domain/value-sketch.ts'
import type { SessionUsageBucket, UsageBucket, UsageQuery } from '../../ports/trace-storage.ts'
import { decodeModelUses } from '../sql/model-use-text.ts'
import { Where } from '../sql/where.ts'
import { jsonOf } from './json-of.ts'
import { projectOf } from './span-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

interface UsageRow {
  bucket: number
  env_project_id: string
  service: string
  model: string
  calls: number
  errors: number
  counted_calls: number
  prompt_tokens: number
  completion_tokens: number
  durations: Uint8Array
}

const MINUTE_MS = 60_000

export function readUsage(db: SqliteDatabase, scope: ProjectScope, query: UsageQuery): UsageBucket[] {
  const where = new Where()
    .and('project_number = ?', projectOf(db, scope).number)
    .and('minute >= ?', Math.floor(query.fromMs / MINUTE_MS))
    .and('minute < ?', Math.ceil(query.toMs / MINUTE_MS))
    .and('env_project_id IN (SELECT value FROM json_each(?))', jsonOf(query.envProjectIds))
    .and('service = ?', query.service)
    .and('model = ?', query.model)
  const bucketMinutes = Math.max(1, Math.floor(query.bucketMs / MINUTE_MS))
  const groups = new Map<string, Growing>()
  const rows = db.all<UsageRow>(
    `SELECT minute / ${bucketMinutes} * ${bucketMinutes} AS bucket, env_project_id, service, model, calls, errors,
       counted_calls, prompt_tokens, completion_tokens, durations
     FROM usage_rollups WHERE ${where.sql} ORDER BY bucket, model, service, env_project_id`,
    ...where.values,
  )
  for (const row of rows) addRow(groups, query, row)
  return [...groups.values()].map(toBucket)
}

type Growing = Omit<UsageBucket, 'models' | 'durationP50Ms' | 'durationP95Ms'> & {
  readonly models: Map<string, ModelUse>
  readonly durations: ValueSketch
}

function addRow(groups: Map<string, Growing>, { groupBy }: UsageQuery, row: UsageRow): void {
  const group = {
    startMs: row.bucket * MINUTE_MS,
    ...(groupBy.includes('model') ? { model: row.model } : {}),
    ...(groupBy.includes('service') ? { service: row.service } : {}),
    ...(groupBy.includes('environment') ? { envProjectId: row.env_project_id } : {}),
  }
  const key = JSON.stringify(group)
  const known = groups.get(key) ?? {
    ...group,
    models: new Map<string, ModelUse>(),
    durations: new ValueSketch(),
  }
  groups.set(key, known)
  addModelUse(known.models, row.model, {
    calls: row.calls,
    errors: row.errors,
    countedCalls: row.counted_calls,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
  })
  known.durations.mergeEncoded(row.durations)
}

function toBucket({ durations, ...bucket }: Growing): UsageBucket {
  // There is no row without a call, so there is always a quantile.
  const quantile = (share: number) => durations.quantile(share) as number
  return { ...bucket, durationP50Ms: quantile(0.5), durationP95Ms: quantile(0.95) }
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

/** All of them together; of one model alone where one is asked for. */
function joinUses(texts: string, only: string | undefined): Map<string, ModelUse> {
  const joined = new Map<string, ModelUse>()
  for (const uses of JSON.parse(texts) as object[]) {
    for (const [model, use] of decodeModelUses(JSON.stringify(uses))) {
      if (only === undefined || model === only) addModelUse(joined, model, use)
    }
  }
  return joined
}
