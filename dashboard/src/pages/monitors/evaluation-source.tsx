import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { api, ok } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { SpanContent } from '../../ui/conversation.tsx'
import { Loaded } from '../../ui/feedback.tsx'
import { formatCount, formatDuration, formatNumber, formatUsd } from '../../ui/format.ts'
import { modelUseOf, type StoredSpan, textsOf } from '../../ui/span-content.ts'
import type { EvaluationDetail } from './monitor-queries.ts'

/** Pages of spans that are read to find one span, and traces of a session that are shown. */
const PAGES_MAX = 5
const SESSION_TRACES_MAX = 10

type Trace = components['schemas']['TraceDetail']

interface Source {
  readonly traces: readonly Trace[]
  readonly spans: readonly StoredSpan[]
  /** Every text that is shown of them. */
  readonly texts: readonly string[]
  /** There is more than what is shown. */
  readonly isCut: boolean
}

/** The data that an evaluation is about: its span, the spans of its trace, or those of the traces of its session. */
export function useSource(evaluation: EvaluationDetail) {
  const { scope, trace_id, span_id, session_id } = evaluation
  return useQuery({
    queryKey: ['evaluation-source', scope, trace_id, span_id, session_id],
    queryFn: () =>
      scope === 'session' && session_id !== undefined
        ? readSession(session_id)
        : readTrace(trace_id, span_id),
    staleTime: 60_000,
  })
}

function fetchTrace(traceId: string, cursor?: string): Promise<Trace> {
  return ok(
    api.GET('/v2/traces/{trace_id}', {
      params: { path: { trace_id: traceId }, query: cursor === undefined ? {} : { cursor } },
    }),
  )
}

async function readTrace(traceId: string, spanId: string | undefined): Promise<Source> {
  let trace = await fetchTrace(traceId)
  const first = trace
  for (let page = 1; page < PAGES_MAX && spanId !== undefined; page++) {
    if (trace.next_cursor === undefined || trace.spans.some(({ span_id }) => span_id === spanId)) break
    trace = await fetchTrace(traceId, trace.next_cursor)
  }
  const spans =
    spanId === undefined
      ? first.spans.filter(saysSomething)
      : trace.spans.filter(({ span_id }) => span_id === spanId)
  return {
    traces: [first],
    spans,
    texts: spans.flatMap(textsOf),
    isCut: spanId === undefined && first.next_cursor !== undefined,
  }
}

async function readSession(sessionId: string): Promise<Source> {
  const session = await ok(
    api.GET('/v2/sessions/{session_id}', {
      params: { path: { session_id: sessionId }, query: { limit: SESSION_TRACES_MAX } },
    }),
  )
  const traces = await Promise.all(session.traces.map(({ trace_id }) => fetchTrace(trace_id)))
  const spans = traces.flatMap((trace) => trace.spans.filter(saysSomething))
  const isCut =
    session.next_cursor !== undefined || traces.some(({ next_cursor }) => next_cursor !== undefined)
  return { traces, spans, texts: spans.flatMap(textsOf), isCut }
}

const saysSomething = (span: StoredSpan) => textsOf(span).some((text) => text !== '')

interface EvaluationSourceProps {
  readonly evaluation: EvaluationDetail
  readonly source: ReturnType<typeof useSource>
}

/** The texts that were evaluated, as people would read them. */
export function EvaluationSource({ evaluation, source }: EvaluationSourceProps) {
  const { scope, session_id, trace_id, span_id } = evaluation
  return (
    <section className="stack">
      <div className="spread">
        <h2>Evaluated content</h2>
        {scope === 'session' && session_id !== undefined ? (
          <Link href={`/sessions/${encodeURIComponent(session_id)}`}>Open the session</Link>
        ) : (
          <Link href={span_id === undefined ? `/traces/${trace_id}` : `/traces/${trace_id}?span=${span_id}`}>
            Open the trace
          </Link>
        )}
      </div>
      <Loaded query={source} lines={6}>
        {(found) => <Spans source={found} isOne={span_id !== undefined} />}
      </Loaded>
    </section>
  )
}

function Spans({ source: { traces, spans, isCut }, isOne }: { source: Source; isOne: boolean }) {
  if (spans.length === 0) {
    return <p className="quiet">{isOne ? 'The span is no longer kept.' : 'None of its spans has text.'}</p>
  }
  return (
    <>
      {isCut ? <p className="quiet small">Only the beginning is shown here.</p> : null}
      {spans.map((span) => (
        <article key={`${span.trace_id} ${span.span_id}`} className="evaluation-span">
          <div className="spread">
            <h3>{span.span_name}</h3>
            <span className="quiet small number">{spanWords(span)}</span>
          </div>
          <SpanContent span={span} />
        </article>
      ))}
      <TraceUse traces={traces} />
    </>
  )
}

function spanWords(span: StoredSpan): string {
  const { model, promptTokens, completionTokens } = modelUseOf(span)
  return [
    model,
    promptTokens === undefined ? undefined : `${formatCount(promptTokens, 'token')} in`,
    completionTokens === undefined ? undefined : `${formatNumber(completionTokens)} out`,
    formatDuration(span.duration),
  ]
    .filter(Boolean)
    .join(' · ')
}

/** The tokens and costs of the application's models, to compare with those of judging. */
function TraceUse({ traces }: { traces: readonly Trace[] }) {
  const sum = (read: (trace: Trace) => number) => traces.reduce((total, trace) => total + read(trace), 0)
  const calls = sum(({ model_calls }) => model_calls)
  if (calls === 0) return null
  const priced = traces.filter(({ cost_usd }) => cost_usd !== undefined)
  const cost = priced.length === 0 ? undefined : sum(({ cost_usd }) => cost_usd ?? 0)
  const unpriced = sum(({ unpriced_calls }) => unpriced_calls)
  return (
    <p className="quiet small">
      {`${traces.length === 1 ? 'The whole trace' : `All ${formatNumber(traces.length)} traces`}: ${formatCount(calls, 'model call')}, `}
      {`${formatNumber(sum(({ prompt_tokens }) => prompt_tokens))} tokens in, ${formatNumber(sum(({ completion_tokens }) => completion_tokens))} out, `}
      {`cost ${formatUsd(cost)}${cost !== undefined && unpriced > 0 ? `, and ${formatCount(unpriced, 'call')} of unknown price` : ''}, `}
      {`${formatDuration(sum(({ duration_ms }) => duration_ms))}.`}
    </p>
  )
}
