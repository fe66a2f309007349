import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, FIRST_KEY } from '../support/call.ts'
import { startRestingService } from '../support/service.ts'
import { assertError } from './setup-calls.ts'

const TOKEN = 'scraper-0123456789abcdef'

test('with access by key, /metrics opens to an admin key of the operator and to nobody else', async () => {
  const service = await startRestingService({ ASSAY_METRICS_ACCESS: 'key' })
  const read = (key: string | null) => service.call('GET', '/metrics', { key })
  assert.equal((await read(FIRST_KEY)).status, 200)
  assertError(await read(null), 401)
  assertError(await read('tl_nobody-knows-this-key'), 401)
  const made = await service.call('POST', '/v2/api-keys', { body: { name: 'reader', scopes: ['read'] } })
  assertError(await read(made.json.api_key), 403)
  const other = await service.call('POST', '/v2/organizations', { body: { org_name: 'other' } })
  assertError(await read(other.json.environments[0].api_key), 403)
  for (const path of ['/healthz', '/readyz'])
    assert.equal((await service.call('GET', path, { key: null })).status, 200)
})

test('with a token, /metrics opens to it, and it opens nothing else', async () => {
  const service = await startRestingService({ ASSAY_METRICS_TOKEN: TOKEN })
  assert.equal((await service.call('GET', '/metrics', { key: TOKEN })).status, 200)
  assert.equal((await service.call('GET', '/metrics')).status, 200)
  assertError(await service.call('GET', '/metrics', { key: `${TOKEN}0` }), 401)
  assertError(await service.call('GET', '/v2/evaluators', { key: TOKEN }), 401)
})

test('with a port of its own, /metrics is served there and nowhere else', async () => {
  const service = await startRestingService({ ASSAY_METRICS_PORT: '0', ASSAY_METRICS_HOST: '127.0.0.1' })
  const url = `http://${service.metricsAddress}`
  const { status, text } = await call(url, 'GET', '/metrics', { key: null })
  assert.equal(status, 200)
  assert.match(text, /^# HELP /)
  assert.equal((await call(url, 'GET', '/readyz', { key: null })).status, 200)
  assertError(await call(url, 'GET', '/v2/evaluators'), 404)
  assertError(await service.call('GET', '/metrics'), 404)
})
