import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AT_MS, createTenant, newKey, nextId } from '../../../tests/contract/contract-fixtures.ts'
import { openPair, race } from '../../../tests/support/postgres-pair.ts'
import type { NewOrganization } from '../../ports/storage.ts'

test('of processes that start at once on an empty store, one makes the organization of the operator', async () => {
  const pair = await openPair()
  const results = await race(pair, 8, (storage) => storage.system.createOrganization(operator()))
  assert.deepEqual(results.toSorted(), ['created', ...Array(7).fill('exists')])
  assert.equal((await pair[1].system.listOrganizations()).length, 1)
})

test('of processes that bring the same key at once, one makes the organization', async () => {
  const pair = await openPair()
  await pair[0].system.createOrganization(operator())
  const results = await race(pair, 8, (storage) =>
    storage.system.createOrganization(organizationOf('hash of the same key', false)),
  )
  assert.equal(results.filter((result) => result === 'created').length, 1)
  assert.equal((await pair[1].system.listOrganizations()).length, 2)
})

test('two processes cannot end the last two admin keys at once', async () => {
  const pair = await openPair()
  for (const name of ['one', 'two', 'three', 'four']) {
    const tenant = await createTenant(pair[0], name)
    await pair[0].createApiKey(tenant, newKey(tenant.projectId, `second hash of ${name}`, ['admin']))
    const keys = await pair[0].listApiKeys(tenant)
    const results = await race(pair, 2, (storage, index) =>
      storage.revokeApiKey(tenant, keys[index]?.id ?? '', AT_MS),
    )
    assert.deepEqual(results.toSorted(), ['last_admin', 'revoked'])
  }
})

test('of projects and environments that get the same slug at once, one is made', async () => {
  const pair = await openPair()
  const tenant = await createTenant(pair[0], 'one')
  const projects = await race(pair, 8, (storage) =>
    storage.createProject(tenant, {
      id: nextId(),
      name: 'Second',
      slug: 'second',
      environments: [{ envProjectId: nextId(), slug: 'prd' }],
      createdAtMs: AT_MS,
    }),
  )
  assert.equal(projects.filter((result) => result === 'created').length, 1)
  const environments = await race(pair, 8, (storage) =>
    storage.createEnvironment(tenant, { envProjectId: nextId(), slug: 'dev' }, AT_MS),
  )
  assert.equal(environments.filter((result) => result === 'created').length, 1)
  assert.equal((await pair[1].listProjects(tenant)).flatMap((project) => project.environments).length, 3)
})

function operator(): NewOrganization {
  return organizationOf(`hash ${nextId()}`, true)
}

function organizationOf(secretHash: string, isOperator: boolean): NewOrganization {
  const projectId = nextId()
  return {
    organization: { id: nextId(), name: 'Operator', isOperator, retentionHours: 720, createdAtMs: AT_MS },
    project: {
      id: projectId,
      name: 'Default',
      slug: 'default',
      environments: [{ envProjectId: nextId(), slug: 'prd' }],
      createdAtMs: AT_MS,
    },
    keys: [newKey(projectId, secretHash, ['admin'])],
  }
}
