import { createHash } from 'node:crypto'
import type { TestSpan } from '../otlp/encode-traces.ts'
import { type Callable, chatSpan, sendSpans } from './spans.ts'

/** The name under which the bot reports its spans. */
export const RAG_BOT = 'Refund bot'

/** Sends traces of a bot that searches and answers: the search has the documents, the call has question and answer. */
export async function sendRagTraces(service: Callable, from: number, count: number): Promise<void> {
  const traces = Array.from({ length: count }, (_, at) => ragTrace(from + at))
  await sendSpans(service, traces.flat(), { resource: { 'service.name': RAG_BOT } })
}

/** Every second answer gives an address away. */
function ragTrace(at: number): TestSpan[] {
  const answer = at % 2 === 0 ? `Write to jane.doe${at}@example.com.` : `Refunds take ${at} days.`
  const call = chatSpan(`rag ${at}`, { prompt: `How long does refund ${at} take?`, completion: answer })
  const spanId = createHash('sha256').update(`search ${at}`).digest().subarray(0, 8)
  const search: TestSpan = {
    ...call,
    spanId,
    name: 'search',
    attributes: {
      'openinference.span.kind': 'RETRIEVER',
      'retrieval.documents.0.document.content': `Refund ${at} takes ${at} days.`,
    },
  }
  return [{ ...call, parentSpanId: spanId }, search]
}
