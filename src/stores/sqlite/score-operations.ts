import type { Score } from '../../domain/score.ts'
import type { EnvironmentScope, ProjectScope } from '../../domain/tenant.ts'
import type { ScoreFilter, ScorePage, StoredScore, VerdictPair } from '../../ports/score-storage.ts'
import { SESSION_INDEX } from '../shared/evaluation-indexes.ts'
import { fromHex, SPAN_ID_BYTES } from '../shared/evaluation-rows.ts'
import {
  addOtherConditions,
  chooseVerdict,
  indexedConditions,
  SCORES_EXAMINED_MAX,
  type ScoreRow,
  toScore,
  toScorePage,
  type VerdictRow,
} from '../shared/score-rows.ts'
import { Where } from '../shared/where.ts'
import { notDeleted } from './deleted-traces.ts'
import { UNIT_INDEX } from './evaluation-operations.ts'
import { projectOf } from './span-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

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
  const where = indexedConditions(projectOf(db, scope).number, filter, afterNumber)
  const stop = db.get<{ number: number }>(
    `SELECT number FROM scores WHERE ${where.sql} ORDER BY number DESC LIMIT 1 OFFSET ?`,
    ...where.values,
    SCORES_EXAMINED_MAX - 1,
  )?.number
  addOtherConditions(where, filter, stop)
  const rows = db.all<ScoreRow>(
    `SELECT * FROM scores WHERE ${where.sql} ORDER BY number DESC LIMIT ?`,
    ...where.values,
    limit + 1,
  )
  return toScorePage(rows, limit, stop)
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

/** What the version said about the unit of the score: that very unit, or the only one that was evaluated in its trace. */
function findVerdict(
  db: SqliteDatabase,
  project: number,
  monitorVersion: number,
  { trace_id: traceId, span_id: spanId, session_id: sessionId }: ScoreRow,
): ReturnType<typeof chooseVerdict> {
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
  return chooseVerdict(rows)
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
