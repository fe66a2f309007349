import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FIRST_KEY } from '../support/call.ts'
import { startRestingService } from '../support/service.ts'
import { assertError, createSetup, readSetup, SETUPS, setupPath } from './setup-calls.ts'

const service = await startRestingService()
const SCOPES = ['ingest', 'read', 'write', 'admin']

async function post(path: string, body: object, key = FIRST_KEY) {
  const answer = await service.call('POST', path, { body, key })
  assert.equal(answer.status, 201, answer.text)
  return answer.json
}
const keyWith = async (body: object, key?: string): Promise<string> =>
  (await post('/v2/api-keys', body, key)).api_key
const organization = async (name: string): Promise<string> =>
  (await post('/v2/organizations', { org_name: name })).environments[0].api_key
const listKeys = async (key = FIRST_KEY) => (await service.call('GET', '/v2/api-keys', { key })).json.api_keys

test('201 creates an organization with the environment prd', async () => {
  const made = await post('/v2/organizations', { org_name: 'Acme' })
  assert.deepEqual(Object.keys(made).sort(), ['environments', 'org_id'])
  assert.equal(made.environments.length, 1)
  assert.deepEqual(Object.keys(made.environments[0]).sort(), ['api_key', 'slug'])
  assert.equal(made.environments[0].slug, 'prd')
  assert.match(made.environments[0].api_key, /^tl_[\x21-\x7e]{40,}$/)
})

test('201 creates an organization with its environments in order, each with a key of its own', async () => {
  const envs = ['dev', 'stg', 'prd']
  const made = await post('/v2/organizations', { org_name: 'Three', envs, retention_hours: 1 })
  assert.deepEqual(
    made.environments.map(({ slug }: { slug: string }) => slug),
    envs,
  )
  const setups = []
  for (const { slug, api_key: key } of made.environments) {
    setups.push(await createSetup(service, { external_id: slug }, key))
  }
  assert.equal(new Set(setups.map((setup) => setup.env_project_id)).size, 3)
  assert.equal(new Set(setups.map((setup) => setup.project_id)).size, 1)
  for (const setup of setups) assert.equal(setup.org_id, made.org_id)
  const key = made.environments[0].api_key
  assert.equal((await service.call('GET', SETUPS, { key })).json.length, 3)
})

test('201 takes the ends of the range of retention_hours', async () => {
  for (const hours of [1, 720]) await post('/v2/organizations', { org_name: 'Ends', retention_hours: hours })
})

for (const [name, body] of [
  ['no org_name', {}],
  ['an empty org_name', { org_name: '' }],
  ['an org_name that is a number', { org_name: 1 }],
  ['envs that are a string', { org_name: 'x', envs: 'prd' }],
  ['envs that hold a number', { org_name: 'x', envs: [1] }],
  ['an environment twice', { org_name: 'x', envs: ['dev', 'dev'] }],
  ['an empty environment', { org_name: 'x', envs: [''] }],
  ['a retention of 0 hours', { org_name: 'x', retention_hours: 0 }],
  ['a retention of 721 hours', { org_name: 'x', retention_hours: 721 }],
  ['a retention in text', { org_name: 'x', retention_hours: '24' }],
  ['a retention of half an hour', { org_name: 'x', retention_hours: 1.5 }],
] as const) {
  test(`400 for an organization with ${name}`, async () => {
    assertError(await service.call('POST', '/v2/organizations', { body }), 400, /^invalid input: /)
  })
}

test("403 for an organization's own key that creates an organization", async () => {
  const key = await organization('Own')
  assertError(await service.call('POST', '/v2/organizations', { key, body: { org_name: 'x' } }), 403)
  const second = await keyWith({ scopes: SCOPES }, key)
  assertError(await service.call('POST', '/v2/organizations', { key: second, body: { org_name: 'x' } }), 403)
})

test('403 for a key without admin that creates an organization names the scope', async () => {
  const key = await keyWith({ scopes: ['read', 'write', 'ingest'] })
  const answer = await service.call('POST', '/v2/organizations', { key, body: { org_name: 'x' } })
  assertError(answer, 403, /\badmin\b/)
})

test('201 creates a project and 200 lists it with its environments', async () => {
  const key = await organization('Projects')
  const project = await post('/v2/projects', { name: 'Second' }, key)
  assert.equal(project.name, 'Second')
  const environment = await post(`/v2/projects/${project.id}/environments`, { slug: 'qa' }, key)
  assert.equal(environment.slug, 'qa')
  const { projects } = (await service.call('GET', '/v2/projects', { key })).json
  assert.equal(projects.length, 2)
  const listed = projects.find(({ id }: { id: string }) => id === project.id)
  const slugs = listed.environments.map(({ slug }: { slug: string }) => slug)
  assert.ok(slugs.includes('qa'))
})

test('400 for a project or an environment without a usable name', async () => {
  const { projects } = (await service.call('GET', '/v2/projects')).json
  for (const body of [{}, { name: '' }, { name: 1 }, { name: null }]) {
    assertError(await service.call('POST', '/v2/projects', { body }), 400, /^invalid input: /)
  }
  const path = `/v2/projects/${projects[0].id}/environments`
  for (const body of [{}, { slug: '' }, { slug: 1 }, { slug: 'prd' }]) {
    assertError(await service.call('POST', path, { body }), 400, /^invalid input: /)
  }
})

test('404 for an environment of an unknown project', async () => {
  const body = { slug: 'qa' }
  assertError(await service.call('POST', '/v2/projects/nobody/environments', { body }), 404)
})

test('201 shows the secret of a key once and 200 never again', async () => {
  const created = await post('/v2/api-keys', { name: 'ci', scopes: ['read'] })
  const secret = created.api_key as string
  assert.match(secret, /^tl_/)
  const answers = await Promise.all([
    service.call('GET', '/v2/api-keys'),
    service.call('GET', '/v2/projects'),
    service.call('GET', SETUPS),
    service.call('GET', '/metrics'),
    service.call('GET', '/openapi.json'),
  ])
  for (const { text } of answers) {
    assert.ok(!text.includes(secret))
    assert.ok(!text.includes(FIRST_KEY))
  }
  const listed = (await listKeys()).find(({ id }: { id: string }) => id === created.id)
  assert.equal(listed.name, 'ci')
  assert.deepEqual(listed.scopes, ['read'])
  for (const field of ['api_key', 'key', 'secret', 'hash']) assert.equal(field in listed, false)
  for (const value of Object.values(listed)) {
    if (typeof value === 'string' && value.length > 6) assert.ok(!secret.includes(value))
  }
})

test('204 revokes a key, which stops working at once, and leaves the others alone', async () => {
  const created = await post('/v2/api-keys', { scopes: ['read', 'write'] })
  const key = created.api_key as string
  assert.equal((await service.call('GET', SETUPS, { key })).status, 200)
  const answer = await service.call('DELETE', `/v2/api-keys/${created.id}`)
  assert.equal(answer.status, 204)
  assert.equal(answer.text, '')
  for (let n = 0; n < 3; n++) {
    assertError(await service.call('GET', SETUPS, { key }), 401, 'Unauthorized')
  }
  const body = { external_id: 'revoked', evaluators: ['char-count'] }
  assertError(await service.call('POST', SETUPS, { key, body }), 401, 'Unauthorized')
  assertError(await service.call('GET', setupPath('revoked')), 404)
  assert.equal((await service.call('GET', SETUPS)).status, 200)
  assertError(await service.call('DELETE', `/v2/api-keys/${created.id}`), 404)
})

test('404 for revoking an unknown key', async () => {
  for (const id of ['nobody', '%20', FIRST_KEY]) {
    assertError(await service.call('DELETE', `/v2/api-keys/${id}`), 404)
  }
})

for (const [name, body] of [
  ['an unknown scope', { scopes: ['root'] }],
  ['no scope at all', { scopes: [] }],
  ['scopes that are a string', { scopes: 'read' }],
  ['a name that is a number', { name: 1, scopes: ['read'] }],
  ['an unknown environment', { environment: 'nowhere', scopes: ['read'] }],
] as const) {
  test(`400 for a key with ${name}`, async () => {
    assertError(await service.call('POST', '/v2/api-keys', { body }), 400, /^invalid input: /)
  })
}

test('403 names the missing scope of every operation', async () => {
  await createSetup(service, { external_id: 'guarded' })
  const operations = [
    ['GET', SETUPS, 'read'],
    ['GET', setupPath('guarded'), 'read'],
    ['POST', SETUPS, 'write'],
    ['POST', `${SETUPS}/bulk`, 'write'],
    ['PUT', setupPath('guarded'), 'write'],
    ['DELETE', setupPath('guarded'), 'write'],
    ['POST', '/v2/projects', 'admin'],
    ['POST', '/v2/projects/x/environments', 'admin'],
    ['GET', '/v2/api-keys', 'admin'],
    ['POST', '/v2/api-keys', 'admin'],
    ['DELETE', '/v2/api-keys/x', 'admin'],
  ] as const
  const weak = {
    read: await keyWith({ scopes: ['ingest'] }),
    write: await keyWith({ scopes: ['ingest', 'read'] }),
    admin: await keyWith({ scopes: ['ingest', 'read', 'write'] }),
  }
  for (const [method, path, scope] of operations) {
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} }
    const answer = await service.call(method, path, { key: weak[scope], ...body })
    assertError(answer, 403, new RegExp(`\\b${scope}\\b`))
    assert.equal(answer.json.error.includes('ingest'), false, answer.text)
  }
  assert.equal((await service.call('GET', setupPath('guarded'))).status, 200)
})

test('403 even for a setup that does not exist, so that a key without read learns nothing', async () => {
  const key = await keyWith({ scopes: ['ingest'] })
  assertError(await service.call('GET', setupPath('nobody'), { key }), 403)
})

test('organizations with the same external_id never see each other', async () => {
  const [one, two] = [await organization('One'), await organization('Two')]
  const mine = await createSetup(service, { external_id: 'same', entity_type: 'one' }, one)
  const theirs = await createSetup(service, { external_id: 'same', entity_type: 'two' }, two)
  assert.notEqual(mine.id, theirs.id)
  assert.notEqual(mine.org_id, theirs.org_id)
  assert.notEqual(mine.project_id, theirs.project_id)
  await createSetup(service, { external_id: 'only-one' }, one)
  assertError(await service.call('GET', setupPath('only-one'), { key: two }), 404)
  assertError(await service.call('PUT', setupPath('only-one'), { key: two, body: {} }), 404)
  assertError(await service.call('DELETE', setupPath('only-one'), { key: two }), 404)
  assert.deepEqual((await service.call('GET', `${SETUPS}?external_id=only-one`, { key: two })).json, [])
  await service.call('PUT', setupPath('same'), { key: two, body: { entity_type: 'changed' } })
  const setups = [{ external_id: 'only-one', evaluators: ['word-count'] }]
  await service.call('POST', `${SETUPS}/bulk`, { key: two, body: { setups } })
  assert.equal((await service.call('DELETE', setupPath('same'), { key: two })).status, 204)
  assert.deepEqual(await readSetup(service, 'same', one), mine)
  assert.deepEqual((await readSetup(service, 'only-one', one)).evaluators[0].evaluator_type, 'char-count')
  assert.equal((await service.call('GET', SETUPS, { key: one })).json.length, 2)
})

test('projects of one organization with the same external_id never see each other', async () => {
  const key = await organization('Two projects')
  const project = await post('/v2/projects', { name: 'Other' }, key)
  const environment = project.environments[0]?.slug ?? 'prd'
  const other = await keyWith({ project_id: project.id, environment, scopes: SCOPES }, key)
  const mine = await createSetup(service, { external_id: 'same' }, key)
  const theirs = await createSetup(service, { external_id: 'same' }, other)
  assert.equal(mine.org_id, theirs.org_id)
  assert.equal(theirs.project_id, project.id)
  assert.notEqual(mine.project_id, theirs.project_id)
  assert.notEqual(mine.id, theirs.id)
  assert.deepEqual((await service.call('GET', SETUPS, { key })).json, [mine])
  assert.deepEqual((await service.call('GET', SETUPS, { key: other })).json, [theirs])
  assert.equal((await service.call('DELETE', setupPath('same'), { key: other })).status, 204)
  assert.deepEqual(await readSetup(service, 'same', key), mine)
})

test('a cursor of one organization shows nothing of another', async () => {
  const [one, two] = [await organization('Cursor one'), await organization('Cursor two')]
  for (const id of ['a', 'b', 'c']) {
    await createSetup(service, { external_id: `one-${id}` }, one)
    await createSetup(service, { external_id: `two-${id}` }, two)
  }
  const first = await service.call('GET', `${SETUPS}?limit=1`, { key: one })
  const cursor = encodeURIComponent(first.headers.get('x-next-cursor') ?? '')
  const answer = await service.call('GET', `${SETUPS}?limit=9&cursor=${cursor}`, { key: two })
  assert.ok(!answer.text.includes('one-'))
})

test("404 or 400 for what an organization tries on another's keys and projects", async () => {
  const [one, two] = [await organization('Mine'), await organization('Theirs')]
  const [victim] = await listKeys(two)
  assert.equal((await listKeys(one)).length, 1)
  assertError(await service.call('DELETE', `/v2/api-keys/${victim.id}`, { key: one }), 404)
  assert.equal((await service.call('GET', SETUPS, { key: two })).status, 200)
  const path = `/v2/projects/${victim.project_id}/environments`
  assertError(await service.call('POST', path, { key: one, body: { slug: 'qa' } }), 404)
  const body = { project_id: victim.project_id, environment: 'prd', scopes: ['read'] }
  const answer = await service.call('POST', '/v2/api-keys', { key: one, body })
  assert.ok(answer.status === 400 || answer.status === 404, answer.text)
  const { projects } = (await service.call('GET', '/v2/projects', { key: one })).json
  assert.ok(projects.every(({ id }: { id: string }) => id !== victim.project_id))
  assert.equal((await listKeys(two)).length, 1)
})
