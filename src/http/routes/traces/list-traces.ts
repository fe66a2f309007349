import * as z from 'zod'
import { defined } from '../../../lib/defined.ts'
import { findTraces } from '../../../query/find-traces.ts'
import { showPreviews } from '../../../query/show-previews.ts'
import { readEnvironments } from '../../project-environments.ts'
import { defineRoute } from '../../route.ts'
import { readTraceContext } from '../../trace-context.ts'
import { pageLimit } from '../../wire/page-limit.ts'
import { includeParam } from '../../wire/preview-wire.ts'
import { toTracesCursor, toWireSnippet, toWireTrace, traceOutput, tracesCursor } from './trace-wire.ts'
import { toTraceFilter, tracesQueryWith } from './traces-query.ts'

const LIMIT_MAX = 200
const LIMIT_DEFAULT = 50

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
  query: tracesQueryWith({
    limit: pageLimit(LIMIT_MAX).optional().describe(`Most traces of a page; ${LIMIT_DEFAULT} when absent.`),
    cursor: tracesCursor.optional(),
    include: includeParam,
  }),
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
    const { traces, snippets, next } = await findTraces(storage, principal, {
      ...toTraceFilter(query, environments),
      ...defined({ after: query.cursor }),
      limit: query.limit ?? LIMIT_DEFAULT,
    })
    const [beside, previews] = await Promise.all([
      readTraceContext(storage, principal, traces),
      query.include === undefined ? undefined : showPreviews(storage, principal, traces),
    ])
    return {
      traces: traces.map((trace, at) => ({
        ...toWireTrace(trace, { environments, prices, ...beside }),
        ...toWireSnippet(snippets.get(trace.traceId)),
        ...(previews && { preview: { ...previews[at] } }),
      })),
      ...(next === undefined ? {} : { next_cursor: toTracesCursor(next) }),
    }
  },
})
