import * as z from 'zod'
import { EVALUATION_STATUSES } from '../../../domain/evaluation.ts'
import { VERDICTS } from '../../../domain/verdict.ts'
import { defined } from '../../../lib/defined.ts'
import type { EvaluationFilter } from '../../../ports/result-storage.ts'
import {
  checkOrder,
  environmentsParam,
  flagParam,
  hexParam,
  numberParam,
  timeParam,
} from '../../wire/query-params.ts'
import { requiredName, spanName } from '../../wire/text-schemas.ts'

/** The filters of results, in a list and in an export. */
export const evaluationFilterFields = {
  external_id: z.string().optional().describe('Only results of this setup.'),
  monitor_id: z.string().optional().describe('Only results of this monitor.'),
  evaluator_type: z.string().optional().describe('Only results of this evaluator slug.'),
  status: z
    .enum(EVALUATION_STATUSES)
    .optional()
    .describe(
      '`sampled_out`, `skipped` and `cancelled` units are only counted, so these three find nothing.',
    ),
  verdict: z.enum(VERDICTS).optional().describe('Only results with this verdict.'),
  application: spanName().optional().describe('Only results of this application: a service, or a workflow.'),
  min_value: numberParam().optional().describe('Smallest first numeric or boolean output; true is 1.'),
  max_value: numberParam().optional().describe('Largest first numeric or boolean output.'),
  from: timeParam().optional().describe('Recorded at or after: ISO 8601 with a zone, or Unix seconds.'),
  to: timeParam().optional().describe('Recorded before: ISO 8601 with a zone, or Unix seconds.'),
  unit_from: timeParam()
    .optional()
    .describe('The span, trace or session began at or after this time, by which charts count.'),
  unit_to: timeParam().optional().describe('The span, trace or session began before this time.'),
  trace_id: hexParam(16).optional(),
  span_id: hexParam(8).optional(),
  environment: environmentsParam().optional(),
  reviewed: flagParam().optional().describe('Whether a person has annotated the unit, naming the evaluator.'),
  history: flagParam().optional().describe('`true` shows superseded generations, too.'),
}

const TEXT_CHARS_MAX = 1_000

/** The filters of a list and of a review queue. */
export const searchFields = {
  ...evaluationFilterFields,
  q: requiredName(TEXT_CHARS_MAX)
    .optional()
    .describe(
      'Only results whose unit has this text in what was said to a model or by it, in upper or lower case. For this spans are read, ' +
        'and only so many for one page.',
    ),
}

type FilterQuery = z.output<z.ZodObject<typeof evaluationFilterFields>>

/** Adds faults of ranges that are empty. */
export function checkEvaluationFilter(query: FilterQuery, context: z.core.$RefinementCtx): void {
  checkOrder(context, ['from', 'to'], query.from, query.to)
  checkOrder(context, ['unit_from', 'unit_to'], query.unit_from, query.unit_to)
  checkOrder(context, ['min_value', 'max_value'], query.min_value, query.max_value, true)
}

/** The choice that a query makes. */
export function toEvaluationFilter(query: FilterQuery): EvaluationFilter {
  return {
    ...defined({
      externalId: query.external_id,
      monitorId: query.monitor_id,
      slug: query.evaluator_type,
      status: query.status,
      verdict: query.verdict,
      application: query.application,
      minValue: query.min_value,
      maxValue: query.max_value,
      fromMs: query.from,
      toMs: query.to,
      unitFromMs: query.unit_from,
      unitToMs: query.unit_to,
      traceId: query.trace_id,
      spanId: query.span_id,
      environments: query.environment,
      isReviewed: query.reviewed,
      withHistory: query.history,
    }),
  }
}
