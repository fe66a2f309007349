import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { CustomDefinition } from '../../src/domain/custom-evaluator.ts'
import type { CountedResource } from '../../src/domain/limits.ts'
import type { EnvironmentTenant } from '../../src/domain/tenant.ts'
import type { Storage } from '../../src/ports/storage.ts'
import {
  AT_MS,
  charCount,
  create,
  createTenant,
  newKey,
  nextId,
  type StorageHarness,
  storeWithTenant,
} from './contract-fixtures.ts'
import { eraseAll, LATER_MS, spanWith, store, sumUp, traceIdOf } from './deletion-fixtures.ts'
import { packed } from './span-fixtures.ts'

const HOUR_MS = 3_600_000
/** Usage of a new tenant. */
const FIRST = { setups: 0, projects: 1, apiKeys: 1, customEvaluators: 0 }

const definition: CustomDefinition = {
  ...{ provider: 'openai', messages: [{ role: 'user', content: 'x' }], modelConfig: { model: 'm' } },
  ...{ inputSchema: [], outputSchema: [] },
}

/** Adds one resource of each kind; returns whether there was room. */
const ADD: Readonly<
  Record<CountedResource, (storage: Storage, tenant: EnvironmentTenant, max?: number) => Promise<boolean>>
> = {
  setups: async (storage, tenant, max) =>
    (await storage.createSetup(tenant, draftOf(nextId()), AT_MS, max)) !== 'full',
  projects: async (storage, tenant, max) => {
    const id = nextId()
    const project = { id, name: id, slug: id, environments: [], createdAtMs: AT_MS }
    return (await storage.createProject(tenant, project, max)) !== 'full'
  },
  apiKeys: async (storage, tenant, max) =>
    (await storage.createApiKey(tenant, newKey(tenant.projectId, nextId(), ['ingest']), max)) !== 'full',
  customEvaluators: async (storage, tenant, max) => {
    const id = nextId()
    const draft = { evaluatorId: id, versionId: nextId(), slug: id, name: id, description: '', definition }
    const limits = { evaluatorsMax: max ?? 0, versionsMax: 1 }
    return (await storage.createCustomEvaluator(tenant, draft, AT_MS, limits)) !== 'full'
  },
}

const draftOf = (externalId: string) => ({
  ...{ id: nextId(), externalId, change: { evaluators: [charCount] } },
})

/** The promises of organization limits. */
export function describeLimits(harness: StorageHarness): void {
  describeCounts(harness)
  describeStoredBytes(harness)
  describeAdministration(harness)
}

function describeCounts(harness: StorageHarness): void {
  for (const resource of Object.keys(ADD) as CountedResource[]) {
    test(`of two ${resource} that are created at once one short of the limit, exactly one is`, async () => {
      const { storage, tenant } = await storeWithTenant(harness)
      const max = FIRST[resource] + 2
      assert.ok(await ADD[resource](storage, tenant, max))
      const created = await Promise.all(Array.from({ length: 8 }, () => ADD[resource](storage, tenant, max)))
      assert.equal(created.filter(Boolean).length, 1)
      assert.equal((await storage.readResourceUse(tenant))[resource], max)
      assert.equal(await ADD[resource](storage, tenant, max), false)
      assert.ok(await ADD[resource](storage, tenant, 0), '0 is no limit')
    })

    test(`a limit on ${resource} that was set for an organization wins over the default and holds for it alone`, async () => {
      const { storage, tenant } = await storeWithTenant(harness)
      const other = await createTenant(storage, 'two')
      assert.ok(await storage.system.putLimits(tenant.orgId, { [resource]: FIRST[resource] + 1 }, AT_MS))
      assert.ok(await ADD[resource](storage, tenant, 100))
      assert.equal(await ADD[resource](storage, tenant, 100), false)
      assert.ok(await ADD[resource](storage, other, 100))
      assert.ok(await ADD[resource](storage, other, 100))
      assert.equal((await storage.readResourceUse(other))[resource], FIRST[resource] + 2)
    })
  }

  test('a bulk request that would exceed the limit stores nothing; one that only replaces passes', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await create(storage, tenant, 'a', { evaluators: [charCount] })
    const { revision } = await storage.readCatalogue(tenant)
    assert.equal(await storage.upsertSetups(tenant, ['a', 'b', 'c'].map(draftOf), AT_MS + 1, 2), 'full')
    assert.deepEqual(
      (await storage.listSetups(tenant, {})).map(({ externalId, updatedAtMs }) => [externalId, updatedAtMs]),
      [['a', AT_MS]],
    )
    assert.equal((await storage.readCatalogue(tenant)).revision, revision)
    assert.notEqual(await storage.upsertSetups(tenant, ['a', 'b'].map(draftOf), AT_MS + 1, 2), 'full')
    assert.notEqual(await storage.upsertSetups(tenant, ['a', 'b'].map(draftOf), AT_MS + 2, 1), 'full')
  })

  test('deleted setups and revoked keys make room', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await create(storage, tenant, 'a', { evaluators: [charCount] })
    assert.equal(await ADD.setups(storage, tenant, 1), false)
    await storage.deleteSetup(tenant, 'a', AT_MS)
    assert.ok(await ADD.setups(storage, tenant, 1))
    const key = await storage.createApiKey(tenant, newKey(tenant.projectId, 'hash of a second', ['read']), 2)
    assert.ok(typeof key === 'object')
    assert.equal(await ADD.apiKeys(storage, tenant, 2), false)
    await storage.revokeApiKey(tenant, key.id, AT_MS)
    assert.ok(await ADD.apiKeys(storage, tenant, 2))
  })

  test('a limit below what there is takes nothing away', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    for (const name of ['a', 'b']) await create(storage, tenant, name, { evaluators: [charCount] })
    await storage.system.putLimits(tenant.orgId, { setups: 1 }, AT_MS)
    assert.equal((await storage.listSetups(tenant, {})).length, 2)
    assert.ok(await storage.updateSetup(tenant, 'a', { evaluators: [charCount] }, AT_MS))
    assert.equal(await ADD.setups(storage, tenant, 100), false)
  })
}

function describeStoredBytes(harness: StorageHarness): void {
  const bytesOf = async (storage: Storage, tenant: EnvironmentTenant) =>
    (await storage.readResourceUse(tenant)).storedBytes

  test('stored bytes are the size of the batches that are there, after a restart too', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const other = await createTenant(storage, 'two')
    assert.equal(await bytesOf(storage, tenant), 0)
    await storage.admitSpans(tenant, await packed(storage, tenant, ['a', 'b']))
    await storage.admitSpans(tenant, {
      ...(await packed(storage, tenant, ['c'])),
      bytes: Buffer.alloc(1_000),
    })
    assert.equal(await bytesOf(storage, tenant), 1_005)
    assert.equal(await bytesOf(storage, other), 0)
    await storage.admitSpans(tenant, await packed(storage, tenant, ['a']))
    assert.equal(await bytesOf(storage, tenant), 1_005, 'spans that are there already are not stored again')
    const reopened = await harness.reopen(storage)
    assert.equal(await bytesOf(reopened, tenant), 1_005)
  })

  test('retention and erasure subtract what they drop', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const both = [spanWith('a', 'a 1', randomBytes(300)), spanWith('b', 'b 1', randomBytes(300))]
    await store(storage, tenant, both)
    await sumUp(storage)
    const before = await bytesOf(storage, tenant)
    await storage.deleteTrace(tenant, traceIdOf('a'), AT_MS)
    await eraseAll(storage)
    const [batch] = await storage.readBatches(tenant, [1])
    assert.equal(await bytesOf(storage, tenant), batch?.bytes.length)
    assert.ok((await bytesOf(storage, tenant)) < before)
    await storage.deleteTrace(tenant, traceIdOf('b'), AT_MS)
    await eraseAll(storage)
    assert.equal(await bytesOf(storage, tenant), 0)
    await store(storage, tenant, [spanWith('c', 'c 1', randomBytes(300))])
    assert.ok((await bytesOf(storage, tenant)) > 0)
    while (await storage.work.dropExpired(AT_MS + 800 * HOUR_MS, 720));
    assert.equal(await bytesOf(storage, tenant), 0)
  })

  test('deleting all data of a project makes room at once and leaves no count behind', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await store(storage, tenant, [spanWith('a', 'a 1', randomBytes(300))])
    await storage.deleteProjectData(tenant, AT_MS)
    assert.equal(await bytesOf(storage, tenant), 0)
    await store(storage, tenant, [spanWith('b', 'b 1', randomBytes(300))])
    const [batch] = await storage.readBatches(tenant, [2])
    while (await storage.erasure.eraseDeleted(LATER_MS));
    assert.equal(await bytesOf(storage, tenant), batch?.bytes.length)
  })
}

function describeAdministration(harness: StorageHarness): void {
  test('limits of an organization come with its keys, are replaced as a whole, and outlive a restart', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await createTenant(storage, 'two')
    const ownOf = async (name: string, from = storage) =>
      (await from.system.findPrincipal(`hash of ${name}`))?.principal.limits
    assert.equal(await ownOf('one'), undefined)
    const limits = { requestsPerSecond: 5, storedBytes: 1_099_511_627_776, projects: 0 }
    assert.ok(await storage.system.putLimits(tenant.orgId, limits, AT_MS))
    assert.deepEqual(await ownOf('one'), limits)
    assert.equal(await ownOf('two'), undefined)
    assert.deepEqual(await storage.readLimits(tenant), limits)
    await storage.system.putLimits(tenant.orgId, { spansPerSecond: 7 }, AT_MS)
    const reopened = await harness.reopen(storage)
    assert.deepEqual(await ownOf('one', reopened), { spansPerSecond: 7 })
  })

  test('an organization that does not exist has no limits', async () => {
    const { storage } = await storeWithTenant(harness)
    assert.equal(await storage.system.putLimits('nobody', { setups: 1 }, AT_MS), false)
    assert.equal(await storage.readLimits({ orgId: 'nobody' }), undefined)
  })

  test('lists what every organization uses', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await createTenant(storage, 'two')
    await create(storage, tenant, 'a', { evaluators: [charCount] })
    await storage.admitSpans(tenant, await packed(storage, tenant, ['a']))
    await storage.system.putLimits(tenant.orgId, { setups: 3 }, AT_MS)
    const listed = await storage.system.listResourceUse()
    assert.deepEqual(
      listed.map(({ name, limits, use }) => ({ name, limits, use })),
      [
        { name: 'one', limits: { setups: 3 }, use: { ...FIRST, setups: 1, storedBytes: 5 } },
        { name: 'two', limits: {}, use: { ...FIRST, storedBytes: 0 } },
      ],
    )
  })
}
