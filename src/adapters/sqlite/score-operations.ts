import type { EvaluationOutput } from '../../domain/evaluation.ts'
import type { Score, ScoreSource } from '../../domain/score.ts'
import type { EnvironmentScope, ProjectScope } from '../../domain/tenant.ts'
import type { ScoreFilter, ScorePage, StoredScore, VerdictPair } from '../../ports/score-storage.ts'
import { Where } from '../sql/where.ts'
import { notDeleted } from './deleted-traces.ts'
import { UNIT_INDEX } from './evaluation-operations.ts'
import { projectOf, toHex } from './span-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { SESSION_INDEX, SPAN_ID_BYTES } from './trace-evaluation-operations.ts'

/** Most scores that are looked at for one page. */
const EXAMINED_MAX = 10_000

interface ScoreRow {
  number: number
  env_project_id: string
  trace_id: Uint8Array | null
  span_id: Uint8Array | null
  session_id: string | null
  name: string
  value: string
  comment: string | null
  source: ScoreSource
  evaluator: string | null
  task: string | null
  actor: string | null
  created_at_ms: number
}

export function addScores(
  db: SqliteDatabase,
  scope: EnvironmentScope,
  scores: readonly Score[],
  atMs: number,
): StoredScore[] {
  const { number: project } = projectOf(db, scope)
  const environment = db.get(
    'SELECT 1 FROM environments WHERE env_project_id = ? AND project_id = ?',
    scope.envProjectId,
    scope.projectId,
  )
  if (!environment) throw new Error(`environment ${scope.envProjectId} does not exist`)
  return scores.map((score) => {
    db.run(
      `INSERT INTO scores (project_number, env_project_id, trace_id, span_id, session_id, name, value, comment, source,
         evaluator, task, actor, created_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      project,
      scope.envProjectId,
      score.traceId === undefined ? null : fromHex(score.traceId),
      score.spanId === undefined ? null : fromHex(score.spanId),
      score.sessionId ?? null,
      score.name,
      JSON.stringify(score.value),
      score.comment ?? null,
      score.source,
      score.evaluator ?? null,
      score.task ?? null,
      score.actor ?? null,
      atMs,
    )
    return { ...score, number: db.lastInsertedId(), envProjectId: scope.envProjectId, createdAtMs: atMs }
  })
}

export function listScores(
  db: SqliteDatabase,
  scope: ProjectScope,
  filter: ScoreFilter,
  { afterNumber, limit }: { readonly afterNumber?: number; readonly limit: number },
): ScorePage {
  // What an index answers by itself; the number of scores that are looked at is limited along it.
  const where = new Where()
    .and('project_number = ?', projectOf(db, scope).number)
    .and('trace_id = ?', filter.traceId === undefined ? undefined : fromHex(filter.traceId))
    .and('session_id = ?', filter.sessionId)
    .and('evaluator = ?', filter.evaluator)
    .and('number < ?', afterNumber)
  const stop = db.get<{ number: number }>(
    `SELECT number FROM scores WHERE ${where.sql} ORDER BY number DESC LIMIT 1 OFFSET ?`,
    ...where.values,
    EXAMINED_MAX - 1,
  )?.number
  where
    .and('number >= ?', stop)
    .and('span_id = ?', filter.spanId === undefined ? undefined : fromHex(filter.spanId))
    .and('name = ?', filter.name)
    .and('source = ?', filter.source)
    .and('task = ?', filter.task)
    .and('created_at_ms >= ?', filter.fromMs)
    .and('created_at_ms < ?', filter.toMs)
  const rows = db.all<ScoreRow>(
    `SELECT * FROM scores WHERE ${where.sql} ORDER BY number DESC LIMIT ?`,
    ...where.values,
    limit + 1,
  )
  const scores = rows.slice(0, limit).map(toScore)
  const nextAfter = rows.length > limit ? scores.at(-1)?.number : stop
  return { scores, ...(nextAfter === undefined ? {} : { nextAfter }) }
}

export function listScoresOf(
  db: SqliteDatabase,
  scope: ProjectScope,
  { traceIds, sessionIds }: { readonly traceIds: readonly string[]; readonly sessionIds: readonly string[] },
  limit: number,
): StoredScore[] {
  const { number: project } = projectOf(db, scope)
  const select = (column: string, value: string | Uint8Array) =>
    db.all<ScoreRow>(
      `SELECT * FROM scores WHERE project_number = ? AND ${column} = ? ORDER BY number DESC LIMIT ?`,
      project,
      value,
      limit,
    )
  return [
    ...traceIds.flatMap((traceId) => select('trace_id', fromHex(traceId))),
    ...sessionIds.flatMap((sessionId) => select('session_id', sessionId)),
  ]
    .toSorted((left, right) => right.number - left.number)
    .slice(0, limit)
    .map(toScore)
}

export function listVerdictPairs(
  db: SqliteDatabase,
  scope: ProjectScope,
  monitorId: string,
  scoresMax: number,
): VerdictPair[] {
  const { number: project } = projectOf(db, scope)
  const monitor = db.get<{ slug: string; version_number: number }>(
    'SELECT slug, version_number FROM monitors WHERE project_number = ? AND id = ?',
    project,
    monitorId,
  )
  if (!monitor) return []
  const rows = db.all<ScoreRow>(
    `SELECT * FROM scores WHERE project_number = ? AND evaluator = ? AND source = 'human'
     ORDER BY number DESC LIMIT ?`,
    project,
    monitor.slug,
    scoresMax,
  )
  const seen = new Set<number>()
  return rows.flatMap((row) => {
    const verdict = findVerdict(db, project, monitor.version_number, row)
    if (!verdict || seen.has(verdict.number)) return []
    seen.add(verdict.number)
    return [{ score: toScore(row), output: verdict.output }]
  })
}

interface VerdictRow {
  number: number
  span_id: Uint8Array
  output: string
}

/** What the version said about the unit of the score: that very unit, or the only one that was evaluated in its trace. */
function findVerdict(
  db: SqliteDatabase,
  project: number,
  monitorVersion: number,
  { trace_id: traceId, span_id: spanId, session_id: sessionId }: ScoreRow,
): { number: number; output: EvaluationOutput } | undefined {
  const where = new Where()
    .and('e.project_number = ?', project)
    .and('e.monitor_version = ?', monitorVersion)
    .and('e.trace_id = ?', traceId ?? undefined)
    .and('e.span_id = ?', spanId ?? undefined)
    .and('e.session_id = ?', traceId === null ? (sessionId ?? undefined) : undefined)
    .and(`length(e.span_id) ${traceId === null ? '>' : '<='} ${SPAN_ID_BYTES}`)
    .and("e.is_current = 1 AND e.status = 'scored' AND e.output IS NOT NULL")
    .and(notDeleted('e'))
  const rows = db.all<VerdictRow & Record<string, unknown>>(
    `SELECT e.number, e.span_id, e.output FROM evaluations e
     INDEXED BY ${traceId === null ? SESSION_INDEX : UNIT_INDEX} WHERE ${where.sql} LIMIT 2`,
    ...where.values,
  )
  const whole = rows.find((row) => row.span_id.length === 0)
  const found = whole ?? (rows.length === 1 ? rows[0] : undefined)
  return found && { number: found.number, output: JSON.parse(found.output) }
}

/** Drops the oldest scores of a project; their numbers grow with time, so the expired ones are a range at the beginning. */
export function dropScores(
  db: SqliteDatabase,
  { number, beforeMs }: { readonly number: number; readonly beforeMs: number },
  rows: number,
): number {
  return db.run(
    `DELETE FROM scores WHERE number IN (SELECT number FROM (
       SELECT number, created_at_ms FROM scores WHERE project_number = ? ORDER BY number LIMIT ?)
       WHERE created_at_ms < ?)`,
    number,
    rows,
    beforeMs,
  )
}

function toScore(row: ScoreRow): StoredScore {
  return {
    number: row.number,
    envProjectId: row.env_project_id,
    ...(row.trace_id === null ? {} : { traceId: toHex(row.trace_id) }),
    ...(row.span_id === null ? {} : { spanId: toHex(row.span_id) }),
    ...(row.session_id === null ? {} : { sessionId: row.session_id }),
    name: row.name,
    value: JSON.parse(row.value),
    ...(row.comment === null ? {} : { comment: row.comment }),
    source: row.source,
    ...(row.evaluator === null ? {} : { evaluator: row.evaluator }),
    ...(row.task === null ? {} : { task: row.task }),
    ...(row.actor === null ? {} : { actor: row.actor }),
    createdAtMs: row.created_at_ms,
  }
}

function fromHex(text: string): Uint8Array {
  return Buffer.from(text, 'hex')
}
