import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { TestSpan } from '../otlp/encode-traces.ts'
import { startService } from '../support/service.ts'
import { eventually, sendSpans } from '../support/spans.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type Json = any

const service = await startService()
const START_NANO = BigInt(Math.floor(Date.now() / 1_000) - 60) * 1_000_000_000n
const EVENTS = 130

/** The spans of a trace that is made of this one. */
async function spansOf(name: string, rest: Partial<TestSpan>): Promise<Json[]> {
  const digest = createHash('sha256').update(name).digest()
  const span: TestSpan = {
    traceId: digest.subarray(0, 16),
    spanId: digest.subarray(16, 24),
    name,
    kind: 1,
    startUnixNano: START_NANO + 250_000n,
    endUnixNano: START_NANO + 2_000_000n,
    ...rest,
  }
  await sendSpans(service, [span])
  return eventually(async () => {
    const { status, json } = await service.call('GET', `/v2/traces/${digest.toString('hex', 0, 16)}`)
    return status === 200 && json.spans
  }, 'the trace is summed up')
}

test('200 tells when a span began to the fraction of a millisecond, and what happened during it', async () => {
  const failure = { name: 'exception', timeUnixNano: START_NANO + 1_250_000n }
  const [span] = await spansOf('thrown', {
    events: [{ ...failure, attributes: { 'exception.message': 'no more', attempt: 3 } }],
  })
  assert.equal(span.start_ms, Number(START_NANO / 1_000_000n) + 0.25)
  assert.deepEqual(span.events, [
    { name: 'exception', at_ms: 1, attributes: { 'exception.message': 'no more', attempt: '3' } },
  ])
  assert.equal(span.event_count, 1)
})

test('200 shows the first events of very many, and says how many there are', async () => {
  const event = (at: number) => ({ name: `event ${at}`, timeUnixNano: START_NANO, attributes: {} })
  const [span] = await spansOf('busy', { events: Array.from({ length: EVENTS }, (_, at) => event(at)) })
  assert.deepEqual([span.events.length, span.events[99].name, span.event_count], [100, 'event 99', EVENTS])
})

test('200 shows documents, calls of tools and their results, whatever dialect the span speaks', async () => {
  const [retrieval] = await spansOf('retrieval', {
    attributes: {
      'openinference.span.kind': 'RETRIEVER',
      'retrieval.documents.0.document.content': 'Refunds take five days.',
    },
  })
  assert.deepEqual(retrieval.documents, ['Refunds take five days.'])
  const [tool] = await spansOf('tool', {
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'lookup',
      'gen_ai.tool.call.id': 'call_1',
      'gen_ai.tool.call.arguments': '{"order":7}',
      'gen_ai.tool.call.result': 'shipped',
    },
  })
  assert.deepEqual(tool.tool_calls, [{ name: 'lookup', id: 'call_1', arguments: '{"order":7}' }])
  assert.deepEqual(tool.tool_results, [{ name: 'lookup', id: 'call_1', result: 'shipped' }])
  assert.deepEqual(tool.documents, [])
})
