import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FIRST_KEY } from '../support/call.ts'
import { startRestingService } from '../support/service.ts'
import { assertError, createSetup, readSetup, SETUPS, setupPath } from './setup-calls.ts'

const service = await startRestingService()
const idOf = async (sent?: string, path = '/healthz') => {
  const headers = sent === undefined ? {} : { 'x-request-id': sent }
  return (await service.call('GET', path, { headers })).headers.get('x-request-id')
}

test('200 for /healthz, /health and /readyz is JSON and needs no key', async () => {
  for (const path of ['/healthz', '/health', '/readyz']) {
    const answer = await service.call('GET', path, { key: null })
    assert.equal(answer.status, 200)
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
  }
})

test('200 for /metrics is the text format of Prometheus and needs no key', async () => {
  const answer = await service.call('GET', '/metrics', { key: null })
  assert.equal(answer.status, 200)
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain/)
  const sample = /^[a-zA-Z_:][a-zA-Z0-9_:]*(\{.*\})? (\+Inf|-Inf|NaN|-?[0-9.e+-]+)( \d+)?$/
  for (const line of answer.text.split('\n')) {
    if (line !== '' && !line.startsWith('#')) assert.match(line, sample)
  }
})

test('/metrics counts requests by route and holds neither ids nor keys', async () => {
  const externalId = 'metric-marker-5713'
  await createSetup(service, { external_id: externalId })
  await readSetup(service, externalId)
  await service.call('GET', `/v2/${externalId}`)
  const { text } = await service.call('GET', '/metrics')
  assert.match(text, /auto-monitor-setups/)
  assert.ok(!text.includes(externalId))
  assert.ok(!text.includes(FIRST_KEY))
})

test('every answer has a request id, and each its own', async () => {
  const seen = new Set<string>()
  for (const [method, path, options] of [
    ['GET', '/healthz', {}],
    ['GET', SETUPS, {}],
    ['GET', SETUPS, { key: null }],
    ['GET', '/v2/nope', {}],
    ['GET', `${SETUPS}/nobody`, {}],
    ['GET', `${SETUPS}/%zz`, {}],
    ['POST', SETUPS, { body: '{' }],
    ['PATCH', SETUPS, {}],
  ] as const) {
    const id = (await service.call(method, path, options)).headers.get('x-request-id')
    assert.ok(id, `${method} ${path}`)
    assert.ok(!seen.has(id), `${method} ${path}`)
    seen.add(id)
  }
})

test('a sane request id is echoed, also with an error', async () => {
  for (const id of ['abc-123', '01a1df27-3c5d-7000-8eac-9823415023d5', 'A_b.c-9']) {
    assert.equal(await idOf(id), id)
    assert.equal(await idOf(id, '/v2/nope'), id)
  }
})

for (const [name, id] of [
  ['long', 'x'.repeat(1000)],
  ['made of spaces and words', 'a b c'],
  ['markup', '<script>alert(1)</script>'],
  ['a forged log line', 'x","level":"fatal'],
  ['outside ASCII', 'caf\u00e9'],
] as const) {
  test(`a request id that is ${name} is replaced`, async () => {
    const answered = await idOf(id)
    assert.ok(answered)
    assert.notEqual(answered, id)
    assert.match(answered, /^[\w.:-]{8,128}$/)
  })
}

test('the log never holds a key or what is in a body', async () => {
  const marker = 'body-marker-8841'
  const stranger = 'tl_stranger-0123456789abcdef'
  const body = {
    external_id: 'logged',
    evaluators: ['char-count'],
    entity_value: marker,
    selector: { k: marker },
  }
  assert.equal((await service.call('POST', SETUPS, { body })).status, 201)
  await service.call('PUT', setupPath('logged'), { body: { entity_type: marker } })
  await service.call('POST', `${SETUPS}/bulk`, { body: { setups: [{ ...body, entity_type: marker }] } })
  assertError(await service.call('POST', SETUPS, { body: { ...body, evaluators: [marker] } }), 400)
  assertError(await service.call('POST', SETUPS, { body: `{"external_id":"${marker}"` }), 400)
  assertError(await service.call('POST', SETUPS, { body: `${marker} is not JSON` }), 400)
  assertError(await service.call('POST', SETUPS, { body: `{"${marker}":1,"${marker}":2}` }), 400)
  assertError(await service.call('GET', SETUPS, { key: stranger }), 401)
  const made = await service.call('POST', '/v2/api-keys', { body: { name: marker, scopes: ['read'] } })
  const organization = await service.call('POST', '/v2/organizations', { body: { org_name: marker } })
  const secrets = [FIRST_KEY, stranger, made.json.api_key, organization.json.environments[0].api_key, marker]
  assert.equal((await service.call('GET', SETUPS, { key: made.json.api_key })).status, 200)
  assert.ok(service.logLines.length > 0)
  for (const line of service.logLines) {
    for (const secret of secrets) assert.ok(!line.includes(secret), line)
  }
})

test('a request is found in the log by its id', async () => {
  await idOf('find-me-4711', SETUPS)
  assert.ok(service.logLines.some((line) => line.includes('find-me-4711')))
})

test('data and ids stay over a restart', async () => {
  const first = await startRestingService()
  const created = await createSetup(first, { external_id: 'stays', selector: { a: 1 } })
  await first.close()
  const second = await startRestingService({ ASSAY_DATA_DIR: first.dataDir })
  assert.deepEqual(await readSetup(second, 'stays'), created)
})

test('a shutdown finishes requests that are under way and then refuses', async () => {
  const other = await startRestingService()
  const calls = Array.from({ length: 10 }, (_, n) => createSetup(other, { external_id: `late-${n}` }))
  await Promise.race(calls)
  const closing = other.close()
  const results = await Promise.allSettled(calls)
  await closing
  await assert.rejects(other.call('GET', '/healthz'))
  const again = await startRestingService({ ASSAY_DATA_DIR: other.dataDir })
  for (const result of results) {
    if (result.status === 'fulfilled') assert.ok(await readSetup(again, result.value.external_id))
  }
})

test('an unknown setting is a warning and a bad one never starts', async () => {
  const other = await startRestingService({ ASSAY_COLOUR: 'red' })
  assert.equal((await other.call('GET', '/healthz')).status, 200)
  for (const [name, value] of [
    ['PORT', 'eighty'],
    ['PORT', '70000'],
    ['ASSAY_BODY_BYTES_MAX', '-1'],
    ['ASSAY_BODY_BYTES_MAX', '1.5'],
    ['ASSAY_LOG_LEVEL', 'loud'],
  ] as const) {
    await assert.rejects(startRestingService({ [name]: value }), new RegExp(name))
  }
})
