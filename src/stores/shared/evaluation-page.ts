import { defined } from '../../lib/defined.ts'
import type { EvaluationFilter, EvaluationPage, EvaluationRange } from '../../ports/result-storage.ts'
import { type EvaluationRow, fromHex, SPAN_ID_BYTES, toEvaluation } from './evaluation-rows.ts'
import { STORED_VERDICT } from './stored-verdict.ts'
import { Where } from './where.ts'

/** Most evaluations that are looked at for one page, per index that is walked. */
export const EXAMINED_MAX = 20_000
/** Up to so many versions are walked one by one, each by its own index; more are picked out of the whole project. */
export const WALKED_VERSIONS_MAX = 20
/** Evaluations are numbered as the clock goes; if it was set back, then by less than this. */
const CLOCK_SLACK_MS = 3_600_000

/** Numbers between which to look; both are left out. */
export interface NumberSpan {
  readonly low: number
  readonly high: number
}

/** The monitor versions of a project, for the conditions of `monitorConditions`; the project is `m.project_number`. */
export const SELECT_VERSIONS = `SELECT v.number FROM monitors m
  JOIN monitor_versions v ON v.monitor_number = m.number
  JOIN setups s ON s.id = m.setup_id
  JOIN environments n ON n.env_project_id = s.env_project_id`

/** The conditions of a filter on monitors, but for their environments, which each store lists in its own way. */
export function monitorConditions({ externalId, monitorId, slug }: EvaluationFilter): Where {
  return new Where().and('s.external_id = ?', externalId).and('m.id = ?', monitorId).and('m.slug = ?', slug)
}

/** A filter whose application, if it names one, was looked up. */
export interface ResolvedFilter extends EvaluationFilter {
  readonly applicationNumber?: number
}

/** The number of the application (`$2`) of a project (`$1`). */
export const SELECT_APPLICATION = 'SELECT number FROM applications WHERE project_number = $1 AND name = $2'

/** The conditions of a filter on the evaluations `e` themselves, but for the fields of their output. */
export function evaluationConditions(filter: ResolvedFilter): Where {
  const where = new Where()
  if (filter.status === 'superseded') where.and('e.is_current = 0')
  else if (filter.status !== undefined) where.and('e.is_current = 1 AND e.status = ?', filter.status)
  else if (!filter.withHistory) where.and('e.is_current = 1')
  if (filter.isReviewed !== undefined) where.and(filter.isReviewed ? IS_REVIEWED : `NOT ${IS_REVIEWED}`)
  return where
    .and('e.span_id = ?', filter.spanId === undefined ? undefined : fromHex(filter.spanId))
    .and('e.verdict = ?', filter.verdict === undefined ? undefined : STORED_VERDICT[filter.verdict])
    .and('e.application = ?', filter.applicationNumber)
    .and('e.value >= ?', filter.minValue)
    .and('e.value <= ?', filter.maxValue)
    .and('e.created_at_ms >= ?', filter.fromMs)
    .and('e.created_at_ms < ?', filter.toMs)
    .and('e.unit_at_ms >= ?', filter.unitFromMs)
    .and('e.unit_at_ms < ?', filter.unitToMs)
}

const BY_A_PERSON = `r.project_number = e.project_number AND r.source = 'human' AND r.evaluator = (
  SELECT rm.slug FROM monitor_versions rv JOIN monitors rm ON rm.number = rv.monitor_number WHERE rv.number = e.monitor_version)`

/** A person has annotated the unit of `e` and named its evaluator. Each kind of unit is looked up along an index of its own. */
const IS_REVIEWED = `CASE WHEN length(e.span_id) > ${SPAN_ID_BYTES} THEN EXISTS (
    SELECT 1 FROM scores r WHERE ${BY_A_PERSON} AND r.session_id = e.session_id AND r.trace_id IS NULL)
  ELSE EXISTS (SELECT 1 FROM scores r WHERE ${BY_A_PERSON} AND r.trace_id = e.trace_id
    AND (r.span_id = e.span_id OR (r.span_id IS NULL AND length(e.span_id) = 0))) END`

/** Whether only failures that count are wanted, for which there are indexes of their own: they are few among many. */
export function wantsFailures({ verdict, status, withHistory }: EvaluationFilter): boolean {
  return verdict === 'fail' && status !== 'superseded' && !withHistory
}

/** The condition of these indexes. */
export const IS_FAILURE = `e.verdict = ${STORED_VERDICT.fail} AND e.is_current = 1`

/** The same for the index of failures by application. */
export const IS_FAILURE_OF_APPLICATION = `${IS_FAILURE} AND e.application > 0`

/** The times of recording between whose numbers everything lies that a filter wants; the clock may have been set back. */
export function recordedBetween({ fromMs, toMs }: EvaluationFilter): { fromMs?: number; toMs?: number } {
  return {
    ...(fromMs === undefined ? {} : { fromMs: fromMs - CLOCK_SLACK_MS }),
    ...(toMs === undefined ? {} : { toMs: toMs + CLOCK_SLACK_MS }),
  }
}

/** The numbers behind the page before. */
export function behindPage(span: NumberSpan, { order, afterNumber }: EvaluationRange): NumberSpan {
  if (afterNumber === undefined) return span
  if (order === 'newest') return { ...span, high: Math.min(span.high, afterNumber) }
  return { ...span, low: Math.max(span.low, afterNumber) }
}

/** The numbers up to the one at which looking ends, that one included. */
export function cutAt({ low, high }: NumberSpan, { order }: EvaluationRange, stop: number): NumberSpan {
  return order === 'newest' ? { low: stop - 1, high } : { low, high: stop + 1 }
}

/** The one of several numbers that comes first in the order of a page. */
export function firstInOrder(numbers: readonly number[], { order }: EvaluationRange): number | undefined {
  if (numbers.length === 0) return undefined
  return order === 'newest' ? Math.max(...numbers) : Math.min(...numbers)
}

/** A page of rows that are in no order, of which there are more than a page when there is more behind it. */
export function pageOf(
  rows: readonly EvaluationRow[],
  { order, limit }: EvaluationRange,
  stop: number | undefined,
): EvaluationPage {
  const sign = order === 'newest' ? -1 : 1
  const sorted = rows.toSorted((left, right) => sign * (left.number - right.number))
  const evaluations = sorted.slice(0, limit).map(toEvaluation)
  const nextAfter = sorted.length > limit ? evaluations.at(-1)?.number : stop
  return { evaluations, ...defined({ nextAfter }) }
}
