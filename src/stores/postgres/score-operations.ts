import type { Score } from '../../domain/score.ts'
import type { EnvironmentScope, ProjectScope } from '../../domain/tenant.ts'
import type { ScoreFilter, ScorePage, StoredScore, VerdictPair } from '../../ports/score-storage.ts'
import { fromHex, SPAN_ID_BYTES } from '../shared/evaluation-rows.ts'
import { notDeleted } from '../shared/not-deleted.ts'
import { projectOf } from '../shared/project-of.ts'
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
import type { Sql } from '../shared/sql.ts'
import { numberPlaces } from '../shared/where.ts'

export async function addScores(
  tx: Sql,
  scope: EnvironmentScope,
  scores: readonly Score[],
  atMs: number,
): Promise<StoredScore[]> {
  // Keeps the number of the project as it is until the scores are stored: a deletion of all its data gives it another one.
  const project = await tx.get<{ number: number }>(
    `SELECT p.number FROM projects p JOIN environments n ON n.project_id = p.id
     WHERE p.org_id = $1 AND p.id = $2 AND n.env_project_id = $3 FOR KEY SHARE OF p`,
    scope.orgId,
    scope.projectId,
    scope.envProjectId,
  )
  if (!project) throw new Error(`environment ${scope.envProjectId} does not exist`)
  // Numbers are given out in the order of the list, which is that of the rows.
  const rows = await tx.all<{ number: number }>(
    `INSERT INTO scores (project_number, env_project_id, created_at_ms, trace_id, span_id, session_id, name, value, comment,
       source, evaluator, task, actor)
     SELECT $1, $2, $3, given.trace_id, given.span_id, given.session_id, given.name, given.value, given.comment,
       given.source, given.evaluator, given.task, given.actor
     FROM unnest($4::bytea[], $5::bytea[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[],
                 $12::text[], $13::text[])
       WITH ORDINALITY AS given (trace_id, span_id, session_id, name, value, comment, source, evaluator, task, actor, place)
     ORDER BY given.place RETURNING number`,
    ...[project.number, scope.envProjectId, atMs],
    scores.map(({ traceId }) => (traceId === undefined ? null : fromHex(traceId))),
    scores.map(({ spanId }) => (spanId === undefined ? null : fromHex(spanId))),
    scores.map(({ sessionId }) => sessionId ?? null),
    scores.map(({ name }) => name),
    scores.map(({ value }) => JSON.stringify(value)),
    scores.map(({ comment }) => comment ?? null),
    scores.map(({ source }) => source),
    scores.map(({ evaluator }) => evaluator ?? null),
    scores.map(({ task }) => task ?? null),
    scores.map(({ actor }) => actor ?? null),
  )
  const numbers = rows.map(({ number }) => number).sort((left, right) => left - right)
  return scores.map((score, at) => ({
    ...score,
    number: numbers[at] as number,
    envProjectId: scope.envProjectId,
    createdAtMs: atMs,
  }))
}

export async function listScores(
  tx: Sql,
  scope: ProjectScope,
  filter: ScoreFilter,
  { afterNumber, limit }: { readonly afterNumber?: number; readonly limit: number },
): Promise<ScorePage> {
  const where = indexedConditions((await projectOf(tx, scope)).number, filter, afterNumber)
  const stop = await tx.get<{ number: number }>(
    numberPlaces(`SELECT number FROM scores WHERE ${where.sql} ORDER BY number DESC LIMIT 1 OFFSET ?`),
    ...where.values,
    SCORES_EXAMINED_MAX - 1,
  )
  addOtherConditions(where, filter, stop?.number)
  const rows = await tx.all<ScoreRow>(
    numberPlaces(`SELECT * FROM scores WHERE ${where.sql} ORDER BY number DESC LIMIT ?`),
    ...where.values,
    limit + 1,
  )
  return toScorePage(rows, limit, stop?.number)
}

export async function listScoresOf(
  tx: Sql,
  scope: ProjectScope,
  { traceIds, sessionIds }: { readonly traceIds: readonly string[]; readonly sessionIds: readonly string[] },
  limit: number,
): Promise<StoredScore[]> {
  const { number: project } = await projectOf(tx, scope)
  const about = (column: string, asked: string) => `SELECT found.* FROM unnest(${asked}) AS asked (key)
    CROSS JOIN LATERAL (SELECT * FROM scores WHERE project_number = $1 AND ${column} = asked.key
                        ORDER BY number DESC LIMIT $4) AS found`
  const rows = await tx.all<ScoreRow>(
    `SELECT * FROM (${about('trace_id', '$2::bytea[]')} UNION ALL ${about('session_id', '$3::text[]')}) AS found
     ORDER BY number DESC LIMIT $4`,
    project,
    traceIds.map(fromHex),
    sessionIds,
    limit,
  )
  return rows.map(toScore)
}

export async function listVerdictPairs(
  tx: Sql,
  scope: ProjectScope,
  monitorId: string,
  scoresMax: number,
): Promise<VerdictPair[]> {
  const { number: project } = await projectOf(tx, scope)
  const monitor = await tx.get<{ slug: string; version_number: number }>(
    'SELECT slug, version_number FROM monitors WHERE project_number = $1 AND id = $2',
    project,
    monitorId,
  )
  if (!monitor) return []
  const scores = await tx.all<ScoreRow>(
    `SELECT * FROM scores WHERE project_number = $1 AND evaluator = $2 AND source = 'human'
     ORDER BY number DESC LIMIT $3`,
    project,
    monitor.slug,
    scoresMax,
  )
  const verdicts = await findVerdicts(tx, project, monitor.version_number, scores)
  const seen = new Set<number>()
  return scores.flatMap((row) => {
    const verdict = chooseVerdict(verdicts.get(row.number) ?? [])
    if (!verdict || seen.has(verdict.number)) return []
    seen.add(verdict.number)
    return [{ score: toScore(row), output: verdict.output }]
  })
}

/** What the version said about the units that each score may be about: two at most, which is enough to tell that it is not one. */
async function findVerdicts(
  tx: Sql,
  project: number,
  monitorVersion: number,
  scores: readonly ScoreRow[],
): Promise<Map<number, VerdictRow[]>> {
  const verdict = (conditions: string) => `CROSS JOIN LATERAL (
    SELECT e.number, e.span_id, e.output FROM evaluations e
    WHERE e.project_number = $1 AND e.monitor_version = $2 AND e.is_current = 1 AND e.status = 'scored'
      AND e.output IS NOT NULL AND ${conditions} AND ${notDeleted('e')} ORDER BY e.span_id LIMIT 2) AS found`
  // Between the same two ids where a span is meant, and between the ends where it is the trace: either way along the index.
  const ofTrace = verdict(`length(e.span_id) <= ${SPAN_ID_BYTES} AND e.trace_id = s.trace_id
    AND e.span_id >= coalesce(s.span_id, ''::bytea)
    AND e.span_id <= coalesce(s.span_id, decode(repeat('ff', ${SPAN_ID_BYTES}), 'hex'))`)
  const ofSession = verdict(`length(e.span_id) > ${SPAN_ID_BYTES} AND e.session_id = s.session_id`)
  const rows = await tx.all<VerdictRow & { score: number }>(
    `WITH s AS MATERIALIZED (SELECT number, trace_id, span_id, session_id FROM scores WHERE number = ANY($3))
     SELECT s.number AS score, found.* FROM s ${ofTrace} WHERE s.trace_id IS NOT NULL
     UNION ALL
     SELECT s.number AS score, found.* FROM s ${ofSession} WHERE s.trace_id IS NULL`,
    project,
    monitorVersion,
    scores.map(({ number }) => number),
  )
  return Map.groupBy(rows, ({ score }) => score)
}

/** Drops the oldest scores of a project; their numbers grow with time, so the expired ones are a range at the beginning. */
export function dropScores(
  tx: Sql,
  { number, beforeMs }: { readonly number: number; readonly beforeMs: number },
  rows: number,
): Promise<number> {
  return tx.run(
    `DELETE FROM scores WHERE number IN (SELECT number FROM (
       SELECT number, created_at_ms FROM scores WHERE project_number = $1 ORDER BY number LIMIT $2) AS oldest
       WHERE created_at_ms < $3)`,
    number,
    rows,
    beforeMs,
  )
}
