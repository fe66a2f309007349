import * as z from 'zod'
import { defined } from '../../../lib/defined.ts'
import { invalidInput } from '../../../lib/public-error.ts'
import {
  listTrialRows,
  type TrialRow,
  type TrialRowPage,
  type TrialRowQuery,
} from '../../../query/trial-rows.ts'
import { defineRoute } from '../../route.ts'
import { cursorParam, toCursor } from '../../wire/cursor.ts'
import { pageLimit } from '../../wire/page-limit.ts'
import { hexParam } from '../../wire/query-params.ts'
import { boundedText } from '../../wire/text-schemas.ts'
import { timestamp, toTimestamp } from '../../wire/timestamp.ts'
import { toTracesCursor, tracesCursor } from '../traces/trace-wire.ts'
import { TRIAL_ROWS_MAX } from './run-trial.ts'

const LIMIT_DEFAULT = 20
const CURSOR = 'trial-rows'

const rowsQuery = z
  .object({
    monitor_id: boundedText(64).optional().describe('Units that this monitor evaluated, the newest first.'),
    trace_id: hexParam(16).optional().describe('This trace, then those of its spans that have an answer.'),
    service: boundedText().optional().describe('The newest traces of this service.'),
    limit: pageLimit(TRIAL_ROWS_MAX)
      .optional()
      .describe(`Largest number of rows; ${LIMIT_DEFAULT} when absent.`),
    cursor: z.string().optional().describe('The `next_cursor` of the page before.'),
  })
  .superRefine((query, context) => {
    const names = (['monitor_id', 'trace_id', 'service'] as const).filter((name) => query[name] !== undefined)
    const [first, second] = names
    if (second === undefined) return
    context.addIssue({ code: 'custom', path: [second], message: `must be absent beside ${first}` })
  })

const label = z
  .object({
    name: z.string(),
    value: z.union([z.number(), z.boolean(), z.string(), z.array(z.string())]),
    actor: z.string().optional(),
  })
  .describe('A human annotation.')

const trialRow = z
  .object({
    trace_id: z.string(),
    span_id: z.string().optional().describe('Absent: the whole trace.'),
    name: z.string().describe('Of the span, or of the root of the trace.'),
    service: z.string().optional(),
    started_at: timestamp,
    question: z.string().optional().describe('The beginning of the prompt; absent where there is none.'),
    answer: z.string().optional().describe('The beginning of the completion; absent where there is none.'),
    labels: z.array(label).describe('Human annotations of the row, the newest first.'),
  })
  .meta({ id: 'TrialRow' })

export const listTrialRowsRoute = defineRoute({
  method: 'GET',
  path: '/v2/trial-rows',
  operationId: 'listTrialRows',
  tag: 'Evaluators',
  summary: 'List spans and traces to try an evaluator on',
  description:
    'The newest traces where nothing else is asked for. A page may hold fewer rows than asked for, or none, and still have a ' +
    '`next_cursor`: units whose spans are gone, and sessions, are left out.',
  access: 'read',
  query: rowsQuery,
  success: {
    status: 200,
    description: 'A page of rows.',
    schema: z.object({
      rows: z.array(trialRow),
      next_cursor: z.string().optional().describe('Absent on the last page.'),
    }),
  },
  async handle({ principal, query }, { storage }) {
    const page = await listTrialRows(storage, principal, toQuery(query))
    return { rows: page.rows.map(toWireRow), ...defined({ next_cursor: cursorOf(page) }) }
  },
})

function toQuery(query: z.output<typeof rowsQuery>): TrialRowQuery {
  const { monitor_id: monitorId, trace_id: traceId, service, cursor } = query
  const fields = { ...defined({ monitorId, traceId, service }), limit: query.limit ?? LIMIT_DEFAULT }
  if (cursor === undefined) return fields
  const number = monitorId === undefined ? undefined : cursorParam(CURSOR).safeParse(cursor).data
  const trace = monitorId === undefined ? tracesCursor.safeParse(cursor).data : undefined
  if (number === undefined && trace === undefined)
    throw invalidInput('cursor must be the next_cursor of the page before')
  return { ...fields, ...defined({ afterNumber: number, afterTrace: trace }) }
}

function cursorOf({ nextNumber, nextTrace }: TrialRowPage): string | undefined {
  if (nextNumber !== undefined) return toCursor(CURSOR, nextNumber)
  return nextTrace && toTracesCursor(nextTrace)
}

function toWireRow(row: TrialRow): z.output<typeof trialRow> {
  return {
    trace_id: row.traceId,
    ...defined({ span_id: row.spanId }),
    name: row.name,
    ...defined({ service: row.service }),
    started_at: toTimestamp(row.startedAtMs),
    ...defined({ question: row.question, answer: row.answer }),
    labels: row.annotations.map(({ name, value, actor }) => ({
      name,
      value: typeof value === 'object' ? [...value] : value,
      ...defined({ actor }),
    })),
  }
}
