import * as z from 'zod'
import { defined } from '../../../lib/defined.ts'
import { findTraces } from '../../../query/find-traces.ts'
import { listWorkflowNames, WORKFLOW_SPANS_MAX } from '../../../query/list-workflow-names.ts'
import { showRootSpans, showTraceSpans } from '../../../query/show-trace.ts'
import { readEnvironments } from '../../project-environments.ts'
import { defineRoute, JsonText } from '../../route.ts'
import { logicOf } from '../../wire/condition-wire.ts'
import { traceParams } from '../../wire/path-params.ts'
import { integerParam } from '../../wire/query-params.ts'
import { toTraceSpansCursor, traceSpansCursor } from '../traces/trace-spans-cursor.ts'
import { toTracesCursor, tracesCursor } from '../traces/trace-wire.ts'
import { projectQueryFields } from './query-default-spans.ts'
import { spansCursor, toSpansCursor } from './spans-cursor.ts'
import { spansJson } from './spans-json.ts'
import { listedSpanOutput, SECOND_MAX, SPANS_LIMIT_DEFAULT, toListedSpan } from './warehouse-wire.ts'

/*
 * The project routes that the vendor's MCP server calls. It always names the project `default`, which means the one
 * of the key.
 */

const TRACE_SPANS_MAX = 1_000

const second = z.int().min(0).max(SECOND_MAX)

const rootSpansInput = z
  .object({
    from_timestamp_sec: second.optional().describe('Traces that began at or after, in Unix seconds.'),
    to_timestamp_sec: second.optional().describe('Traces that began before, in Unix seconds.'),
    ...projectQueryFields,
    cursor: z
      .union([tracesCursor, z.literal(0)])
      .optional()
      .describe('The `next_cursor` of the page before; 0 or absent for the first.'),
  })
  .meta({ id: 'RootSpansInput' })

export const queryRootSpansRoute = defineRoute({
  method: 'POST',
  path: '/v2/projects/default/traces/root-spans',
  operationId: 'queryRootSpans',
  tag: 'Spans',
  summary: 'Find traces and show their root spans',
  description:
    'One span of a trace must meet the filters; the span without a parent is shown, or the first one while that has not ' +
    'arrived. A page may be short and still have a `next_cursor`.',
  access: 'read',
  body: rootSpansInput,
  success: {
    status: 200,
    description: 'A page of root spans.',
    schema: z.object({
      root_spans: z.object({ data: z.array(listedSpanOutput), next_cursor: z.string().optional() }),
    }),
  },
  async handle({ principal, body }, { storage }) {
    const environments = await readEnvironments(storage, principal)
    const envProjectIds = environments.idsOf(body.environments)
    const { from_timestamp_sec: from, to_timestamp_sec: to } = body
    const { traces, next } = await findTraces(storage, principal, {
      filter: {
        ...(from === undefined ? {} : { fromMs: from * 1_000 }),
        ...(to === undefined ? {} : { toMs: to * 1_000 }),
        ...defined({ envProjectIds }),
      },
      conditions: body.filters ?? [],
      logic: logicOf(body.logical_operator),
      required: [],
      order: body.sort_order === 'ASC' ? 'oldest' : 'newest',
      limit: body.limit ?? SPANS_LIMIT_DEFAULT,
      ...(body.cursor === undefined || body.cursor === 0 ? {} : { after: body.cursor }),
    })
    const shown = await showRootSpans(
      storage,
      principal,
      traces.map(({ traceId }) => traceId),
    )
    const rest = next === undefined ? '' : `,"next_cursor":${JSON.stringify(toTracesCursor(next))}`
    return new JsonText(
      `{"root_spans":{"data":[${await spansJson(shown, environments, toListedSpan)}]${rest}}}`,
    )
  },
})

export const listTraceSpansRoute = defineRoute({
  method: 'GET',
  path: '/v2/projects/default/traces/{trace_id}/spans',
  operationId: 'listTraceSpans',
  tag: 'Spans',
  summary: 'List the spans of a trace',
  description:
    'In order of their starts. A trace that is not there is answered with `null`, as the vendor does.',
  access: 'read',
  params: traceParams,
  query: z.object({ cursor: traceSpansCursor.optional() }),
  success: {
    status: 200,
    description: `At most ${TRACE_SPANS_MAX} spans.`,
    schema: z.object({ spans: z.array(listedSpanOutput).nullable(), next_cursor: z.string().optional() }),
  },
  async handle({ principal, params, query }, { storage }) {
    const traceId = params.trace_id.toLowerCase()
    const trace = /^[0-9a-f]{32}$/.test(traceId) ? await storage.getTrace(principal, traceId) : undefined
    if (!trace) return { spans: null }
    const { spans, next } = await showTraceSpans(storage, principal, traceId, {
      limit: TRACE_SPANS_MAX,
      ...defined({ after: query.cursor }),
    })
    const environments = await readEnvironments(storage, principal)
    const rest = next === undefined ? '' : `,"next_cursor":${JSON.stringify(toTraceSpansCursor(next))}`
    return new JsonText(`{"spans":[${await spansJson(spans, environments, toListedSpan)}]${rest}}`)
  },
})

const milliseconds = () => integerParam(0, SECOND_MAX * 1_000)

export const listWorkflowNamesRoute = defineRoute({
  method: 'GET',
  path: '/v2/projects/default/spans/workflow-names',
  operationId: 'listWorkflowNames',
  tag: 'Spans',
  summary: 'List the names of workflows',
  description:
    `Of the newest spans of that time, sorted. One answer looks at no more than ${WORKFLOW_SPANS_MAX} spans, and at fewer when ` +
    'they lie far apart: when there are more, the header `x-next-cursor` says where to go on.',
  access: 'read',
  query: z.object({
    start_time: milliseconds().optional().describe('In Unix milliseconds; absent: from the beginning.'),
    end_time: milliseconds().optional().describe('In Unix milliseconds; absent: to the end.'),
    cursor: spansCursor.optional(),
  }),
  success: {
    status: 200,
    description: 'The names.',
    schema: z.array(z.string()),
    headers: {
      'x-next-cursor':
        'Present when older spans of that time were not looked at: the `cursor` to go on with.',
    },
  },
  async handle({ principal, query, setHeader }, { storage }) {
    const { names, next } = await listWorkflowNames(storage, principal, {
      fromSecond: Math.floor((query.start_time ?? 0) / 1_000),
      toSecond: query.end_time === undefined ? SECOND_MAX : Math.floor(query.end_time / 1_000) + 1,
      ...defined({ after: query.cursor }),
    })
    if (next) setHeader('x-next-cursor', toSpansCursor(next))
    return names
  },
})
