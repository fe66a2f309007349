import * as z from 'zod'
import { CONDITION_OPERATORS } from '../../../domain/operators.ts'
import { defined } from '../../../lib/defined.ts'
import { showSpans } from '../../../query/show-spans.ts'
import { readEnvironments } from '../../project-environments.ts'
import { defineRoute, JsonText } from '../../route.ts'
import { conditionsInput, logicalOperatorInput, logicOf, sortOrderInput } from '../../wire/condition-wire.ts'
import { boundedText } from '../../wire/text-schemas.ts'
import { spansCursor, toSpansCursor } from './spans-cursor.ts'
import { spansJson } from './spans-json.ts'
import {
  listedSpanOutput,
  SECOND_MAX,
  SPANS_LIMIT_DEFAULT,
  SPANS_LIMIT_MAX,
  toListedSpan,
} from './warehouse-wire.ts'

const ENVIRONMENTS_MAX = 100

const second = z.int().min(0).max(SECOND_MAX)

/** The fields that the queries for traces and for spans of the vendor's MCP server have in common. */
export const projectQueryFields = {
  environments: z.array(boundedText()).max(ENVIRONMENTS_MAX).optional().describe('Slugs; absent: all.'),
  filters: conditionsInput('field', CONDITION_OPERATORS).optional(),
  logical_operator: logicalOperatorInput.optional(),
  sort_by: z.enum(['timestamp']).optional(),
  sort_order: sortOrderInput.optional(),
  limit: z.int().min(1).max(SPANS_LIMIT_MAX).optional(),
}

const spansInput = z
  .object({
    from_timestamp_sec: second.optional().describe('Began at or after, in Unix seconds.'),
    to_timestamp_sec: second.optional().describe('Began before, in Unix seconds.'),
    ...projectQueryFields,
    cursor: z
      .union([spansCursor, z.literal(0)])
      .optional()
      .describe('The `next_cursor` of the page before; 0 or absent for the first.'),
  })
  .meta({ id: 'ProjectSpansInput' })

export const queryDefaultSpansRoute = defineRoute({
  method: 'POST',
  path: '/v2/projects/default/spans',
  operationId: 'queryProjectSpans',
  tag: 'Spans',
  summary: 'Find spans',
  description:
    'Stored spans that meet the filters, in order of the second in which they began. A page may be short and still have a ' +
    '`next_cursor`.',
  access: 'read',
  body: spansInput,
  success: {
    status: 200,
    description: 'A page of spans.',
    schema: z.object({
      spans: z.object({ data: z.array(listedSpanOutput), next_cursor: z.string().optional() }),
    }),
  },
  async handle({ principal, body }, { storage }) {
    const environments = await readEnvironments(storage, principal)
    const envProjectIds = environments.idsOf(body.environments)
    const { spans, next } = await showSpans(storage, principal, {
      fromSecond: body.from_timestamp_sec ?? 0,
      toSecond: body.to_timestamp_sec ?? Number.MAX_SAFE_INTEGER,
      isDescending: body.sort_order !== 'ASC',
      conditions: body.filters ?? [],
      logic: logicOf(body.logical_operator),
      required: [],
      ...(envProjectIds && { envProjectIds: new Set(envProjectIds) }),
      limit: body.limit ?? SPANS_LIMIT_DEFAULT,
      ...defined({ after: body.cursor === 0 ? undefined : body.cursor }),
    })
    const rest = next === undefined ? '' : `,"next_cursor":${JSON.stringify(toSpansCursor(next))}`
    return new JsonText(`{"spans":{"data":[${await spansJson(spans, environments, toListedSpan)}]${rest}}}`)
  },
})
