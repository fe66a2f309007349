import * as z from 'zod'
import { defined } from '../../../lib/defined.ts'
import { explainSpan } from '../../../query/explain/explain-span.ts'
import { defineRoute } from '../../route.ts'
import { pageLimit } from '../../wire/page-limit.ts'
import { hexParam } from '../../wire/query-params.ts'
import { spanExplanationOutput, toWireExplanation } from './explain-wire.ts'

const LIMIT_MAX = 500
const LIMIT_DEFAULT = 100

export const explainSpanRoute = defineRoute({
  method: 'GET',
  path: '/v2/spans/{trace_id}/{span_id}/explain',
  operationId: 'explainSpan',
  tag: 'Results',
  summary: 'Explain why a span was scored or not',
  description:
    'For every setup of the environment of the span, in order of creation: what decided, rule by rule, and how far each ' +
    'evaluator has come. Also for setups that were deleted or changed since, and for those that were created later.',
  access: 'read',
  params: z.object({
    trace_id: hexParam(16).describe('32 hex digits.'),
    span_id: hexParam(8).describe('16 hex digits.'),
  }),
  query: z.object({
    external_id: z
      .string()
      .optional()
      .describe('Only the setup of this external id, whatever its environment.'),
    limit: pageLimit(LIMIT_MAX)
      .optional()
      .describe(`Largest number of setups; ${LIMIT_DEFAULT} when absent.`),
    cursor: z.string().optional().describe('The `next_cursor` of the page before.'),
  }),
  success: { status: 200, description: 'The explanation.', schema: spanExplanationOutput },
  errors: { 404: 'No such span is stored, and as far as that can be told why; or there is no such setup.' },
  async handle({ principal, params, query }, { storage, clock }) {
    const range = {
      limit: query.limit ?? LIMIT_DEFAULT,
      ...defined({ externalId: query.external_id, afterSetupId: query.cursor }),
    }
    const ids = { traceId: params.trace_id, spanId: params.span_id }
    return toWireExplanation(await explainSpan(storage, principal, ids, range, clock.nowMs()))
  },
})
