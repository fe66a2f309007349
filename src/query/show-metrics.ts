import { type Condition, holds, type LogicalOperator } from '../domain/condition.ts'
import type { ProjectTenant } from '../domain/tenant.ts'
import type { Span } from '../lib/otlp/span.ts'
import type { EvaluationFilter, EvaluationPage, StoredEvaluation } from '../ports/result-storage.ts'
import type { TenantStorage } from '../ports/storage.ts'
import { conditionTexts, isAboutSpan, labelsOf, type Measurement, spanLabels } from './metric-labels.ts'
import { StoredSpanReader } from './stored-span-reader.ts'

/** Most results that are looked at for one page, and fewer when the span of each must be read to decide. */
const EXAMINED_MAX = 20_000
const EXAMINED_WITH_SPANS_MAX = 2_000
/** Results that are read at a time where some of them may not pass. */
const READ_AT_ONCE = 200

/** One output property of one scored result. */
export interface MetricPoint {
  readonly metricName: string
  readonly value: number | boolean | string
  readonly eventTimeMs: number
  readonly labels: Readonly<Record<string, string>>
}

/** A place between points: behind all of a result's (0), or behind so many properties of its output. */
export interface PointPlace {
  readonly number: number
  readonly properties: number
}

/** Which points are wanted. */
export interface MetricQuery {
  readonly filter: EvaluationFilter
  readonly conditions: readonly Condition[]
  readonly logic: LogicalOperator
  readonly order: 'newest' | 'oldest'
  readonly limit: number
  readonly after?: PointPlace
}

/** A page of points. `next` is there also when the page is not full but looking has reached its limit. */
export interface MetricPage {
  readonly points: readonly MetricPoint[]
  readonly next?: PointPlace
}

interface Candidate extends Measurement {
  /** Its place among the properties of the output, from 1. */
  readonly at: number
}

interface Chosen {
  readonly candidate: Candidate
  /** Where it had to be read to decide. */
  readonly span?: Span
}

/** Scored results as points, in the order of recording; only these have a value to show. */
export async function showMetrics(
  storage: TenantStorage,
  tenant: ProjectTenant,
  query: MetricQuery,
): Promise<MetricPage> {
  const reader = new StoredSpanReader(storage, tenant)
  const needsSpans = query.conditions.some(({ field }) => isAboutSpan(field))
  const examinedMax = needsSpans ? EXAMINED_WITH_SPANS_MAX : EXAMINED_MAX
  const chosen: Chosen[] = []
  const answer = async (next: PointPlace | undefined): Promise<MetricPage> => ({
    points: await toPoints(reader, tenant, chosen),
    ...(next && { next }),
  })
  let { after } = query
  for (let examined = 0; ; ) {
    const asked = query.conditions.length > 0 ? READ_AT_ONCE : query.limit
    const page = await readPage(storage, tenant, query, after, asked)
    const candidates = candidatesOf(page.evaluations, query.filter.property, query.after)
    const spans = needsSpans ? await spansOf(reader, page.evaluations) : undefined
    for (const [at, candidate] of candidates.entries()) {
      const { number } = candidate.evaluation
      const span = spans?.get(number)
      const textsOf = (field: string) => conditionTexts(field, candidate, tenant, span)
      if (!holds(query.conditions, query.logic, textsOf)) continue
      chosen.push({ candidate, ...(span && { span }) })
      if (chosen.length < query.limit) continue
      const isLast = at === candidates.length - 1 && page.nextAfter === undefined
      return answer(isLast ? undefined : { number, properties: candidate.at })
    }
    if (page.nextAfter === undefined) return answer(undefined)
    after = { number: page.nextAfter, properties: 0 }
    // Fewer than asked for although there is more: the store itself has looked at as many as it may.
    examined += page.evaluations.length < asked ? examinedMax : asked
    if (examined >= examinedMax) return answer(after)
  }
}

// A place within a result's own properties needs that result once more.
function readPage(
  storage: TenantStorage,
  tenant: ProjectTenant,
  { filter, order }: MetricQuery,
  after: PointPlace | undefined,
  limit: number,
): Promise<EvaluationPage> {
  const again = after && after.properties > 0 ? (order === 'newest' ? 1 : -1) : 0
  return storage.listEvaluations(tenant, filter, {
    order,
    limit,
    ...(after === undefined ? {} : { afterNumber: after.number + again }),
  })
}

function candidatesOf(
  evaluations: readonly StoredEvaluation[],
  property: string | undefined,
  after: PointPlace | undefined,
): Candidate[] {
  return evaluations.flatMap((evaluation) => {
    const seen = evaluation.number === after?.number ? after.properties : 0
    return Object.entries(evaluation.output ?? {}).flatMap(([metricName, value], index) => {
      const isWanted = index >= seen && (property === undefined || property === metricName)
      return isWanted && isPointValue(value) ? [{ evaluation, metricName, value, at: index + 1 }] : []
    })
  })
}

function isPointValue(value: unknown): value is number | boolean | string {
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string'
}

async function spansOf(
  reader: StoredSpanReader,
  evaluations: readonly StoredEvaluation[],
): Promise<Map<number, Span>> {
  const spans = new Map<number, Span>()
  await reader.each(evaluations, ({ number, spanId }, found) => {
    if (found && spanId !== undefined && !spans.has(number)) spans.set(number, found.view.toSpan())
    return true
  })
  return spans
}

async function toPoints(
  reader: StoredSpanReader,
  tenant: ProjectTenant,
  chosen: readonly Chosen[],
): Promise<MetricPoint[]> {
  const unread = chosen.flatMap(({ candidate, span }) => (span ? [] : [candidate.evaluation]))
  const spans = await spansOf(reader, unread)
  return chosen.map(({ candidate, span }) => ({
    metricName: candidate.metricName,
    value: candidate.value,
    eventTimeMs: candidate.evaluation.createdAtMs,
    labels: {
      ...labelsOf(candidate, tenant),
      ...spanLabels(span ?? spans.get(candidate.evaluation.number)),
    },
  }))
}
