import { setImmediate } from 'node:timers/promises'
import type * as z from 'zod'
import type { Condition } from '../../../domain/condition.ts'
import { type ShownSpan, type SpanQuery, showSpans } from '../../../query/show-spans.ts'
import { type ProjectEnvironments, readEnvironments } from '../../project-environments.ts'
import { defineRoute, JsonText } from '../../route.ts'
import { logicOf } from '../../wire/condition-wire.ts'
import {
  attributeFilters,
  SPANS_LIMIT_DEFAULT,
  spansOutput,
  spansQuery,
  toSpansCursor,
  toWireSpan,
} from './warehouse-wire.ts'

/** Spans that are written before others get their turn. */
const WRITTEN_AT_ONCE = 50

export const listWarehouseSpansRoute = defineRoute({
  method: 'GET',
  path: '/v2/warehouse/spans',
  operationId: 'listWarehouseSpans',
  tag: 'Spans',
  summary: 'List spans',
  description:
    'Stored spans in order of the second in which they began. A key that is not listed here is the name of an attribute and ' +
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
    const data = await toJson(spans, environments)
    return new JsonText(`{"spans":{"data":[${data}],${JSON.stringify(rest).slice(1)}}`)
  },
})

function toQuery(query: z.output<typeof spansQuery>, environments: ProjectEnvironments): SpanQuery {
  const { cursor } = query
  const envProjectIds = environments.idsOf(query.environments)
  return {
    fromSecond: query.from_timestamp_sec,
    toSecond: query.to_timestamp_sec ?? Number.MAX_SAFE_INTEGER,
    isDescending: query.sort_order !== 'ASC',
    conditions: query.filters ?? [],
    logic: logicOf(query.logical_operator),
    required: requiredOf(query),
    ...(envProjectIds && { envProjectIds: new Set(envProjectIds) }),
    limit: query.limit ?? SPANS_LIMIT_DEFAULT,
    ...(cursor && { after: cursor }),
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

// A page may be several megabytes of text; in one piece it would hold up all other requests.
async function toJson(spans: readonly ShownSpan[], environments: ProjectEnvironments): Promise<string> {
  const texts: string[] = []
  for (const { span, envProjectId } of spans) {
    texts.push(JSON.stringify(toWireSpan(span, environments.slugOf(envProjectId))))
    if (texts.length % WRITTEN_AT_ONCE === 0) await setImmediate()
  }
  return texts.join(',')
}
