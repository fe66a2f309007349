import { createHash } from 'node:crypto'
import type { TestSpan } from '../otlp/encode-traces.ts'
import { type Callable, chatSpan, sendSpans } from './spans.ts'

/** The name under which the bot reports its spans. */
export const RAG_BOT = 'Refund bot'

/** How traces differ from those that arrive now from a bot without a version. */
export interface RagTimes {
  /** The start of the first trace, and the time from one to the next. */
  readonly fromMs: number
  readonly stepMs: number
  readonly version: string
  /** Whether the answer of a trace gives an address away. */
  readonly isBad: (at: number) => boolean
}

/** Sends traces of a bot that searches and answers: the search has the documents, the call has question and answer. */
export async function sendRagTraces(
  service: Callable,
  from: number,
  count: number,
  times?: RagTimes,
): Promise<void> {
  const numbers = Array.from({ length: count }, (_, at) => from + at)
  const traces = numbers.map((number, at) => ragTrace(number, times && { ...times, at }))
  const version = times && { 'service.version': times.version }
  await sendSpans(service, traces.flat(), { resource: { 'service.name': RAG_BOT, ...version } })
}

/** Every second answer gives an address away, unless it is said which ones do. */
function ragTrace(number: number, times?: RagTimes & { readonly at: number }): TestSpan[] {
  const isBad = times ? times.isBad(number) : number % 2 === 0
  const answer = isBad ? `Write to jane.doe${number}@example.com.` : `Refunds take ${number} days.`
  const now = chatSpan(`rag ${number}`, {
    prompt: `How long does refund ${number} take?`,
    completion: answer,
  })
  const call = times ? startedAt(now, times.fromMs + times.at * times.stepMs) : now
  const spanId = createHash('sha256').update(`search ${number}`).digest().subarray(0, 8)
  const search: TestSpan = {
    ...call,
    spanId,
    name: 'search',
    attributes: {
      'openinference.span.kind': 'RETRIEVER',
      'retrieval.documents.0.document.content': `Refund ${number} takes ${number} days.`,
    },
  }
  return [{ ...call, parentSpanId: spanId }, search]
}

function startedAt(span: TestSpan, startMs: number): TestSpan {
  const startUnixNano = BigInt(startMs) * 1_000_000n
  return { ...span, startUnixNano, endUnixNano: startUnixNano + 1_000_000n }
}
