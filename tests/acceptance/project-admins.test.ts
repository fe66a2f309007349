import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { ROUTES } from '../../src/http/routes.ts'
import { startRestingService } from '../support/service.ts'
import { assertError } from './setup-calls.ts'

const service = await startRestingService({ ASSAY_SECRETS_KEY: randomBytes(32).toString('base64') })
const ALL = ['ingest', 'read', 'write', 'admin']

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Json = any

async function post(path: string, body: object, key?: string): Promise<Json> {
  const answer = await service.call('POST', path, { body, ...(key === undefined ? {} : { key }) })
  assert.equal(answer.status, 201, answer.text)
  return answer.json
}

/** An organization with two projects beside the default one, and an admin key for each of the three. */
async function newOrganization() {
  const owner: string = (await post('/v2/organizations', { org_name: 'Shop' })).environments[0].api_key
  const adminOf = async (slug: string) => {
    const project = await post('/v2/projects', { name: slug, slug }, owner)
    const key = await post('/v2/api-keys', { name: slug, project_id: project.id, scopes: ALL }, owner)
    return { projectId: project.id as string, keyId: key.id as string, key: key.api_key as string }
  }
  return { owner, one: await adminOf('one'), two: await adminOf('two') }
}

const keyIds = async (key: string): Promise<string[]> =>
  (await service.call('GET', '/v2/api-keys', { key })).json.api_keys.map(({ id }: { id: string }) => id)

test("404 for an admin key of one project that revokes another project's key, which goes on to work", async () => {
  const { owner, one, two } = await newOrganization()
  const ownerId = (await keyIds(owner)).find((id) => ![one.keyId, two.keyId].includes(id)) ?? ''
  for (const id of [two.keyId, ownerId]) {
    assertError(
      await service.call('DELETE', `/v2/api-keys/${id}`, { key: one.key }),
      404,
      'API key not found',
    )
  }
  for (const key of [owner, two.key]) {
    assert.equal((await service.call('GET', '/v2/whoami', { key })).status, 200)
  }
})

test("200 lists to an admin key of a project that project's keys only", async () => {
  const { owner, one, two } = await newOrganization()
  assert.deepEqual(await keyIds(one.key), [one.keyId])
  assert.deepEqual(await keyIds(two.key), [two.keyId])
  assert.equal((await keyIds(owner)).length, 3)
})

test('an admin key of a project makes, lists and revokes keys of its own project', async () => {
  const { one } = await newOrganization()
  const made = await post('/v2/api-keys', { name: 'app', scopes: ['ingest'] }, one.key)
  assert.equal(made.project_id, one.projectId)
  assert.deepEqual((await keyIds(one.key)).toSorted(), [one.keyId, made.id].toSorted())
  assert.equal((await service.call('DELETE', `/v2/api-keys/${made.id}`, { key: one.key })).status, 204)
})

test('400 for a key of another project, in the words for a project that does not exist', async () => {
  const { one, two } = await newOrganization()
  for (const projectId of [two.projectId, 'nowhere']) {
    const answer = await service.call('POST', '/v2/api-keys', {
      key: one.key,
      body: { name: 'spy', project_id: projectId, scopes: ALL },
    })
    assertError(answer, 400, `invalid input: environment prd does not exist in project ${projectId}`)
  }
})

/** Answers to an admin key of project `one` about project `two` and the whole organization. */
const REFUSED: Readonly<
  Record<
    string,
    (two: {
      projectId: string
      keyId: string
    }) => readonly [path: string, body: object | undefined, status: number]
  >
> = {
  createApiKey: ({ projectId }) => ['/v2/api-keys', { project_id: projectId }, 400],
  listApiKeys: () => ['/v2/api-keys', undefined, 200],
  revokeApiKey: ({ keyId }) => [`/v2/api-keys/${keyId}`, undefined, 404],
  createProject: () => ['/v2/projects', { name: 'three' }, 403],
  createEnvironment: ({ projectId }) => [`/v2/projects/${projectId}/environments`, { slug: 'dev' }, 404],
  deleteProjectData: ({ projectId }) => [`/v2/projects/${projectId}/data`, undefined, 404],
  createOrganization: () => ['/v2/organizations', { org_name: 'Mine' }, 403],
  getOrganizationLimits: () => ['/v2/organizations/any/limits', undefined, 403],
  putOrganizationLimits: () => ['/v2/organizations/any/limits', { setups: 1 }, 403],
  listProviderKeys: () => ['/v2/provider-keys', undefined, 403],
  getProviderKey: () => ['/v2/provider-keys/openai', undefined, 403],
  putProviderKey: () => ['/v2/provider-keys/openai', { api_key: 'sk-0123456789' }, 403],
  deleteProviderKey: () => ['/v2/provider-keys/openai', undefined, 403],
  putDefaultJudge: () => ['/v2/judges/default', { provider: 'openai', model: 'tiny' }, 403],
  deleteDefaultJudge: () => ['/v2/judges/default', undefined, 403],
  testJudge: () => ['/v2/judges/test', { provider: 'openai', model: 'tiny' }, 403],
  // Of the project of the key, with any key.
  putBudget: () => ['/v2/budgets', { day_usd: 1 }, 200],
  deleteBudget: () => ['/v2/budgets', undefined, 204],
}

test('every operation for admin keys keeps to the project of the key, or to keys of the default project', async () => {
  const admin = ROUTES.filter(({ access }) => access === 'admin')
  assert.deepEqual(Object.keys(REFUSED).toSorted(), admin.map(({ operationId }) => operationId).toSorted())
  const { owner, one, two } = await newOrganization()
  await service.call('PUT', '/v2/provider-keys/openai', { key: owner, body: { api_key: 'sk-of-the-owner' } })
  for (const { operationId, method } of admin) {
    const [path, body, status] = REFUSED[operationId]?.(two) ?? ['', undefined, 0]
    const answer = await service.call(method, path, { key: one.key, ...(body ? { body } : {}) })
    assert.equal(answer.status, status, `${operationId}: ${answer.text}`)
    assert.ok(!answer.text.includes(two.keyId) && !answer.text.includes('wner"'), operationId)
  }
})

test('an admin key of the default project administers all projects of its organization', async () => {
  const { owner, one, two } = await newOrganization()
  await post('/v2/api-keys', { name: 'app', project_id: two.projectId }, owner)
  await post(`/v2/projects/${one.projectId}/environments`, { slug: 'dev' }, owner)
  assert.equal(
    (await service.call('DELETE', `/v2/projects/${two.projectId}/data`, { key: owner })).status,
    202,
  )
  assert.equal((await service.call('DELETE', `/v2/api-keys/${one.keyId}`, { key: owner })).status, 204)
  assert.equal((await service.call('GET', '/v2/whoami', { key: one.key })).status, 401)
})

test('400 for the last key that administers the organization, whatever admin keys its projects have', async () => {
  const { owner, one, two } = await newOrganization()
  const ownerId = (await keyIds(owner)).find((id) => ![one.keyId, two.keyId].includes(id)) ?? ''
  assertError(await service.call('DELETE', `/v2/api-keys/${ownerId}`, { key: owner }), 400, /last/)
  assert.equal((await service.call('DELETE', `/v2/api-keys/${two.keyId}`, { key: two.key })).status, 204)
})

test('403 for an admin key of another project of the operator that creates an organization or sets limits', async () => {
  const project = await post('/v2/projects', { name: 'side', slug: 'side' })
  const { api_key: key } = await post('/v2/api-keys', { name: 's', project_id: project.id, scopes: ALL })
  assertError(await service.call('POST', '/v2/organizations', { key, body: { org_name: 'X' } }), 403)
  const { org_id: orgId } = (await service.call('GET', '/v2/whoami')).json
  const limits = `/v2/organizations/${orgId}/limits`
  assertError(await service.call('PUT', limits, { key, body: { setups: 1 } }), 403)
  assertError(await service.call('GET', limits, { key }), 403)
})
