import * as z from 'zod'
import type { Condition } from '../../../domain/condition.ts'
import { EVALUATION_STATUSES } from '../../../domain/evaluation.ts'
import { CONDITION_OPERATORS } from '../../../domain/operators.ts'
import { defined } from '../../../lib/defined.ts'
import type { EvaluationCondition, TraceFilter } from '../../../ports/trace-storage.ts'
import type { TraceQuery } from '../../../query/find-traces.ts'
import type { ProjectEnvironments } from '../../project-environments.ts'
import { conditionsInput, conditionsParam, logicalOperatorInput, logicOf } from '../../wire/condition-wire.ts'
import { checkOrder, environmentsParam, numberParam, timeParam } from '../../wire/query-params.ts'
import { boundedText, requiredName, spanName } from '../../wire/text-schemas.ts'

const TEXT_CHARS_MAX = 1_000
/** Most attributes that the address may name. */
const ATTRIBUTES_MAX = 50
const ATTRIBUTE_KEY = /^attributes\[(.+)\]$/s

/** The filters of traces, in a list, in an export and in a saved view. */
const filterFields = {
  from: timeParam().optional().describe('Began at or after: ISO 8601 with a zone, or Unix seconds.'),
  to: timeParam().optional().describe('Began before: ISO 8601 with a zone, or Unix seconds.'),
  environment: environmentsParam().optional(),
  service: spanName().optional(),
  model: spanName().optional().describe('Of any call in the trace.'),
  session_id: spanName().optional(),
  status: z.enum(['ok', 'error']).optional().describe('`error`: one of its spans ended with an error.'),
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
  evaluation_status: z.enum(EVALUATION_STATUSES).optional().describe('Only traces with a result like that.'),
  min_value: numberParam().optional().describe('Smallest first numeric or boolean output of the evaluator.'),
  max_value: numberParam().optional().describe('Largest first numeric or boolean output of the evaluator.'),
  q: requiredName(TEXT_CHARS_MAX)
    .optional()
    .describe('Text that a prompt or a completion contains, in upper or lower case.'),
}

/** The filters of traces together with parameters of one route. */
export function tracesQueryWith<Shape extends z.ZodRawShape>(parameters: Shape) {
  return z
    .object({ ...filterFields, ...parameters })
    .catchall(boundedText())
    .superRefine((query, context) => checkFilter(query as TracesFilter, context))
}

/** The filters of traces alone. */
export const tracesQuery = tracesQueryWith({})

type TracesFilter = z.output<z.ZodObject<typeof filterFields>>

function checkFilter(query: TracesFilter, context: z.core.$RefinementCtx): void {
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
}

/** The choice that a query makes. */
export function toTraceFilter(
  query: TracesFilter,
  environments: ProjectEnvironments,
): Omit<TraceQuery, 'limit' | 'after'> {
  return {
    filter: toFilter(query, environments),
    conditions: query.filters ?? [],
    logic: logicOf(query.logical_operator),
    required: attributesOf(query).map(
      ([field, value]): Condition => ({ field, operator: 'equals', values: [value] }),
    ),
    ...defined({ text: query.q }),
  }
}

function toFilter(query: TracesFilter, environments: ProjectEnvironments): TraceFilter {
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

function toEvaluationCondition(query: TracesFilter): EvaluationCondition | undefined {
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
