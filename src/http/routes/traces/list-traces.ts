import * as z from 'zod'
import type { Condition } from '../../../domain/condition.ts'
import { EVALUATION_STATUSES } from '../../../domain/evaluation.ts'
import { CONDITION_OPERATORS } from '../../../domain/operators.ts'
import { defined } from '../../../lib/defined.ts'
import type { EvaluationCondition, TraceFilter } from '../../../ports/trace-storage.ts'
import { findTraces, type TraceQuery } from '../../../query/find-traces.ts'
import { showPreviews } from '../../../query/show-previews.ts'
import { type ProjectEnvironments, readEnvironments } from '../../project-environments.ts'
import { defineRoute } from '../../route.ts'
import { readTraceContext } from '../../trace-context.ts'
import { conditionsInput, conditionsParam, logicalOperatorInput, logicOf } from '../../wire/condition-wire.ts'
import { pageLimit } from '../../wire/page-limit.ts'
import { includeParam } from '../../wire/preview-wire.ts'
import { checkOrder, environmentsParam, numberParam, timeParam } from '../../wire/query-params.ts'
import { boundedText, requiredName, spanName } from '../../wire/text-schemas.ts'
import { toTracesCursor, toWireTrace, traceOutput, tracesCursor } from './trace-wire.ts'

const LIMIT_MAX = 200
const LIMIT_DEFAULT = 50
const TEXT_CHARS_MAX = 1_000
/** Most attributes that the address may name. */
const ATTRIBUTES_MAX = 50
const ATTRIBUTE_KEY = /^attributes\[(.+)\]$/s

const tracesQuery = z
  .object({
    from: timeParam().optional().describe('Began at or after: ISO 8601 with a zone, or Unix seconds.'),
    to: timeParam().optional().describe('Began before: ISO 8601 with a zone, or Unix seconds.'),
    environment: environmentsParam().optional(),
    service: spanName().optional(),
    model: spanName().optional().describe('Of any call in the trace.'),
    session_id: spanName().optional(),
    status: z.enum(['ok', 'error']).optional().describe('`error`: a span of it ended with an error.'),
    min_duration_ms: numberParam().optional(),
    max_duration_ms: numberParam().optional(),
    filters: conditionsParam(conditionsInput('id', CONDITION_OPERATORS))
      .optional()
      .describe(
        'JSON: `[{"id", "operator", "value"}]`, as for `/v2/warehouse/spans`; one span of the trace must meet them.',
      ),
    logical_operator: logicalOperatorInput
      .optional()
      .describe('How `filters` hold together; `AND` when absent.'),
    evaluator_type: boundedText().optional().describe('Only traces with a result of this evaluator slug.'),
    evaluation_status: z
      .enum(EVALUATION_STATUSES)
      .optional()
      .describe('Only traces with a result like that.'),
    min_value: numberParam()
      .optional()
      .describe('Smallest first numeric or boolean output of the evaluator.'),
    max_value: numberParam().optional().describe('Largest first numeric or boolean output of the evaluator.'),
    q: requiredName(TEXT_CHARS_MAX)
      .optional()
      .describe('Text that a prompt or a completion contains, in upper or lower case.'),
    limit: pageLimit(LIMIT_MAX).optional().describe(`Most traces of a page; ${LIMIT_DEFAULT} when absent.`),
    cursor: tracesCursor.optional(),
    include: includeParam,
  })
  .catchall(boundedText())
  .superRefine((query, context) => {
    checkOrder(context, ['from', 'to'], query.from, query.to)
    const durations = ['min_duration_ms', 'max_duration_ms'] as const
    checkOrder(context, durations, query.min_duration_ms, query.max_duration_ms, true)
    checkOrder(context, ['min_value', 'max_value'], query.min_value, query.max_value, true)
    const hasValue = query.min_value !== undefined || query.max_value !== undefined
    // The values of two evaluators have nothing in common.
    if (hasValue && query.evaluator_type === undefined) {
      const message = 'is required with min_value and max_value'
      context.addIssue({ code: 'custom', path: ['evaluator_type'], message })
    }
    if (attributesOf(query).length > ATTRIBUTES_MAX) {
      const message = `may be named at most ${ATTRIBUTES_MAX} times`
      context.addIssue({ code: 'custom', path: ['attributes'], message })
    }
  })

type TracesQuery = z.output<typeof tracesQuery>

export const listTracesRoute = defineRoute({
  method: 'GET',
  path: '/v2/traces',
  operationId: 'listTraces',
  tag: 'Traces',
  summary: 'Find traces',
  description:
    'Newest first. A key `attributes[name]` asks for a span with that attribute and value; such attributes and `filters` ' +
    'must hold on one span. A page may hold fewer traces than asked for, or none, and still have a `next_cursor`: only so ' +
    'many traces and spans are looked at for one page. A trace can be found about a second after its spans were received.',
  access: 'read',
  query: tracesQuery,
  success: {
    status: 200,
    description: 'A page of traces.',
    schema: z.object({
      traces: z.array(traceOutput),
      next_cursor: z.string().optional().describe('Absent on the last page.'),
    }),
  },
  async handle({ principal, query }, { storage, prices }) {
    const environments = await readEnvironments(storage, principal)
    const { traces, next } = await findTraces(storage, principal, toQuery(query, environments))
    const [beside, previews] = await Promise.all([
      readTraceContext(storage, principal, traces),
      query.include === undefined ? undefined : showPreviews(storage, principal, traces),
    ])
    return {
      traces: traces.map((trace, at) => ({
        ...toWireTrace(trace, { environments, prices, ...beside }),
        ...(previews && { preview: { ...previews[at] } }),
      })),
      ...(next === undefined ? {} : { next_cursor: toTracesCursor(next) }),
    }
  },
})

function toQuery(query: TracesQuery, environments: ProjectEnvironments): TraceQuery {
  return {
    filter: toFilter(query, environments),
    conditions: query.filters ?? [],
    logic: logicOf(query.logical_operator),
    required: attributesOf(query).map(
      ([field, value]): Condition => ({ field, operator: 'equals', values: [value] }),
    ),
    ...defined({ text: query.q, after: query.cursor }),
    limit: query.limit ?? LIMIT_DEFAULT,
  }
}

function toFilter(query: TracesQuery, environments: ProjectEnvironments): TraceFilter {
  const envProjectIds = environments.idsOf(query.environment)
  const evaluation = toEvaluationCondition(query)
  return {
    ...defined({
      fromMs: query.from,
      toMs: query.to,
      envProjectIds,
      service: query.service,
      model: query.model,
      sessionId: query.session_id,
    }),
    ...(query.status === undefined ? {} : { hasError: query.status === 'error' }),
    ...defined({ minDurationMs: query.min_duration_ms, maxDurationMs: query.max_duration_ms, evaluation }),
  }
}

function toEvaluationCondition(query: TracesQuery): EvaluationCondition | undefined {
  const condition = {
    ...defined({
      slug: query.evaluator_type,
      status: query.evaluation_status,
      minValue: query.min_value,
      maxValue: query.max_value,
    }),
  }
  return Object.keys(condition).length === 0 ? undefined : condition
}

/** The attributes that the address names, with the text that each must have. */
function attributesOf(query: Readonly<Record<string, unknown>>): [string, string][] {
  return Object.entries(query).flatMap(([key, value]): [string, string][] => {
    const name = ATTRIBUTE_KEY.exec(key)?.[1]
    return name === undefined ? [] : [[name, value as string]]
  })
}
