import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRestingService } from '../support/service.ts'
import { newSpan, sendSpans } from './result-calls.ts'
import { assertError } from './setup-calls.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type Json = any

const service = await startRestingService()

async function post(path: string, body: object, key?: string): Promise<Json> {
  const answer = await service.call('POST', path, { body, ...(key === undefined ? {} : { key }) })
  assert.equal(answer.status, 201, answer.text)
  return answer.json
}

async function get(path: string, key: string): Promise<Json> {
  const answer = await service.call('GET', path, { key })
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

async function newTenant(): Promise<string[]> {
  const { environments } = await post('/v2/organizations', { org_name: 'Tenant', envs: ['prd', 'stg'] })
  return environments.map(({ api_key: secret }: Json) => secret)
}

const START_MS = Date.now() - 60_000
const [key = '', stagingKey = ''] = await newTenant()
const [strangerKey = ''] = await newTenant()
await sendSpans(
  service,
  [
    newSpan({
      startMs: START_MS,
      attributes: { 'app.team': 'search', 'app.tries': 3, long: 'x'.repeat(9_000) },
    }),
    newSpan({ startMs: START_MS + 1_000, attributes: { 'app.team': 'search', 'app.ok': true } }),
    newSpan({ startMs: START_MS + 2_000, answer: 'Fine.', attributes: { 'app.team': 'Sales' } }),
  ],
  { key, resource: { 'service.name': 'shop' } },
)
await sendSpans(service, [newSpan({ attributes: { 'staging.only': 'yes' } })], { key: stagingKey })

const PATH = '/v2/span-attributes'
const VALUES = `${PATH}/values`

test('200 lists the attributes of spans and of resources, the most frequent first', async () => {
  const { attributes, ...rest } = await get(PATH, key)
  assert.deepEqual(attributes.slice(0, 2), [
    { source: 'span_attributes', key: 'app.team', spans: 3, examples: attributes[0].examples },
    { source: 'resource_attributes', key: 'service.name', spans: 3, examples: ['shop'] },
  ])
  assert.deepEqual(attributes[0].examples.toSorted(), ['Sales', 'search'])
  assert.deepEqual(rest, {
    spans_sampled: 3,
    from: new Date(START_MS).toISOString(),
    to: new Date(START_MS + 2_000).toISOString(),
  })
  const seen = Object.fromEntries(attributes.map((each: Json) => [each.key, each]))
  assert.deepEqual(seen['app.tries'].examples, ['3'])
  assert.deepEqual(seen['app.ok'].examples, ['true'])
  assert.deepEqual(seen['gen_ai.completion.0.content'].examples, ['Fine.'])
  assert.equal(seen['long'].examples[0].length, 120)
})

test('q looks in the names in upper and lower case, and limit cuts the list', async () => {
  const names = async (query: string) =>
    (await get(`${PATH}?${query}`, key)).attributes.map((each: Json) => each.key)
  assert.deepEqual((await names('q=APP.')).toSorted(), ['app.ok', 'app.team', 'app.tries'])
  assert.deepEqual(await names('q=app&limit=1'), ['app.team'])
  assert.deepEqual(await names('q=nobody-has-this'), [])
})

test('200 lists the values of an attribute as rules compare them', async () => {
  assert.deepEqual(await get(`${VALUES}?key=app.team`, key), {
    values: [
      { value: 'search', is_cut: false, spans: 2 },
      { value: 'Sales', is_cut: false, spans: 1 },
    ],
    spans_sampled: 3,
  })
  const { values } = await get(`${VALUES}?source=resource_attributes&key=service.name`, key)
  assert.deepEqual(values, [{ value: 'shop', is_cut: false, spans: 3 }])
  assert.deepEqual((await get(`${VALUES}?key=service.name`, key)).values, [])
  assert.deepEqual(
    (await get(`${VALUES}?key=app.team&q=SEA`, key)).values.map(({ value }: Json) => value),
    ['search'],
  )
  const [long] = (await get(`${VALUES}?key=long`, key)).values
  assert.deepEqual([long.is_cut, long.value.length], [true, 500])
})

test('nothing is shown of another environment or of another organization', async () => {
  const staging = await get(PATH, stagingKey)
  assert.deepEqual(
    staging.attributes.map((each: Json) => each.key),
    ['service.name', 'staging.only'],
  )
  assert.equal(staging.spans_sampled, 1)
  assert.deepEqual((await get(`${VALUES}?key=app.team`, stagingKey)).values, [])
  const nothing = { attributes: [], spans_sampled: 0, from: null, to: null }
  assert.deepEqual(await get(PATH, strangerKey), nothing)
  assert.deepEqual(await get(`${VALUES}?key=app.team`, strangerKey), { values: [], spans_sampled: 0 })
})

test('a name that a span repeats counts once, with its last value', async () => {
  const [own = ''] = await newTenant()
  const { traceId, spanId, startMs } = newSpan({})
  const times = { startTimeUnixNano: `${startMs}000000`, endTimeUnixNano: `${startMs}000000` }
  const attributes = ['one', 'two'].map((text) => ({ key: 'twice', value: { stringValue: text } }))
  const spans = [{ traceId, spanId, name: 'chat', ...times, attributes }]
  const sent = await service.call('POST', '/v1/traces', {
    key: own,
    body: { resourceSpans: [{ scopeSpans: [{ spans }] }] },
  })
  assert.equal(sent.status, 200, sent.text)
  assert.deepEqual((await get(PATH, own)).attributes, [
    { source: 'span_attributes', key: 'twice', spans: 1, examples: ['two'] },
  ])
})

test('what was deleted is no longer shown', async () => {
  const [own = ''] = await newTenant()
  const gone = newSpan({ attributes: { 'deleted.attribute': 'yes' } })
  await sendSpans(service, [gone, newSpan({ attributes: { kept: 'yes' } })], { key: own })
  const { attributes: before } = await get(`${PATH}?q=deleted`, own)
  assert.equal(before.length, 1)
  const deleted = await service.call('DELETE', `/v2/traces/${gone.traceId}`, { key: own })
  assert.ok(deleted.status < 300, deleted.text)
  assert.deepEqual((await get(`${PATH}?q=deleted`, own)).attributes, [])
  assert.deepEqual((await get(`${VALUES}?key=deleted.attribute`, own)).values, [])
})

test('no more than 1,000 spans are looked at, the newest ones', async () => {
  const [own = ''] = await newTenant()
  const batch = (name: string, count: number, startMs: number) =>
    sendSpans(
      service,
      Array.from({ length: count }, () => newSpan({ startMs, attributes: { [name]: 'yes' } })),
      { key: own },
    )
  await batch('older', 600, START_MS)
  await batch('newer', 700, START_MS + 10_000)
  const { attributes, spans_sampled } = await get(PATH, own)
  assert.equal(spans_sampled, 1_000)
  const counts = Object.fromEntries(attributes.map((each: Json) => [each.key, each.spans]))
  assert.deepEqual(counts, { 'service.name': 1_000, newer: 700, older: 300 })
})

test('400 for a bad limit, a bad source and a missing key; 403 without the scope', async () => {
  assertError(await service.call('GET', `${PATH}?limit=0`, { key }), 400, /limit/)
  assertError(await service.call('GET', `${VALUES}?key=a&source=events`, { key }), 400, /source/)
  assertError(await service.call('GET', VALUES, { key }), 400, /key/)
  const { api_key: sender } = await post('/v2/api-keys', { name: 'sender', scopes: ['ingest'] }, key)
  assertError(await service.call('GET', PATH, { key: sender }), 403)
})
