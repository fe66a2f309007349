import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRestingService } from '../support/service.ts'
import { assertError } from './setup-calls.ts'

const service = await startRestingService()
const PROMPTS = '/v1/traceloop/prompts'
const ALLOW_LIST = '/v1/traceloop/pii/tracing-allow-list'

async function keyWith(body: object): Promise<string> {
  const { status, json } = await service.call('POST', '/v2/api-keys', { body })
  assert.equal(status, 201)
  return json.api_key
}

test('200 has no prompts and names the environment of the key', async () => {
  assert.deepEqual((await service.call('GET', PROMPTS)).json, { prompts: [], environment: 'prd' })
  const [project] = (await service.call('GET', '/v2/projects')).json.projects
  const path = `/v2/projects/${project.id}/environments`
  assert.equal((await service.call('POST', path, { body: { slug: 'stg' } })).status, 201)
  const key = await keyWith({ environment: 'stg', scopes: ['ingest'] })
  assert.deepEqual((await service.call('GET', PROMPTS, { key })).json, { prompts: [], environment: 'stg' })
})

test('200 has an empty allow-list', async () => {
  const key = await keyWith({ scopes: ['ingest'] })
  const { status, json } = await service.call('GET', ALLOW_LIST, { key })
  assert.deepEqual([status, json], [200, { associationPropertyAllowList: [] }])
})

test('401 without a key, 403 for a key that neither sends nor reads', async () => {
  const writer = await keyWith({ scopes: ['write'] })
  for (const path of [PROMPTS, ALLOW_LIST]) {
    assertError(await service.call('GET', path, { key: null }), 401, 'Unauthorized')
    assertError(await service.call('GET', path, { key: writer }), 403, /scope/)
  }
})
