import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeTraces, type TestAttributes, type TestSpan, testId } from '../../tests/otlp/encode-traces.ts'
import { scanStoredTraces } from '../lib/otlp/scan-traces.ts'
import { boundedName } from './bounded-name.ts'
import { digestSpans } from './digest-spans.ts'
import { listUnits } from './unit-set.ts'

const START_MS = 1_800_000_000_000

function span(
  trace: number,
  number: number,
  attributes: TestAttributes,
  rest: Partial<TestSpan> = {},
): TestSpan {
  const startUnixNano = BigInt(START_MS + number) * 1_000_000n
  return {
    traceId: testId(16, trace),
    spanId: testId(8, number),
    name: `span ${number}`,
    startUnixNano,
    endUnixNano: startUnixNano + 50_000_000n,
    attributes,
    ...rest,
  }
}

function digest(spans: readonly TestSpan[], repeated: readonly number[] = [], resource: TestAttributes = {}) {
  const bytes = encodeTraces([{ resource: { 'service.name': 'shop', ...resource }, scopes: [{ spans }] }])
  return digestSpans(7, scanStoredTraces(Buffer.from(bytes), []), new Set(repeated))
}

test('sums up the spans of each trace', () => {
  const { batchId, traces } = digest([
    span(1, 1, { 'session.id': 'talk' }),
    span(2, 2, {}, { parentSpanId: testId(8, 99), status: { code: 2 } }),
    span(
      1,
      3,
      { 'gen_ai.request.model': 'gpt-4o', 'gen_ai.usage.input_tokens': 10, 'gen_ai.usage.output_tokens': 4 },
      { parentSpanId: testId(8, 1) },
    ),
  ])
  assert.equal(batchId, 7)
  const [one, two] = traces
  assert.deepEqual(one && { ...one, units: listUnits(one.units) }, {
    ...{ traceId: Buffer.from(testId(16, 1)).toString('hex'), units: [0, 2], spanCount: 2, errorCount: 0 },
    ...{ firstMs: START_MS + 1, lastMs: START_MS + 53, rootName: 'span 1', service: 'shop' },
    ...{ sessionId: 'talk', model: 'gpt-4o', modelCalls: 1, promptTokens: 10, completionTokens: 4 },
    models: new Map([
      ['gpt-4o', { calls: 1, errors: 0, countedCalls: 1, promptTokens: 10, completionTokens: 4 }],
    ]),
    isComplete: false,
  })
  assert.deepEqual([two?.errorCount, two?.rootName, two?.modelCalls], [1, undefined, 0])
})

test('counts calls of models by minute, service and model, with how long they took', () => {
  const call = { 'gen_ai.response.model': 'm', 'llm.usage.prompt_tokens': '3' }
  const { usage } = digest([
    span(1, 1, call),
    span(1, 2, { ...call, 'gen_ai.operation.name': 'chat' }, { status: { code: 2 } }),
    span(1, 60_001, call),
    span(1, 4, { 'http.method': 'GET' }),
  ])
  const minute = Math.floor((START_MS + 1) / 60_000)
  assert.deepEqual(usage, [
    {
      ...{ minute, service: 'shop', model: 'm', calls: 2, errors: 1, countedCalls: 2 },
      ...{ promptTokens: 6, completionTokens: 0, durationsMs: [50, 50] },
    },
    {
      ...{ minute: minute + 1, service: 'shop', model: 'm', calls: 1, errors: 0, countedCalls: 1 },
      ...{ promptTokens: 3, completionTokens: 0, durationsMs: [50] },
    },
  ])
})

for (const [name, attributes] of [
  ['an agent', { 'gen_ai.request.model': 'm', 'gen_ai.operation.name': 'invoke_agent' }],
  ['a guard', { 'gen_ai.request.model': 'm', 'gen_ai.operation.name': 'guard' }],
  [
    "the wrapper of Vercel's SDK",
    { 'ai.model.id': 'm', 'ai.operationId': 'ai.generateText', 'ai.usage.inputTokens': 5 },
  ],
] as const) {
  test(`does not take ${name} for a call of a model`, () => {
    const { traces, usage } = digest([span(1, 1, attributes)])
    assert.deepEqual([usage, traces[0]?.modelCalls, traces[0]?.promptTokens], [[], 0, 0])
  })
}

test("takes the inner span of Vercel's SDK for the call", () => {
  const attributes = {
    'ai.model.id': 'm',
    'ai.operationId': 'ai.generateText.doGenerate',
    'ai.usage.inputTokens': 5,
  }
  assert.equal(digest([span(1, 1, attributes)]).traces[0]?.promptTokens, 5)
})

test('leaves out spans that came before', () => {
  const { traces } = digest([span(1, 1, {}), span(2, 2, {})], [0])
  assert.deepEqual(
    traces.map(({ units }) => listUnits(units)),
    [[1]],
  )
})

test('finds the session on the resource, and the mark of a complete trace', () => {
  const [trace] = digest([span(1, 1, { 'assay.trace.complete': true })], [], { 'session.id': 'phone' }).traces
  assert.deepEqual([trace?.sessionId, trace?.isComplete], ['phone', true])
})

test('takes nonsense in the place of a number for nothing', () => {
  const attributes = {
    'gen_ai.request.model': 'm',
    'gen_ai.usage.input_tokens': 'many',
    'gen_ai.usage.output_tokens': -3,
  }
  const [trace] = digest([span(1, 1, attributes)]).traces
  assert.deepEqual([trace?.promptTokens, trace?.completionTokens], [0, 0])
  assert.equal(trace?.models.get('m')?.countedCalls, 0, 'nobody knows how many tokens it took')
})

test('bounds the names that spans bring', () => {
  const name = (what: string) => what.repeat(1_000)
  const attributes = { 'session.id': name('session'), 'gen_ai.request.model': name('model') }
  const {
    traces: [trace],
    usage: [use],
  } = digest([span(1, 1, attributes, { name: name('root') })], [], { 'service.name': name('service') })
  assert.deepEqual(
    [trace?.sessionId, trace?.model, trace?.rootName, trace?.service],
    ['session', 'model', 'root', 'service'].map((what) => boundedName(name(what))),
  )
  assert.deepEqual([...(trace?.models.keys() ?? [])], [boundedName(name('model'))])
  assert.deepEqual([use?.model, use?.service], [boundedName(name('model')), boundedName(name('service'))])
  const [inResource] = digest([span(2, 2, {})], [], { 'session.id': name('session') }).traces
  assert.equal(inResource?.sessionId, boundedName(name('session')))
})

test('believes no number of tokens that no call can take', () => {
  const { traces } = digest([
    span(1, 1, { 'gen_ai.request.model': 'm', 'gen_ai.usage.input_tokens': '1e300' }),
    span(2, 2, { 'gen_ai.request.model': 'm', 'gen_ai.usage.input_tokens': 1e9 }),
  ])
  assert.deepEqual(
    traces.map(({ promptTokens, models }) => [promptTokens, models.get('m')?.countedCalls]),
    [
      [0, 0],
      [1e9, 1],
    ],
  )
})

test('tells when the first span began that says so, and ends no trace before a span of it has begun', () => {
  const at = (ms: number, endMs: number) => ({
    startUnixNano: BigInt(ms) * 1_000_000n,
    endUnixNano: BigInt(endMs) * 1_000_000n,
  })
  const [trace, timeless] = digest([
    span(1, 1, {}, at(START_MS + 5, 0)),
    span(1, 2, {}, at(0, 0)),
    span(1, 3, {}, at(START_MS + 2, START_MS + 3)),
    span(2, 4, {}, at(0, 0)),
  ]).traces
  assert.deepEqual([trace?.firstMs, trace?.lastMs], [START_MS + 2, START_MS + 5])
  assert.deepEqual([timeless?.firstMs, timeless?.lastMs], [0, 0])
})

test('tells the versions that spans came from, with the times of their starts', () => {
  const spans = [span(1, 5, {}), span(1, 2, {}), { ...span(1, 9, {}), startUnixNano: 0n }, span(1, 99, {})]
  const { deployments } = digest(spans, [3], { 'service.version': '1.2' })
  const seen = { firstMs: START_MS + 2, lastMs: START_MS + 5 }
  assert.deepEqual(deployments, [{ application: 'shop', version: '1.2', ...seen }])
  assert.equal(digest(spans).deployments, undefined)
  const unnamed = { 'service.name': 'unknown_service:node', 'service.version': '1.2' }
  assert.equal(digest(spans, [], unnamed).deployments, undefined)
})
