import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { startRestingService, startService } from '../support/service.ts'
import { assertError } from './setup-calls.ts'

const service = await startRestingService({ ASSAY_RETENTION_HOURS: '500' })
const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')

async function post(path: string, body: object, key?: string) {
  const answer = await service.call('POST', path, { body, ...(key === undefined ? {} : { key }) })
  assert.equal(answer.status, 201, answer.text)
  return answer.json
}

const whoami = async (key?: string) => {
  const answer = await service.call('GET', '/v2/whoami', key === undefined ? {} : { key })
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

test('200 tells the first key what it stands for', async () => {
  const told = await whoami()
  assert.equal(told.org_name, 'Default organization')
  assert.equal(told.is_operator, true)
  assert.equal(told.project.slug, 'default')
  assert.equal(told.environment, 'prd')
  assert.deepEqual(told.key.scopes, ['ingest', 'read', 'write', 'admin'])
  assert.equal(told.judge, 'embedded')
  assert.equal(told.version, JSON.parse(manifest).version)
  assert.deepEqual(told.otlp, { http_path: '/v1/traces', grpc_port: null })
})

test('200 tells every tenant its own names, whatever the scopes of its key', async () => {
  const one = await post('/v2/organizations', { org_name: 'One', envs: ['prd', 'stg'], retention_hours: 24 })
  const two = await post('/v2/organizations', { org_name: 'Two' })
  const adminKey: string = one.environments[1].api_key
  const project = await post('/v2/projects', { name: 'Second', environments: ['dev'] }, adminKey)
  for (const scope of ['ingest', 'read', 'write', 'admin']) {
    const made = await post(
      '/v2/api-keys',
      { name: `for ${scope}`, project_id: project.id, environment: 'dev', scopes: [scope] },
      adminKey,
    )
    const told = await whoami(made.api_key)
    assert.deepEqual(
      {
        org_id: told.org_id,
        org_name: told.org_name,
        is_operator: told.is_operator,
        project: told.project,
        environment: told.environment,
        env_project_id: told.env_project_id,
        key: told.key,
        retention_hours: told.retention_hours,
      },
      {
        org_id: one.org_id,
        org_name: 'One',
        is_operator: false,
        project: { id: project.id, name: 'Second', slug: project.slug },
        environment: 'dev',
        env_project_id: made.env_project_id,
        key: { id: made.id, name: `for ${scope}`, scopes: [scope] },
        retention_hours: 24,
      },
    )
  }
  const other = await whoami(two.environments[0].api_key)
  assert.equal(other.org_name, 'Two')
  assert.notEqual(other.org_id, one.org_id)
})

test('nothing is said to be kept longer than the service keeps it', async () => {
  const long = await post('/v2/organizations', { org_name: 'Long', retention_hours: 720 })
  assert.equal((await whoami(long.environments[0].api_key)).retention_hours, 500)
})

test('the port that takes OTLP over gRPC is told', async () => {
  const withGrpc = await startService({}, { withGrpc: true })
  const { json } = await withGrpc.call('GET', '/v2/whoami')
  assert.equal(`127.0.0.1:${json.otlp.grpc_port}`, withGrpc.grpcAddress)
})

test('401 without a key and with a revoked one', async () => {
  assertError(await service.call('GET', '/v2/whoami', { key: null }), 401)
  const made = await post('/v2/api-keys', { name: 'short-lived', scopes: ['read'] })
  assert.equal((await whoami(made.api_key)).key.name, 'short-lived')
  assert.equal((await service.call('DELETE', `/v2/api-keys/${made.id}`)).status, 204)
  assertError(await service.call('GET', '/v2/whoami', { key: made.api_key }), 401)
})
