import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { encodeTraces, type TestAttributes, type TestSpan, type TestValue } from '../otlp/encode-traces.ts'
import { startService } from '../support/service.ts'
import { eventually, untilStatus } from '../support/spans.ts'
import { createSetup } from './setup-calls.ts'

/** Recorded runs of agents that we may read but not pass on; see docs/quality.md. */
const DIRECTORY = path.resolve(import.meta.dirname, '../../../shared/data/raw/trail/traces')

interface RecordedSpan {
  trace_id: string
  span_id: string
  parent_span_id: string | null
  span_name: string
  timestamp: string
  scope_name: string
  resource_attributes: Record<string, unknown>
  span_attributes: Record<string, unknown>
  child_spans: RecordedSpan[]
}

const withChildren = (span: RecordedSpan): RecordedSpan[] => [span, ...span.child_spans.flatMap(withChildren)]

const attributesOf = (attributes: Record<string, unknown>): TestAttributes =>
  Object.fromEntries(
    Object.entries(attributes).map(([key, value]): [string, TestValue] => [
      key,
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
        ? value
        : JSON.stringify(value),
    ]),
  )

function toSpan(span: RecordedSpan): TestSpan {
  const startUnixNano = BigInt(Date.parse(span.timestamp)) * 1_000_000n
  return {
    traceId: Buffer.from(span.trace_id, 'hex'),
    spanId: Buffer.from(span.span_id, 'hex'),
    ...(span.parent_span_id === null ? {} : { parentSpanId: Buffer.from(span.parent_span_id, 'hex') }),
    name: span.span_name,
    kind: 1,
    startUnixNano,
    endUnixNano: startUnixNano + 1_000_000n,
    attributes: attributesOf(span.span_attributes),
  }
}

test('recorded agent traces are stored whole, and every model call in them is scored', async (t) => {
  if (!existsSync(DIRECTORY)) {
    t.skip('the recorded traces are not here: shared/data/raw/trail beside the checkout')
    return
  }
  const service = await startService()
  await createSetup(service, {
    external_id: 'model-calls',
    evaluators: ['char-count', 'word-count'],
    selector: [{ key: 'openinference.span.kind', value: 'LLM', source: 'span_attributes' }],
  })
  const traces = readdirSync(DIRECTORY).map((file) =>
    (JSON.parse(readFileSync(path.join(DIRECTORY, file), 'utf8')).spans as RecordedSpan[]).flatMap(
      withChildren,
    ),
  )
  assert.equal(traces.length, 5)
  for (const spans of traces) {
    const body = encodeTraces(
      spans.map((span) => ({
        resource: attributesOf(span.resource_attributes),
        scopes: [{ name: span.scope_name, spans: [toSpan(span)] }],
      })),
    )
    const headers = { 'content-type': 'application/x-protobuf' }
    const answer = await service.call('POST', '/v1/traces', { body, headers })
    assert.deepEqual([answer.status, answer.text], [200, ''])
  }
  const spans = traces.flat()
  const calls = spans.filter((span) => span.span_attributes['openinference.span.kind'] === 'LLM')
  assert.ok(calls.length > 20, `${calls.length} model calls`)
  await untilStatus(service, 'model-calls', 'completed')
  const found = await eventually(async () => {
    const { json } = await service.call('GET', '/v2/evaluations?limit=1000')
    return json.evaluations.length >= calls.length * 2 && json.evaluations
  }, 'all model calls are evaluated')
  const evaluated = new Set(found.map((row: { span_id: string }) => row.span_id))
  assert.deepEqual([...evaluated].toSorted(), calls.map(({ span_id }) => span_id).toSorted())
  // A call that was answered with tool calls alone has no text, and says so instead of counting 0.
  const hasText = (spanId: string) =>
    Object.entries(calls.find(({ span_id }) => span_id === spanId)?.span_attributes ?? {}).some(
      ([key, value]) => /^llm\.output_messages\.\d+\.message\.content$/.test(key) && value !== '',
    )
  for (const { span_id: spanId, status } of found) {
    assert.equal(status, hasText(spanId) ? 'scored' : 'missing_input')
  }

  const stored = await service.call('GET', '/v2/warehouse/spans?from_timestamp_sec=0&limit=1000')
  assert.equal(stored.json.spans.data.length, spans.length)
})
