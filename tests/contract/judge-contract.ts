import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectTenant } from '../../src/domain/tenant.ts'
import type { JudgeSpend, NewCachedAnswer, StoredProviderKey } from '../../src/ports/judge-storage.ts'
import {
  AT_MS,
  charCount,
  create,
  createTenant,
  rule,
  type StorageHarness,
  storeWithTenant,
} from './contract-fixtures.ts'

const DAY_MS = 86_400_000
const KEY: StoredProviderKey = {
  provider: 'openai',
  baseUrl: 'https://models.example.com/v1',
  sealed: 'c2VhbGVk',
  hint: 'wxyz',
  updatedAtMs: AT_MS,
}

/** The promises of every store about the data that judging keeps. */
export function describeJudges(harness: StorageHarness): void {
  describeCache(harness)
  describeKeys(harness)
  describeDefaultJudge(harness)
  describeBudgets(harness)
  describeSpend(harness)
}

function describeCache(harness: StorageHarness): void {
  test('gives back a cached answer, also after a restart, and only to its organization', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const other = await createTenant(storage, 'two')
    await storage.ledger.recordCalls([cached(tenant.orgId, 'key')], [])
    const again = await harness.reopen(storage)
    assert.deepEqual(await again.readCachedAnswer(tenant, 'key'), {
      answer: '{"verdict":"yes"}',
      promptTokens: 11,
      completionTokens: 7,
    })
    assert.equal(await again.readCachedAnswer(other, 'key'), undefined)
    assert.equal(await again.readCachedAnswer(tenant, 'other key'), undefined)
  })

  test('drops answers that were not used since a time, and the least recently used beyond a number', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const names = Array.from({ length: 700 }, (_, at) => `key ${at}`)
    await storage.ledger.recordCalls(
      names.map((key) => cached(tenant.orgId, key)),
      [],
    )
    const kept = async () => {
      const found = await Promise.all(names.map((key) => storage.readCachedAnswer(tenant, key)))
      return found.filter((answer) => answer !== undefined).length
    }
    while (await storage.ledger.dropCachedAnswers(Date.now() - DAY_MS, 1_000));
    assert.equal(await kept(), 700)
    while (await storage.ledger.dropCachedAnswers(Date.now() - DAY_MS, 250));
    assert.equal(await kept(), 250)
    while (await storage.ledger.dropCachedAnswers(Date.now() + 1_000, 1_000));
    assert.equal(await kept(), 0)
  })

  test('drops the answer that was used longest ago first', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await storage.ledger.recordCalls([cached(tenant.orgId, 'old')], [])
    const afterMs = Date.now()
    while (Date.now() <= afterMs) await storage.readCachedAnswer(tenant, 'old')
    await storage.ledger.recordCalls([cached(tenant.orgId, 'new')], [])
    while (await storage.ledger.dropCachedAnswers(0, 1));
    assert.equal(await storage.readCachedAnswer(tenant, 'old'), undefined)
    assert.ok(await storage.readCachedAnswer(tenant, 'new'))
  })
}

function describeKeys(harness: StorageHarness): void {
  test('keeps one key per provider and organization', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const other = await createTenant(storage, 'two')
    await storage.putProviderKey(tenant, KEY)
    const { baseUrl: _, ...plain } = KEY
    await storage.putProviderKey(tenant, { ...plain, sealed: 'bmV3', updatedAtMs: AT_MS + 1 })
    await storage.putProviderKey(tenant, { ...plain, provider: 'anthropic' })
    assert.deepEqual(await storage.listProviderKeys(tenant), [
      { ...plain, provider: 'anthropic' },
      { ...plain, sealed: 'bmV3', updatedAtMs: AT_MS + 1 },
    ])
    assert.deepEqual(await storage.listProviderKeys(other), [])
    assert.equal(await storage.deleteProviderKey(other, 'openai'), false)
    assert.equal(await storage.deleteProviderKey(tenant, 'openai'), true)
    assert.equal(await storage.deleteProviderKey(tenant, 'openai'), false)
    assert.equal((await storage.listProviderKeys(tenant)).length, 1)
  })

  test('keeps the address of a key', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await storage.putProviderKey(tenant, KEY)
    assert.deepEqual(await storage.listProviderKeys(tenant), [KEY])
  })
}

function describeDefaultJudge(harness: StorageHarness): void {
  test('keeps the default judge of an organization until it is replaced or deleted, and shows it to no other', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const other = await createTenant(storage, 'two')
    assert.equal(await storage.getDefaultJudge(tenant), undefined)
    assert.equal(await storage.deleteDefaultJudge(tenant), false)
    await storage.putDefaultJudge(tenant, { provider: 'openai', model: 'gpt-4o' }, AT_MS)
    const claude = { provider: 'anthropic', model: 'claude-sonnet-4-5' }
    await storage.putDefaultJudge(tenant, claude, AT_MS + 1)
    const again = await harness.reopen(storage)
    assert.deepEqual(await again.getDefaultJudge(tenant), claude)
    assert.equal(await again.getDefaultJudge(other), undefined)
    assert.equal(await again.deleteDefaultJudge(other), false)
    assert.equal(await again.deleteDefaultJudge(tenant), true)
    assert.equal(await again.getDefaultJudge(tenant), undefined)
  })
}

function describeBudgets(harness: StorageHarness): void {
  test('keeps a budget for a project and for each of its setups', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    for (const externalId of ['b', 'a'])
      await create(storage, tenant, externalId, { evaluators: [charCount] })
    const project = { dayMicros: 1_000_000, monthMicros: 5_000_000, updatedAtMs: AT_MS }
    assert.equal(await storage.putBudget(tenant, { externalId: 'b', dayMicros: 5, updatedAtMs: AT_MS }), true)
    assert.equal(await storage.putBudget(tenant, { externalId: 'a', dayMicros: 1, updatedAtMs: AT_MS }), true)
    assert.equal(await storage.putBudget(tenant, project), true)
    assert.equal(await storage.putBudget(tenant, { externalId: 'c', updatedAtMs: AT_MS }), false)
    await storage.putBudget(tenant, { externalId: 'a', monthMicros: 7, updatedAtMs: AT_MS + 1 })
    assert.deepEqual(await storage.listBudgets(tenant), [
      project,
      { externalId: 'a', monthMicros: 7, updatedAtMs: AT_MS + 1 },
      { externalId: 'b', dayMicros: 5, updatedAtMs: AT_MS },
    ])
    assert.equal(await storage.deleteBudget(tenant, 'a'), true)
    assert.equal(await storage.deleteBudget(tenant, 'a'), false)
    assert.equal(await storage.deleteBudget(tenant, undefined), true)
    assert.deepEqual(await storage.listBudgets(tenant), [
      { externalId: 'b', dayMicros: 5, updatedAtMs: AT_MS },
    ])
  })

  test('gives a setup that was deleted and made again no budget of the old one', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await create(storage, tenant, 'a', { evaluators: [charCount], selector: [rule] })
    await storage.putBudget(tenant, { externalId: 'a', dayMicros: 5, updatedAtMs: AT_MS })
    await storage.deleteSetup(tenant, 'a', AT_MS)
    assert.deepEqual(await storage.listBudgets(tenant), [])
    await create(storage, tenant, 'a', { evaluators: [charCount], selector: [rule] })
    assert.deepEqual(await storage.listBudgets(tenant), [])
  })

  test('lets nobody touch the budgets of another tenant', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const other = await createTenant(storage, 'two')
    await create(storage, tenant, 'a', { evaluators: [charCount] })
    await storage.putBudget(tenant, { dayMicros: 1, updatedAtMs: AT_MS })
    await storage.putBudget(tenant, { externalId: 'a', dayMicros: 2, updatedAtMs: AT_MS })
    const mine = await storage.listBudgets(tenant)
    const intruders: ProjectTenant[] = [other, { orgId: other.orgId, projectId: tenant.projectId }]
    for (const intruder of intruders) {
      assert.deepEqual(await storage.listBudgets(intruder), [])
      assert.equal(await storage.putBudget(intruder, { externalId: 'a', updatedAtMs: AT_MS }), false)
      assert.equal(await storage.deleteBudget(intruder, 'a'), false)
    }
    assert.equal(await storage.putBudget(intruders[1] as ProjectTenant, { updatedAtMs: AT_MS }), false)
    assert.equal(await storage.deleteBudget(intruders[1] as ProjectTenant, undefined), false)
    assert.deepEqual(await storage.listBudgets(tenant), mine)
  })
}

function describeSpend(harness: StorageHarness): void {
  test('adds up what was spent by day and month, of a project and of one setup', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const setup = await create(storage, tenant, 'a', { evaluators: [charCount] })
    const spends = [
      spendOf(tenant, { costMicros: 1 }),
      spendOf(tenant, { costMicros: 20, setupId: setup.id }),
      spendOf(tenant, { costMicros: 300, setupId: setup.id, atMs: AT_MS + 3 * DAY_MS }),
      spendOf(tenant, { costMicros: 4_000, atMs: Date.UTC(2025, 11, 31, 23, 59, 59, 999) }),
      spendOf(tenant, { costMicros: 50_000, atMs: Date.UTC(2026, 1, 1) }),
      spendOf(tenant, { costMicros: 600_000, atMs: Date.UTC(2026, 0, 31, 23, 59, 59, 999), model: 'a/b' }),
    ]
    await storage.ledger.recordCalls([], spends.slice(0, 3))
    await storage.ledger.recordCalls([], spends.slice(3))
    const read = (externalId: string | undefined) => storage.readSpend(tenant, externalId, AT_MS)
    assert.deepEqual(await read(undefined), { dayMicros: 21, monthMicros: 600_321 })
    assert.deepEqual(await read('a'), { dayMicros: 20, monthMicros: 320 })
    assert.deepEqual(await read('b'), { dayMicros: 0, monthMicros: 0 })
  })

  test('lists what was spent by day, setup and model, calls of unknown price apart', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const setup = await create(storage, tenant, 'a', { evaluators: [charCount] })
    await storage.ledger.recordCalls(
      [],
      [
        spendOf(tenant, { setupId: setup.id }),
        spendOf(tenant, { setupId: setup.id, costMicros: 0, unpricedCalls: 1 }),
        spendOf(tenant, { model: 'anthropic/claude' }),
        spendOf(tenant, { atMs: AT_MS - 2 * DAY_MS }),
      ],
    )
    const dayAtMs = Date.UTC(2026, 0, 2)
    const line = { dayAtMs, calls: 1, promptTokens: 11, completionTokens: 7, costMicros: 5, unpricedCalls: 0 }
    assert.deepEqual(await storage.listSpend(tenant, AT_MS - DAY_MS, AT_MS), [
      { ...line, model: 'anthropic/claude' },
      {
        ...line,
        externalId: 'a',
        model: 'openai/gpt-4o',
        calls: 2,
        promptTokens: 22,
        completionTokens: 14,
        unpricedCalls: 1,
      },
    ])
  })

  test('tells nobody what another tenant spent', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const other = await createTenant(storage, 'two')
    await storage.ledger.recordCalls([], [spendOf(tenant, {})])
    for (const intruder of [other, { orgId: other.orgId, projectId: tenant.projectId }]) {
      assert.deepEqual(await storage.readSpend(intruder, undefined, AT_MS), { dayMicros: 0, monthMicros: 0 })
      assert.deepEqual(await storage.listSpend(intruder, AT_MS, AT_MS), [])
    }
  })

  test('records answers and spend together or not at all', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const broken = { ...spendOf(tenant, {}), calls: null as unknown as number }
    await assert.rejects(storage.ledger.recordCalls([cached(tenant.orgId, 'key')], [broken]))
    assert.equal(await storage.readCachedAnswer(tenant, 'key'), undefined)
  })
}

function cached(orgId: string, key: string): NewCachedAnswer {
  return { orgId, key, answer: '{"verdict":"yes"}', promptTokens: 11, completionTokens: 7 }
}

function spendOf({ projectId }: ProjectTenant, change: Partial<JudgeSpend>): JudgeSpend {
  return {
    projectId,
    atMs: AT_MS,
    model: 'openai/gpt-4o',
    calls: 1,
    promptTokens: 11,
    completionTokens: 7,
    costMicros: 5,
    unpricedCalls: 0,
    ...change,
  }
}
