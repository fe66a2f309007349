import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testId } from '../otlp/encode-traces.ts'
import { startService } from '../support/service.ts'
import { eventually, sendSpans } from '../support/spans.ts'
import { assertError } from './setup-calls.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type Json = any

const service = await startService()
const AT_S = Math.floor(Date.now() / 1_000) - 100
const nano = (ms: number) => BigInt(AT_S * 1_000 + ms) * 1_000_000n
const hex = (length: number, number: number) => Buffer.from(testId(length, number)).toString('hex')
const span = (trace: number, number: number, ms: number, attributes: object, parent?: number) => ({
  ...{ traceId: testId(16, trace), spanId: testId(8, number), name: `span ${number}`, kind: 3 },
  ...{ startUnixNano: nano(ms), endUnixNano: nano(ms + 10), attributes: { ...attributes } },
  ...(parent === undefined ? {} : { parentSpanId: testId(8, parent) }),
})
const FINISHED = {
  'gen_ai.provider.name': 'openai',
  'gen_ai.response.finish_reasons': ['stop', 'length'],
  tags: ['a', 'b'],
}
await sendSpans(service, [
  // The call of the model arrives, and stands, before its parent.
  span(1, 12, 5, { 'gen_ai.request.model': 'gpt-4o' }, 11),
  span(1, 11, 6, { 'traceloop.workflow.name': 'support' }),
  span(2, 21, 3_000, { 'traceloop.workflow.name': 'billing' }),
  span(3, 31, 6_000, { 'gen_ai.request.model': 'gpt-4o', ...FINISHED }, 99),
])
const ROOTS = '/v2/projects/default/traces/root-spans'
await eventually(async () => (await roots({})).data.length === 3, 'the traces are summed up')

async function roots(body: object): Promise<Json> {
  const answer = await service.call('POST', ROOTS, { body })
  assert.equal(answer.status, 200, answer.text)
  return answer.json.root_spans
}

const ids = (spans: Json[]) => spans.map((one) => one.span_id)

test('200 shows the root spans of traces, newest first', async () => {
  const body = {
    ...{
      filters: [],
      logical_operator: 'and',
      environments: ['prd'],
      sort_by: 'timestamp',
      sort_order: 'DESC',
    },
    ...{ cursor: 0, limit: 50, from_timestamp_sec: AT_S, to_timestamp_sec: AT_S + 60 },
  }
  const { data, next_cursor: next } = await roots(body)
  assert.deepEqual([ids(data), next], [[hex(8, 31), hex(8, 21), hex(8, 11)], undefined])
  const [, billing] = data
  assert.deepEqual(
    [billing.trace_id, billing.span_name, billing.service_name, billing.timestamp, billing.duration],
    [hex(16, 2), 'span 21', 'shop', AT_S * 1_000 + 3_000, 10],
  )
  assert.deepEqual(ids((await roots({ ...body, sort_order: 'ASC' })).data), [
    hex(8, 11),
    hex(8, 21),
    hex(8, 31),
  ])
  assert.deepEqual(ids((await roots({ ...body, environments: ['production'] })).data), [])
  assert.deepEqual(ids((await roots({ ...body, to_timestamp_sec: AT_S + 3 })).data), [hex(8, 11)])
})

test('200 finds traces by any of their spans, page by page', async () => {
  const filters = [{ field: 'llm.request.model', operator: 'equals', value: 'gpt-4o', value_type: 'string' }]
  const first = await roots({ filters, limit: 1 })
  const second = await roots({ filters, limit: 1, cursor: first.next_cursor })
  assert.deepEqual([...ids(first.data), ...ids(second.data)], [hex(8, 31), hex(8, 11)])
})

test('200 finds spans, newest first and page by page', async () => {
  const find = async (body: object): Promise<Json> => {
    const answer = await service.call('POST', '/v2/projects/default/spans', { body })
    assert.equal(answer.status, 200, answer.text)
    return answer.json.spans
  }
  const body = {
    ...{ filters: [], logical_operator: 'and', environments: ['prd'], sort_by: 'timestamp' },
    ...{ sort_order: 'DESC', cursor: 0, from_timestamp_sec: AT_S, to_timestamp_sec: AT_S + 60 },
  }
  const first = await find({ ...body, limit: 3 })
  const second = await find({ ...body, limit: 3, cursor: first.next_cursor })
  assert.deepEqual([...ids(first.data).slice(0, 2), second.data.length], [hex(8, 31), hex(8, 21), 1].flat())
  assert.equal(new Set(ids([...first.data, ...second.data])).size, 4)
  const filters = [{ field: 'llm.request.model', operator: 'equals', value: 'gpt-4o', value_type: 'string' }]
  assert.deepEqual(ids((await find({ ...body, filters })).data), [hex(8, 31), hex(8, 12)])
  assert.deepEqual((await find({ ...body, environments: ['dev'] })).data, [])
  assert.equal((await find({})).data.length, 4)
})

test('200 shows finish reasons as the list they were, and other lists as text', async () => {
  const trace = await service.call('GET', `/v2/projects/default/traces/${hex(16, 3)}/spans`)
  const spans = await service.call('POST', '/v2/projects/default/spans', { body: { limit: 1 } })
  for (const shown of [trace.json.spans[0], (await roots({})).data[0], spans.json.spans.data[0]]) {
    assert.deepEqual(shown.span_attributes['gen_ai.response.finish_reasons'], ['stop', 'length'])
    assert.equal(shown.span_attributes['tags'], '["a","b"]')
  }
  const { json } = await service.call('GET', '/v2/warehouse/spans?limit=1')
  const [warehoused] = json.spans.data
  assert.equal(warehoused.span_attributes['gen_ai.response.finish_reasons'], '["stop","length"]')
})

test('200 shows the service and the vendor of a span under the names that the MCP server reads', async () => {
  const [billing] = (await roots({ limit: 2 })).data.slice(1)
  assert.equal(billing.span_attributes['service.name'], 'shop')
  assert.ok(!('llm.vendor' in billing.span_attributes))
  const { json } = await service.call('GET', `/v2/projects/default/traces/${hex(16, 3)}/spans`)
  assert.equal(json.spans[0].span_attributes['llm.vendor'], 'openai')
  assert.equal(json.spans[0].span_attributes['gen_ai.provider.name'], 'openai')
})

test('400 names what is wrong', async () => {
  for (const [body, message] of [
    [{ cursor: 7 }, /cursor/],
    [{ limit: 1_001 }, /limit must be at most 1000/],
    [{ filters: [{ field: 'a', operator: 'near', value: 'b' }] }, /filters\[0\]\.operator must be one of/],
  ] as const) {
    assertError(await service.call('POST', ROOTS, { body }), 400, message)
  }
})

test('200 lists the spans of a trace, and null for one that is not there', async () => {
  const path = (id: string) => `/v2/projects/default/traces/${id}/spans`
  const { json } = await service.call('GET', path(hex(16, 1)))
  assert.deepEqual(
    json.spans.map((one: Json) => [one.span_id, one.parent_span_id]),
    [
      [hex(8, 12), hex(8, 11)],
      [hex(8, 11), undefined],
    ],
  )
  for (const id of ['00'.repeat(16), 'nonsense']) {
    const { status, json: none } = await service.call('GET', path(id))
    assert.deepEqual([status, none], [200, { spans: null }])
  }
})

test('200 lists the names of workflows', async () => {
  const path = '/v2/projects/default/spans/workflow-names'
  assert.deepEqual((await service.call('GET', path)).json, ['billing', 'support'])
  const early = `start_time=${AT_S * 1_000}&end_time=${AT_S * 1_000 + 500}`
  assert.deepEqual((await service.call('GET', `${path}?${early}`)).json, ['support'])
})

test('others see nothing of it', async () => {
  const { json } = await service.call('POST', '/v2/organizations', { body: { org_name: 'Foreigner' } })
  const key = json.environments[0].api_key
  assert.deepEqual((await service.call('POST', ROOTS, { body: {}, key })).json.root_spans.data, [])
  const spans = await service.call('GET', `/v2/projects/default/traces/${hex(16, 1)}/spans`, { key })
  assert.deepEqual(spans.json, { spans: null })
  const names = await service.call('GET', '/v2/projects/default/spans/workflow-names', { key })
  assert.deepEqual(names.json, [])
})
