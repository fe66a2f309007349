import * as z from 'zod'
import type { Principal } from '../../../domain/tenant.ts'
import { defined } from '../../../lib/defined.ts'
import type { TracePosition } from '../../../ports/trace-storage.ts'
import { findTraces, type TraceQuery } from '../../../query/find-traces.ts'
import { showPreviews } from '../../../query/show-previews.ts'
import { type ProjectEnvironments, readEnvironments } from '../../project-environments.ts'
import { defineRoute, type RouteDeps, StreamedAnswer } from '../../route.ts'
import { readTraceContext } from '../../trace-context.ts'
import { csvLine } from '../evaluations/csv.ts'
import { toWireSnippet, toWireTrace, type traceOutput } from './trace-wire.ts'
import { toTraceFilter, tracesQueryWith } from './traces-query.ts'

/** Traces that are read at a time; no more than these are held in memory. */
const PAGE = 100

type WireTrace = z.output<typeof traceOutput>

/** The columns of a CSV file and the text of each. */
const COLUMNS: Readonly<Record<string, (trace: WireTrace) => unknown>> = {
  trace_id: (trace) => trace.trace_id,
  name: (trace) => trace.name,
  started_at: (trace) => trace.started_at,
  duration_ms: (trace) => trace.duration_ms,
  status: (trace) => trace.status,
  environment: (trace) => trace.environment,
  service: (trace) => trace.service,
  model: (trace) => trace.model,
  session_id: (trace) => trace.session_id,
  input: (trace) => trace.preview?.input,
  output: (trace) => trace.preview?.output,
  span_count: (trace) => trace.span_count,
  error_count: (trace) => trace.error_count,
  model_calls: (trace) => trace.model_calls,
  prompt_tokens: (trace) => trace.prompt_tokens,
  completion_tokens: (trace) => trace.completion_tokens,
  cost_usd: (trace) => trace.cost_usd,
  unpriced_calls: (trace) => trace.unpriced_calls,
  evaluations: (trace) => trace.evaluations,
  scores: (trace) => trace.scores,
}

interface ExportFormat {
  readonly contentType: string
  readonly head: string
  readonly line: (trace: WireTrace) => string
}

const FORMATS = {
  jsonl: {
    contentType: 'application/x-ndjson',
    head: '',
    line: (trace) => `${JSON.stringify(trace)}\n`,
  },
  csv: {
    contentType: 'text/csv; charset=utf-8; header=present',
    head: csvLine(Object.keys(COLUMNS)),
    line: (trace) => csvLine(Object.values(COLUMNS).map((read) => csvText(read(trace)))),
  },
} satisfies Record<string, ExportFormat>

function csvText(value: unknown): string | undefined {
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value)
}

export const exportTraceListRoute = defineRoute({
  method: 'GET',
  path: '/v2/traces/export',
  operationId: 'exportTraceList',
  tag: 'Traces',
  summary: 'Export traces',
  description:
    'All traces that pass the same filters as in the list, newest first, with their previews, results and scores, as one JSON ' +
    'object per line or as CSV with a header. The answer is sent while it is read, with gzip if asked for. In CSV ' +
    '`evaluations` and `scores` are JSON, and a text that a spreadsheet would take for a formula begins with an apostrophe.',
  access: 'read',
  query: tracesQueryWith({
    format: z.enum(['jsonl', 'csv']).optional().describe('`jsonl` when absent.'),
  }),
  success: {
    status: 200,
    description: 'The traces. An answer that breaks off without its end is not complete.',
    contentType: Object.values(FORMATS).map(({ contentType }) => contentType),
  },
  async handle({ principal, query }, deps) {
    const environments = await readEnvironments(deps.storage, principal)
    const filter = toTraceFilter(query, environments)
    const readPage = (after?: TracePosition) => readTraces(deps, principal, environments, filter, after)
    const format = FORMATS[query.format ?? 'jsonl']
    // The first page before anything is sent, so that a fault can still be told.
    return new StreamedAnswer(format.contentType, writeExport(format, await readPage(), readPage))
  },
})

interface ExportedPage {
  readonly traces: readonly WireTrace[]
  readonly next?: TracePosition
}

async function* writeExport(
  { head, line }: ExportFormat,
  first: ExportedPage,
  readPage: (after: TracePosition) => Promise<ExportedPage>,
): AsyncGenerator<string> {
  yield head
  let page = first
  for (;;) {
    if (page.traces.length > 0) yield page.traces.map(line).join('')
    if (page.next === undefined) return
    page = await readPage(page.next)
  }
}

async function readTraces(
  { storage, prices }: RouteDeps,
  principal: Principal,
  environments: ProjectEnvironments,
  filter: Omit<TraceQuery, 'limit' | 'after'>,
  after: TracePosition | undefined,
): Promise<ExportedPage> {
  const found = await findTraces(storage, principal, { ...filter, ...defined({ after }), limit: PAGE })
  const { traces, snippets, next } = found
  const [beside, previews] = await Promise.all([
    readTraceContext(storage, principal, traces),
    showPreviews(storage, principal, traces),
  ])
  return {
    traces: traces.map((trace, at) => ({
      ...toWireTrace(trace, { environments, prices, ...beside }),
      ...toWireSnippet(snippets.get(trace.traceId)),
      preview: { ...previews[at] },
    })),
    ...defined({ next }),
  }
}
