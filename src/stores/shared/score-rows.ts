import type { EvaluationOutput } from '../../domain/evaluation.ts'
import type { Score, ScoreSource } from '../../domain/score.ts'
import { defined } from '../../lib/defined.ts'
import type { ScoreFilter, ScorePage, StoredScore } from '../../ports/score-storage.ts'
import { fromHex } from './evaluation-rows.ts'
import { toHex } from './span-rows.ts'
import { Where } from './where.ts'

/** Most scores that are looked at for one page. */
export const SCORES_EXAMINED_MAX = 10_000

/** A row of `scores`. */
export interface ScoreRow {
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

/**
 * Drops scores of the project $1 that came before $3 among its $2 oldest. Their numbers grow with time, so the expired ones are a
 * range at the beginning.
 */
export const DROP_SCORES = `DELETE FROM scores WHERE number IN (SELECT number FROM (
  SELECT number, created_at_ms FROM scores WHERE project_number = $1 ORDER BY number LIMIT $2) AS oldest
  WHERE created_at_ms < $3)`

/** What an index answers by itself; the number of scores that are looked at is limited along it. */
export function indexedConditions(
  project: number,
  filter: ScoreFilter,
  afterNumber: number | undefined,
): Where {
  return new Where()
    .and('project_number = ?', project)
    .and('trace_id = ?', filter.traceId === undefined ? undefined : fromHex(filter.traceId))
    .and('session_id = ?', filter.sessionId)
    .and('evaluator = ?', filter.evaluator)
    .and('number < ?', afterNumber)
}

/** The rest of a filter, down to the last score that is looked at. */
export function addOtherConditions(where: Where, filter: ScoreFilter, stop: number | undefined): Where {
  return where
    .and('number >= ?', stop)
    .and('span_id = ?', filter.spanId === undefined ? undefined : fromHex(filter.spanId))
    .and('name = ?', filter.name)
    .and('source = ?', filter.source)
    .and('task = ?', filter.task)
    .and('created_at_ms >= ?', filter.fromMs)
    .and('created_at_ms < ?', filter.toMs)
}

/** At most `limit` of the rows, of which there is one more than that when a page is full. */
export function toScorePage(rows: readonly ScoreRow[], limit: number, stop: number | undefined): ScorePage {
  const scores = rows.slice(0, limit).map(toScore)
  const nextAfter = rows.length > limit ? scores.at(-1)?.number : stop
  return { scores, ...defined({ nextAfter }) }
}

/** A score as it is stored, besides to whom it belongs. */
export function toScoreColumns(score: Score) {
  return {
    trace_id: score.traceId === undefined ? null : fromHex(score.traceId),
    span_id: score.spanId === undefined ? null : fromHex(score.spanId),
    session_id: score.sessionId ?? null,
    name: score.name,
    value: JSON.stringify(score.value),
    comment: score.comment ?? null,
    source: score.source,
    evaluator: score.evaluator ?? null,
    task: score.task ?? null,
    actor: score.actor ?? null,
  }
}

/** A score as it is told. */
export function toScore(row: ScoreRow): StoredScore {
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

/** What a monitor version said about a unit that a score may be about. */
export interface VerdictRow {
  number: number
  span_id: Uint8Array
  output: string
}

/** Of up to two verdicts that a score may be about: the one about the whole trace, or the only one. */
export function chooseVerdict(
  rows: readonly VerdictRow[],
): { readonly number: number; readonly output: EvaluationOutput } | undefined {
  const whole = rows.find((row) => row.span_id.length === 0)
  const found = whole ?? (rows.length === 1 ? rows[0] : undefined)
  return found && { number: found.number, output: JSON.parse(found.output) }
}
