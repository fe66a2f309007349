import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FIRST_KEY } from '../support/call.ts'
import { startService } from '../support/service.ts'
import { createGroupSetup, GROUP, monitorOf, newSpan, resultsOf, sendSpans, until } from './result-calls.ts'
import { assertError } from './setup-calls.ts'

const service = await startService()

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Json = any

async function post(path: string, body: object, key = FIRST_KEY): Promise<Json> {
  const answer = await service.call('POST', path, { body, key })
  assert.equal(answer.status, 201, answer.text)
  return answer.json
}

// The owner has two environments; strangers are another organization and another project of the same one.
const owner = await post('/v2/organizations', { org_name: 'Owner', envs: ['prd', 'stg'] })
const [key, stagingKey]: string[] = owner.environments.map(({ api_key: secret }: Json) => secret)
const foreigner = await post('/v2/organizations', { org_name: 'Foreigner' })
const project = await post('/v2/projects', { name: 'Sister' }, key)
const sister = await post(
  '/v2/api-keys',
  { project_id: project.id, scopes: ['read', 'ingest', 'write'] },
  key,
)
const strangers = {
  'another organization': foreigner.environments[0].api_key,
  'another project': sister.api_key,
}

const span = newSpan({ answer: 'a secret', attributes: { [GROUP]: 'own', 'secret.attribute': 'yes' } })
await createGroupSetup(service, 'own', { evaluators: ['char-count'] }, key)
await createGroupSetup(service, 'staging', { evaluators: ['char-count'] }, stagingKey)
const resource = { 'service.name': 'shop', 'service.version': '1.0' }
await sendSpans(service, [span], { key: key ?? '', resource })
const [result] = await resultsOf(service, 'own', 1, key)
const fromS = Math.floor(span.startMs / 1_000) - 60

async function get(path: string, secret: string): Promise<Json> {
  const answer = await service.call('GET', path, { key: secret })
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

for (const [who, stranger] of Object.entries(strangers)) {
  test(`nothing of it is shown to ${who}`, async () => {
    const filters = [
      '',
      'external_id=own',
      `monitor_id=${result.monitor_id}`,
      'evaluator_type=char-count',
      'status=scored',
      `trace_id=${result.trace_id}`,
      `span_id=${result.span_id}`,
      'application=shop',
      'history=true',
    ]
    for (const filter of filters) {
      assert.deepEqual(await get(`/v2/evaluations?${filter}`, stranger), { evaluations: [] })
    }
    assert.deepEqual(await get('/v2/deployments', stranger), { deployments: [] })
    assert.deepEqual(await get('/v2/monitors', stranger), { monitors: [] })
    assert.deepEqual(await get('/v2/metrics_hwm', stranger), {})
    const none = { metrics: { data: [], total_points: 0, total_results: 0 } }
    assert.deepEqual(await get('/v2/metrics', stranger), none)
    const posted = await service.call('POST', '/v2/metrics', {
      key: stranger,
      body: { metric_name: 'char_count' },
    })
    assert.deepEqual(posted.json, none)
    const { status, latest_span_received: latest, ...rest } = await get('/v2/monitoring/status', stranger)
    assert.deepEqual([status, latest, rest.lag_in_spans], ['ERROR', undefined, 0])
    const { spans } = await get(`/v2/warehouse/spans?from_timestamp_sec=${fromS}`, stranger)
    assert.deepEqual(spans.data, [])
    for (const path of [
      `/v2/evaluations/${result.id}`,
      `/v2/monitors/${result.monitor_id}`,
      `/v2/monitors/${result.monitor_id}/series`,
    ]) {
      assertError(await service.call('GET', path, { key: stranger }), 404, /not found$/)
    }
  })
}

test('every key of the project sees the results of all of its environments, and can tell them apart', async () => {
  const staged = newSpan({ answer: 'longer text', attributes: { [GROUP]: 'staging' } })
  await sendSpans(service, [staged], { key: stagingKey ?? '' })
  await resultsOf(service, 'staging', 1, key)
  for (const secret of [key ?? '', stagingKey ?? '']) {
    assert.equal((await get('/v2/evaluations', secret)).evaluations.length, 2)
    assert.equal((await get('/v2/monitors', secret)).monitors.length, 2)
    const { data } = (await get('/v2/metrics?environments=stg', secret)).metrics
    assert.deepEqual(
      data[0].points.map(({ numeric_value: value, labels }: Json) => [value, labels.environment]),
      [[11, 'stg']],
    )
    assert.equal((await get('/v2/metrics', secret)).metrics.total_points, 2)
    const path = `/v2/warehouse/spans?from_timestamp_sec=${fromS}`
    assert.equal((await get(path, secret)).spans.total_results, 2)
    const { spans } = await get(`${path}&environments=stg`, secret)
    assert.deepEqual(
      spans.data.map(({ span_id: id, environment }: Json) => [id, environment]),
      [[staged.spanId, 'stg']],
    )
  }
  const staging = await get('/v2/monitoring/status?environment=stg', key ?? '')
  assert.equal(staging.status, 'OK')
})

test('a span of one environment is not taken by a setup of another', async () => {
  await sendSpans(service, [newSpan({ answer: 'x', attributes: { [GROUP]: 'staging' } })], { key: key ?? '' })
  await sendSpans(service, [newSpan({ answer: 'y', attributes: { [GROUP]: 'own' } })], { key: key ?? '' })
  await resultsOf(service, 'own', 2, key)
  await until(service, '/v2/monitoring/status', ({ lag_in_spans: waiting }) => waiting === 0, key)
  assert.equal((await get('/v2/evaluations?external_id=staging', key ?? '')).evaluations.length, 1)
})

test('401 without a key and 403 without the scope read, on every route', async () => {
  const { api_key: ingestOnly } = await post('/v2/api-keys', { scopes: ['ingest'] }, key)
  const monitorId = await monitorOf(service, 'own', 'char-count', key)
  const routes: [string, string][] = [
    ['GET', '/v2/evaluations'],
    ['GET', `/v2/evaluations/${result.id}`],
    ['GET', '/v2/monitors'],
    ['GET', `/v2/monitors/${monitorId}`],
    ['GET', `/v2/monitors/${monitorId}/series`],
    ['GET', '/v2/metrics'],
    ['POST', '/v2/metrics'],
    ['GET', '/v2/metrics_hwm'],
    ['GET', '/v2/monitoring/status'],
    ['GET', '/v2/warehouse/spans?from_timestamp_sec=0'],
  ]
  for (const [method, path] of routes) {
    const body = method === 'POST' ? { body: {} } : {}
    assertError(await service.call(method, path, { key: null, ...body }), 401, 'Unauthorized')
    assertError(await service.call(method, path, { key: ingestOnly, ...body }), 403, /read/)
  }
})
