import type * as z from 'zod'
import type { Condition } from '../../../domain/condition.ts'
import { type SpanQuery, showSpans } from '../../../query/show-spans.ts'
import { type ProjectEnvironments, readEnvironments } from '../../project-environments.ts'
import { defineRoute, JsonText } from '../../route.ts'
import { logicOf } from '../../wire/condition-wire.ts'
import { toSpansCursor } from './spans-cursor.ts'
import { spansJson } from './spans-json.ts'
import {
  attributeFilters,
  SPANS_LIMIT_DEFAULT,
  spansOutput,
  spansQuery,
  toWireSpan,
} from './warehouse-wire.ts'

export const listWarehouseSpansRoute = defineRoute({
  method: 'GET',
  path: '/v2/warehouse/spans',
  operationId: 'listWarehouseSpans',
  tag: 'Spans',
  summary: 'List spans',
  description:
    'Stored spans in order of the second in which they began, the newest first unless `sort_order` says otherwise. A key that is not listed here is the name of an attribute and ' +
    'the text that it must have. A page may hold fewer spans than asked for, or none, and still have a `next_cursor`: only ' +
    'so many are looked at for one page.',
  access: 'read',
  query: spansQuery,
  success: { status: 200, description: 'A page of spans.', schema: spansOutput },
  async handle({ principal, query }, { storage }) {
    const environments = await readEnvironments(storage, principal)
    const wanted = toQuery(query, environments)
    const { spans, next } = await showSpans(storage, principal, wanted)
    const rest = {
      page_size: wanted.limit,
      total_results: spans.length,
      ...(next === undefined ? {} : { next_cursor: toSpansCursor(next) }),
    }
    const data = await spansJson(spans, environments, toWireSpan)
    return new JsonText(`{"spans":{"data":[${data}],${JSON.stringify(rest).slice(1)}}`)
  },
})

function toQuery(query: z.output<typeof spansQuery>, environments: ProjectEnvironments): SpanQuery {
  const { cursor } = query
  const envProjectIds = environments.idsOf(query.environments)
  return {
    fromSecond: query.from_timestamp_sec ?? 0,
    toSecond: query.to_timestamp_sec ?? Number.MAX_SAFE_INTEGER,
    isDescending: query.sort_order !== 'ASC',
    conditions: query.filters ?? [],
    logic: logicOf(query.logical_operator),
    required: requiredOf(query),
    ...(envProjectIds && { envProjectIds: new Set(envProjectIds) }),
    limit: query.limit ?? SPANS_LIMIT_DEFAULT,
    ...(cursor && cursor !== '0' ? { after: cursor } : {}),
  }
}

function requiredOf(query: z.output<typeof spansQuery>): Condition[] {
  const named: [string, string | undefined][] = [
    ['span_name', query.span_name],
    ['span_attributes.traceloop.workflow.name', query.workflow],
    ...attributeFilters(query),
  ]
  return named.flatMap(([field, value]) =>
    value === undefined ? [] : [{ field, operator: 'equals' as const, values: [value] }],
  )
}
