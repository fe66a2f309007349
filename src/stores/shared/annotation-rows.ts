import type { Annotation, AnnotationSource } from '../../domain/annotation.ts'
import type { EvaluationOutput } from '../../domain/evaluation.ts'
import type { Verdict } from '../../domain/verdict.ts'
import { defined } from '../../lib/defined.ts'
import type { AnnotationFilter, AnnotationPage, StoredAnnotation } from '../../ports/annotation-storage.ts'
import { fromHex } from './evaluation-rows.ts'
import { toHex } from './span-rows.ts'
import { toVerdict } from './stored-verdict.ts'
import { Where } from './where.ts'

/** Most annotations that are looked at for one page. */
export const ANNOTATIONS_EXAMINED_MAX = 10_000

/** A row of `scores`. */
export interface AnnotationRow {
  number: number
  env_project_id: string
  trace_id: Uint8Array | null
  span_id: Uint8Array | null
  session_id: string | null
  name: string
  value: string
  comment: string | null
  source: AnnotationSource
  evaluator: string | null
  task: string | null
  actor: string | null
  created_at_ms: number
}

/**
 * Drops annotations of the project $1 that came before $3 among its $2 oldest. Their numbers grow with time, so the expired ones are a
 * range at the beginning.
 */
export const DROP_ANNOTATIONS = `DELETE FROM scores WHERE number IN (SELECT number FROM (
  SELECT number, created_at_ms FROM scores WHERE project_number = $1 ORDER BY number LIMIT $2) AS oldest
  WHERE created_at_ms < $3)`

/** The conditions that an index answers by itself; the number of annotations that are looked at is limited along it. */
export function indexedConditions(
  project: number,
  filter: AnnotationFilter,
  afterNumber: number | undefined,
): Where {
  return new Where()
    .and('project_number = ?', project)
    .and('trace_id = ?', filter.traceId === undefined ? undefined : fromHex(filter.traceId))
    .and('session_id = ?', filter.sessionId)
    .and('evaluator = ?', filter.evaluator)
    .and('number < ?', afterNumber)
}

/** The rest of a filter, down to the last annotation that is looked at. */
export function addOtherConditions(where: Where, filter: AnnotationFilter, stop: number | undefined): Where {
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
export function toAnnotationPage(
  rows: readonly AnnotationRow[],
  limit: number,
  stop: number | undefined,
): AnnotationPage {
  const annotations = rows.slice(0, limit).map(toAnnotation)
  const nextAfter = rows.length > limit ? annotations.at(-1)?.number : stop
  return { annotations, ...defined({ nextAfter }) }
}

/** An annotation as it is stored, besides to whom it belongs. */
export function toAnnotationColumns(annotation: Annotation) {
  return {
    trace_id: annotation.traceId === undefined ? null : fromHex(annotation.traceId),
    span_id: annotation.spanId === undefined ? null : fromHex(annotation.spanId),
    session_id: annotation.sessionId ?? null,
    name: annotation.name,
    value: JSON.stringify(annotation.value),
    comment: annotation.comment ?? null,
    source: annotation.source,
    evaluator: annotation.evaluator ?? null,
    task: annotation.task ?? null,
    actor: annotation.actor ?? null,
  }
}

/** An annotation as it is told. */
export function toAnnotation(row: AnnotationRow): StoredAnnotation {
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

/** The output of a monitor version for a unit that an annotation may be about. */
export interface VerdictRow {
  number: number
  span_id: Uint8Array
  output: string
  verdict: number | null
}

/** Of up to two verdicts that an annotation may be about: the one about the whole trace, or the only one. */
export function chooseVerdict(
  rows: readonly VerdictRow[],
): { readonly number: number; readonly output: EvaluationOutput; readonly verdict?: Verdict } | undefined {
  const whole = rows.find((row) => row.span_id.length === 0)
  const found = whole ?? (rows.length === 1 ? rows[0] : undefined)
  if (!found) return undefined
  const { number, output, verdict } = found
  return { number, output: JSON.parse(output), ...(verdict === null ? {} : { verdict: toVerdict(verdict) }) }
}
