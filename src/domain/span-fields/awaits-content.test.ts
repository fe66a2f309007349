import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AttributeValue, Span, SpanEvent } from '../../lib/otlp/span.ts'
import { awaitsContent } from './awaits-content.ts'

function span(attributes: Record<string, AttributeValue>, events: readonly SpanEvent[] = []): Span {
  return {
    ...{ traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceState: '', name: 'chat', kind: 3 },
    ...{ startUnixNano: 0n, endUnixNano: 0n, statusCode: 0, statusMessage: '' },
    ...{
      attributes: new Map(Object.entries(attributes)),
      resource: new Map(),
      scopeName: '',
      scopeVersion: '',
    },
    events,
  }
}

const call = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' }
const event: SpanEvent = {
  name: 'gen_ai.user.message',
  timeUnixNano: 1n,
  attributes: new Map([['content', 'Why?']]),
}

for (const [what, given, contents, expected] of [
  ['a call of a model without messages', span(call), 0, true],
  [
    'one that only names its provider',
    span({ 'gen_ai.system': 'openai', 'gen_ai.request.model': 'm' }),
    0,
    true,
  ],
  ['one with messages in its attributes', span({ ...call, 'gen_ai.prompt.0.content': 'Why?' }), 0, false],
  ['one with messages in its own events', span(call, [event]), 0, false],
  ['one whose messages came as log events', span(call, [event]), 1, true],
  [
    'a tool',
    span({ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.system': 'x', 'gen_ai.request.model': 'm' }),
    0,
    false,
  ],
  ['an embedding', span({ 'gen_ai.operation.name': 'embeddings' }), 0, false],
  ['a span of a database', span({ 'db.system': 'chroma' }), 0, false],
] as const) {
  test(`${what} ${expected ? 'waits for' : 'does not wait for'} log events`, () =>
    assert.equal(awaitsContent(given, contents), expected))
}
