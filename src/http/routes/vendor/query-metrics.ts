import type { Principal } from '../../../domain/tenant.ts'
import { findBuiltIn } from '../../../evaluators/catalogue.ts'
import { defined } from '../../../lib/defined.ts'
import type { EvaluationFilter } from '../../../ports/result-storage.ts'
import { type MetricQuery, showMetrics } from '../../../query/show-metrics.ts'
import { defineRoute, type RouteDeps } from '../../route.ts'
import { logicOf } from '../../wire/condition-wire.ts'
import {
  METRICS_LIMIT_DEFAULT,
  type MetricsQuery,
  metricsBody,
  metricsOutput,
  metricsParams,
  toWireMetrics,
} from './metrics-wire.ts'

const description =
  'One point for each output property of each scored result, in the order of recording. `event_time` is the time of ' +
  'recording, so that everything up to the high water mark is complete. A page may hold fewer points than asked for and ' +
  'still have a `next_cursor`: only so many results are looked at for one page.'

const common = {
  path: '/v2/metrics',
  tag: 'Metrics',
  description,
  access: 'read',
  success: { status: 200, description: 'The points.', schema: metricsOutput },
} as const

export const queryMetricsRoute = defineRoute({
  ...common,
  method: 'POST',
  operationId: 'queryMetrics',
  summary: 'Query scores as metrics',
  body: metricsBody,
  handle: ({ principal, body }, deps) => answer(deps, principal, body),
})

export const listMetricsRoute = defineRoute({
  ...common,
  method: 'GET',
  operationId: 'listMetrics',
  summary: 'Query scores as metrics, in the address',
  query: metricsParams,
  handle: ({ principal, query }, deps) => answer(deps, principal, query),
})

async function answer({ storage }: RouteDeps, principal: Principal, query: MetricsQuery) {
  const { points, next } = await showMetrics(storage, principal, toQuery(query))
  return toWireMetrics(points, principal.orgId, next)
}

function toQuery(query: MetricsQuery): MetricQuery {
  const { cursor } = query
  return {
    filter: toFilter(query),
    conditions: query.filters ?? [],
    logic: logicOf(query.logical_operator),
    order: query.sort_order === 'ASC' ? 'oldest' : 'newest',
    limit: query.limit ?? METRICS_LIMIT_DEFAULT,
    ...(cursor && 'place' in cursor ? { after: cursor.place } : {}),
  }
}

function toFilter(query: MetricsQuery): EvaluationFilter {
  const { cursor, environments, metric_name: property, metric_source: source } = query
  const fromMs = toMs(query.from_timestamp_sec)
  const toMsEnd = toMs(query.to_timestamp_sec)
  const behindMs = cursor && 'atMs' in cursor ? cursor.atMs : undefined
  const isAscending = query.sort_order === 'ASC'
  const from = behindMs !== undefined && isAscending ? Math.max(behindMs + 1, fromMs ?? 0) : fromMs
  const to = behindMs !== undefined && !isAscending ? Math.min(behindMs, toMsEnd ?? behindMs) : toMsEnd
  return {
    status: 'scored',
    ...defined({ fromMs: from, toMs: to, environments, property }),
    ...(source === undefined ? {} : { slug: toSlug(source) }),
  }
}

/** The evaluator that a source stands for; the slug of a custom one may have underscores of its own. */
function toSlug(source: string): string {
  const slug = source.replaceAll('_', '-')
  return findBuiltIn(slug) ? slug : source
}

function toMs(second: number | undefined): number | undefined {
  return second === undefined ? undefined : second * 1_000
}
