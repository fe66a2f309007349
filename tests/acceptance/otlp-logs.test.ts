import assert from 'node:assert/strict'
import http2 from 'node:http2'
import { after, test } from 'node:test'
import zlib from 'node:zlib'
import { startFakeModel } from '../../src/cli/fake-judge/fake-model-server.ts'
import { officialLogsRequest, officialLogsResponse } from '../otlp/official-definitions.ts'
import { FIRST_KEY } from '../support/call.ts'
import { framed, grpcCall, LOGS } from '../support/grpc-call.ts'
import { startService } from '../support/service.ts'
import { chatSpan, eventually, idsOf, sendSpans, untilStatus } from '../support/spans.ts'
import { createSetup } from './setup-calls.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Json = any

const model = await startFakeModel({ answer: () => ({ content: { mood: 'good' } }) })
const service = await startService(
  {
    ASSAY_CONTENT_WAIT_MS: '600000',
    ASSAY_JUDGE_BASE_URL: model.url,
    ASSAY_JUDGE_API_KEY: 'sk-test',
    ASSAY_SETUP_REST_MS: '0',
  },
  { withGrpc: true },
)
after(() => model.close())

const named = (name: string) => ({
  key: 'test.name',
  source: 'span_attributes',
  operator: 'equals',
  value: name,
})
const text = (value: string) => ({ stringValue: value })
const map = (entries: Record<string, string>) => ({
  kvlistValue: { values: Object.entries(entries).map(([key, value]) => ({ key, value: text(value) })) },
})

/** A span of a model call that says nothing of what was said. */
function silentSpan(name: string, test: string) {
  const { attributes: _, ...span } = chatSpan(name)
  return {
    ...span,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.system': 'openai',
      'gen_ai.request.model': 'gpt-4o',
      'test.name': test,
    },
  }
}

/** The log events of a span: a question and its answer. */
function records(name: string, { question = 'Why?', answer = 'Because of it.' } = {}) {
  const { trace_id: traceId, span_id: spanId } = idsOf(name)
  const of = { traceId, spanId, timeUnixNano: '1700000000000000000' }
  return [
    { ...of, eventName: 'gen_ai.user.message', body: map({ content: question }) },
    {
      ...of,
      eventName: 'gen_ai.choice',
      body: { kvlistValue: { values: [{ key: 'message', value: map({ content: answer }) }] } },
    },
  ]
}

const requestOf = (logRecords: readonly object[]) => ({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] })

async function sendLogs(logRecords: readonly object[]): Promise<Json> {
  const answer = await service.call('POST', '/v1/logs', { body: requestOf(logRecords) })
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

async function evaluationsOf(externalId: string): Promise<Json[]> {
  const answer = await service.call('GET', `/v2/evaluations?external_id=${externalId}`)
  return answer.json.evaluations
}

async function bound(externalId: string, body = {}): Promise<void> {
  const selector = [named(externalId)]
  await createSetup(service, { external_id: externalId, selector, evaluators: ['char-count'], ...body })
  // Bound with a span that carries everything itself.
  await sendSpans(service, [chatSpan(`${externalId} first`, { attributes: { 'test.name': externalId } })])
  await untilStatus(service, externalId, 'completed')
  await eventually(async () => (await evaluationsOf(externalId)).length === 1, 'the first span is scored')
}

const scoreOf = async (externalId: string, name: string): Promise<Json> =>
  (await evaluationsOf(externalId)).find(({ span_id: id }) => id === idsOf(name).span_id)

test('a span whose content came before it as log events is scored', async () => {
  await bound('logs-first')
  assert.deepEqual(await sendLogs(records('logs first', { answer: 'Seven!!' })), {})
  await sendSpans(service, [silentSpan('logs first', 'logs-first')])
  const { status, output } = await eventually(() => scoreOf('logs-first', 'logs first'), 'it is scored')
  assert.deepEqual([status, output], ['scored', { char_count: 7 }])
})

test('a span waits for its content, explain says so, and it is scored when the log events come', async () => {
  await bound('span-first')
  const { trace_id: trace, span_id: span } = idsOf('span first')
  await sendSpans(service, [silentSpan('span first', 'span-first')])
  const explained = await eventually(async () => {
    const { json } = await service.call('GET', `/v2/spans/${trace}/${span}/explain?external_id=span-first`)
    const entry = json.setups[0].evaluators[0]
    return entry.outcome === 'put_off' && entry
  }, 'it is put off')
  assert.match(explained.reason, /it carries no messages, and they may still come as log events/)
  assert.equal(await scoreOf('span-first', 'span first'), undefined)
  await sendLogs(records('span first', { answer: 'Six!!!' }))
  const { status, output, id } = await eventually(() => scoreOf('span-first', 'span first'), 'it is scored')
  assert.deepEqual([status, output], ['scored', { char_count: 6 }])
  const { json } = await service.call('GET', `/v2/evaluations/${id}`)
  assert.deepEqual(json.input, { text: 'Six!!!' })
})

test('a judged span waits for its content as well', async () => {
  const evaluator = {
    ...{ name: 'Mood', slug: 'mood', provider: 'openai', model: 'gpt-4o' },
    messages: [{ role: 'user', content: 'Which mood? {{completion}}' }],
    input_schema: [{ name: 'completion', type: 'string' }],
    output_schema: [{ name: 'mood', type: 'string' }],
  }
  assert.equal((await service.call('POST', '/v2/evaluators', { body: evaluator })).status, 200)
  await bound('judged', { evaluators: ['mood'] })
  await sendSpans(service, [silentSpan('judged', 'judged')])
  await eventually(async () => {
    const { trace_id: trace, span_id: span } = idsOf('judged')
    const { json } = await service.call('GET', `/v2/spans/${trace}/${span}/explain?external_id=judged`)
    return json.setups[0].evaluators[0].outcome === 'put_off'
  }, 'it is put off')
  await sendLogs(records('judged', { answer: 'All is well.' }))
  const { status, output } = await eventually(() => scoreOf('judged', 'judged'), 'it is scored')
  assert.deepEqual([status, output], ['scored', { mood: 'good' }])
})

test('a trace as a whole is scored with the content of its log events', async () => {
  const evaluator_configs = [{ slug: 'char-count', scope: 'trace' }]
  await bound('whole', { evaluators: undefined, evaluator_configs })
  await sendLogs(records('whole', { answer: 'Four' }))
  await sendSpans(service, [silentSpan('whole', 'whole')])
  const found = await eventually(async () => {
    const all = await evaluationsOf('whole')
    return all.find(({ trace_id: id }) => id === idsOf('whole').trace_id)
  }, 'it is scored')
  assert.deepEqual([found.status, found.output], ['scored', { char_count: 4 }])
})

test('a setup whose first spans come before their log events binds when these come', async () => {
  const selector = [named('unbound')]
  await createSetup(service, { external_id: 'unbound', selector, evaluators: ['char-count'] })
  await sendSpans(service, [silentSpan('unbound', 'unbound')])
  await untilStatus(service, 'unbound', 'failed')
  await sendLogs(records('unbound', { answer: 'Three' }))
  await untilStatus(service, 'unbound', 'completed')
  const { output } = await eventually(() => scoreOf('unbound', 'unbound'), 'it is scored')
  assert.deepEqual(output, { char_count: 5 })
})

test('the trace shows log events with their span, and deleting it deletes them', async () => {
  const { trace_id: trace } = idsOf('shown')
  await sendLogs(records('shown', { question: 'A question to find' }))
  await sendSpans(service, [silentSpan('shown', 'shown')])
  const shown = await eventually(async () => {
    const { status, json } = await service.call('GET', `/v2/traces/${trace}`)
    return status === 200 && json
  }, 'the trace is there')
  assert.match(JSON.stringify(shown), /A question to find/)
  assert.equal((await service.call('DELETE', `/v2/traces/${trace}`)).status, 202)
  assert.deepEqual(await sendLogs(records('shown', { question: 'Comes too late' })), {})
})

test('the same events are taken over gRPC, once however often they are sent', async () => {
  await bound('grpc')
  const bytes = (hex: string) => Buffer.from(hex, 'hex')
  const logRecords = records('grpc', { answer: 'Five.' }).map(({ traceId, spanId, ...rest }) => ({
    ...{ ...rest, traceId: bytes(traceId), spanId: bytes(spanId) },
  }))
  const message = officialLogsRequest.encode(officialLogsRequest.fromObject(requestOf(logRecords))).finish()
  const session = http2.connect(`http://${service.grpcAddress}`)
  after(() => session.destroy())
  for (let time = 0; time < 2; time++) {
    const { status, message: answer } = await grpcCall(session, LOGS, { parts: [framed(message)] })
    assert.deepEqual([status, answer?.length], [0, 0])
  }
  await sendSpans(service, [silentSpan('grpc', 'grpc')])
  const { output } = await eventually(() => scoreOf('grpc', 'grpc'), 'it is scored')
  assert.deepEqual(output, { char_count: 5 })
})

test('other logs are dropped and counted, and compressed protobuf is read', async () => {
  const counts = async () => {
    const { text: metrics } = await service.call('GET', '/metrics')
    return ['kept', 'dropped', 'rejected'].map((outcome) =>
      Number(new RegExp(`log_records_total\\{outcome="${outcome}"\\} (\\d+)`).exec(metrics)?.[1] ?? 0),
    )
  }
  const before = await counts()
  let deep: object = text('x')
  for (let depth = 0; depth < 40; depth++) deep = { arrayValue: { values: [deep] } }
  const [kept] = records('mixed') as [object]
  const bytes = (hex: string) => Buffer.from(hex, 'hex')
  const { trace_id: trace, span_id: span } = idsOf('mixed')
  const ids = { traceId: bytes(trace), spanId: bytes(span) }
  const given = [
    { ...kept, ...ids },
    { ...kept, ...ids, eventName: 'app.started' },
    { ...kept, ...ids, body: deep },
  ]
  const message = officialLogsRequest.encode(officialLogsRequest.fromObject(requestOf(given))).finish()
  const response = await fetch(`${service.url}/v1/logs`, {
    method: 'POST',
    body: zlib.gzipSync(message),
    headers: {
      authorization: `Bearer ${FIRST_KEY}`,
      'content-type': 'application/x-protobuf',
      'content-encoding': 'gzip',
    },
  })
  assert.equal(response.status, 200)
  const answer = officialLogsResponse.decode(new Uint8Array(await response.arrayBuffer()))
  const { partialSuccess } = officialLogsResponse.toObject(answer, { longs: Number })
  assert.equal(partialSuccess.rejectedLogRecords, 1)
  assert.match(partialSuccess.errorMessage, /^1 log records rejected: log record 2: .*nested deeper/)
  const [keptCount, dropped, rejected] = (await counts()).map((count, at) => count - (before[at] as number))
  assert.deepEqual([keptCount, dropped, rejected], [1, 1, 1])
})

test('400 for a body that is no request of logs', async () => {
  const { status, json } = await service.call('POST', '/v1/logs', { body: { resourceLogs: 7 } })
  assert.equal(status, 400)
  assert.match(json.error, /resourceLogs must be an array/)
})
