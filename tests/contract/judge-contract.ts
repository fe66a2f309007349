import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectScope } from '../../src/domain/tenant.ts'
import type { JudgeSpend, NewCachedAnswer, StoredProviderKey } from '../../src/ports/judge-storage.ts'
import {
  AT_MS,
  charCount,
  create,
  rule,
  type StorageHarness,
  storeWithTenant,
  tenantScope,
} from './contract-fixtures.ts'

const DAY_MS = 86_400_000
const KEY: StoredProviderKey = {
  provider: 'openai',
  baseUrl: 'https://models.example.com/v1',
  sealed: 'c2VhbGVk',
  hint: 'wxyz',
  updatedAtMs: AT_MS,
}

/** What every store promises about what judging keeps. */
export function describeJudges(harness: StorageHarness): void {
  describeCache(harness)
  describeKeys(harness)
  describeBudgets(harness)
  describeSpend(harness)
}

function describeCache(harness: StorageHarness): void {
  test('gives back a cached answer, also after a restart, and only to its organization', async () => {
    const { storage, scope } = await storeWithTenant(harness)
    const other = await tenantScope(storage, 'two')
    await storage.ledger.recordCalls([cached(scope.orgId, 'key')], [])
    const again = await harness.reopen(storage)
    assert.deepEqual(await again.readCachedAnswer(scope, 'key'), {
      answer: '{"verdict":"yes"}',
      promptTokens: 11,
      completionTokens: 7,
    })
    assert.equal(await again.readCachedAnswer(other, 'key'), undefined)
    assert.equal(await again.readCachedAnswer(scope, 'other key'), undefined)
  })

  test('drops answers that were not used since a time, and the least recently used beyond a number', async () => {
    const { storage, scope } = await storeWithTenant(harness)
    const names = Array.from({ length: 700 }, (_, at) => `key ${at}`)
    await storage.ledger.recordCalls(
      names.map((key) => cached(scope.orgId, key)),
      [],
    )
    const kept = async () => {
      const found = await Promise.all(names.map((key) => storage.readCachedAnswer(scope, key)))
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
    const { storage, scope } = await storeWithTenant(harness)
    await storage.ledger.recordCalls([cached(scope.orgId, 'old')], [])
    const afterMs = Date.now()
    while (Date.now() <= afterMs) await storage.readCachedAnswer(scope, 'old')
    await storage.ledger.recordCalls([cached(scope.orgId, 'new')], [])
    while (await storage.ledger.dropCachedAnswers(0, 1));
    assert.equal(await storage.readCachedAnswer(scope, 'old'), undefined)
    assert.ok(await storage.readCachedAnswer(scope, 'new'))
  })
}

function describeKeys(harness: StorageHarness): void {
  test('keeps one key per provider and organization', async () => {
    const { storage, scope } = await storeWithTenant(harness)
    const other = await tenantScope(storage, 'two')
    await storage.putProviderKey(scope, KEY)
    const { baseUrl: _, ...plain } = KEY
    await storage.putProviderKey(scope, { ...plain, sealed: 'bmV3', updatedAtMs: AT_MS + 1 })
    await storage.putProviderKey(scope, { ...plain, provider: 'anthropic' })
    assert.deepEqual(await storage.listProviderKeys(scope), [
      { ...plain, provider: 'anthropic' },
      { ...plain, sealed: 'bmV3', updatedAtMs: AT_MS + 1 },
    ])
    assert.deepEqual(await storage.listProviderKeys(other), [])
    assert.equal(await storage.deleteProviderKey(other, 'openai'), false)
    assert.equal(await storage.deleteProviderKey(scope, 'openai'), true)
    assert.equal(await storage.deleteProviderKey(scope, 'openai'), false)
    assert.equal((await storage.listProviderKeys(scope)).length, 1)
  })

  test('keeps the address of a key', async () => {
    const { storage, scope } = await storeWithTenant(harness)
    await storage.putProviderKey(scope, KEY)
    assert.deepEqual(await storage.listProviderKeys(scope), [KEY])
  })
}

function describeBudgets(harness: StorageHarness): void {
  test('keeps a budget for a project and for each of its setups', async () => {
    const { storage, scope } = await storeWithTenant(harness)
    for (const externalId of ['b', 'a']) await create(storage, scope, externalId, { evaluators: [charCount] })
    const project = { dayMicros: 1_000_000, monthMicros: 5_000_000, updatedAtMs: AT_MS }
    assert.equal(await storage.putBudget(scope, { externalId: 'b', dayMicros: 5, updatedAtMs: AT_MS }), true)
    assert.equal(await storage.putBudget(scope, { externalId: 'a', dayMicros: 1, updatedAtMs: AT_MS }), true)
    assert.equal(await storage.putBudget(scope, project), true)
    assert.equal(await storage.putBudget(scope, { externalId: 'c', updatedAtMs: AT_MS }), false)
    await storage.putBudget(scope, { externalId: 'a', monthMicros: 7, updatedAtMs: AT_MS + 1 })
    assert.deepEqual(await storage.listBudgets(scope), [
      project,
      { externalId: 'a', monthMicros: 7, updatedAtMs: AT_MS + 1 },
      { externalId: 'b', dayMicros: 5, updatedAtMs: AT_MS },
    ])
    assert.equal(await storage.deleteBudget(scope, 'a'), true)
    assert.equal(await storage.deleteBudget(scope, 'a'), false)
    assert.equal(await storage.deleteBudget(scope, undefined), true)
    assert.deepEqual(await storage.listBudgets(scope), [
      { externalId: 'b', dayMicros: 5, updatedAtMs: AT_MS },
    ])
  })

  test('gives a setup that was deleted and made again no budget of the old one', async () => {
    const { storage, scope } = await storeWithTenant(harness)
    await create(storage, scope, 'a', { evaluators: [charCount], selector: [rule] })
    await storage.putBudget(scope, { externalId: 'a', dayMicros: 5, updatedAtMs: AT_MS })
    await storage.deleteSetup(scope, 'a', AT_MS)
    assert.deepEqual(await storage.listBudgets(scope), [])
    await create(storage, scope, 'a', { evaluators: [charCount], selector: [rule] })
    assert.deepEqual(await storage.listBudgets(scope), [])
  })

  test('lets nobody touch the budgets of another tenant', async () => {
    const { storage, scope } = await storeWithTenant(harness)
    const other = await tenantScope(storage, 'two')
    await create(storage, scope, 'a', { evaluators: [charCount] })
    await storage.putBudget(scope, { dayMicros: 1, updatedAtMs: AT_MS })
    await storage.putBudget(scope, { externalId: 'a', dayMicros: 2, updatedAtMs: AT_MS })
    const mine = await storage.listBudgets(scope)
    const intruders: ProjectScope[] = [other, { orgId: other.orgId, projectId: scope.projectId }]
    for (const intruder of intruders) {
      assert.deepEqual(await storage.listBudgets(intruder), [])
      assert.equal(await storage.putBudget(intruder, { externalId: 'a', updatedAtMs: AT_MS }), false)
      assert.equal(await storage.deleteBudget(intruder, 'a'), false)
    }
    assert.equal(await storage.putBudget(intruders[1] as ProjectScope, { updatedAtMs: AT_MS }), false)
    assert.equal(await storage.deleteBudget(intruders[1] as ProjectScope, undefined), false)
    assert.deepEqual(await storage.listBudgets(scope), mine)
  })
}

function describeSpend(harness: StorageHarness): void {
  test('adds up what was spent by day and month, of a project and of one setup', async () => {
    const { storage, scope } = await storeWithTenant(harness)
    const setup = await create(storage, scope, 'a', { evaluators: [charCount] })
    const spends = [
      spendOf(scope, { costMicros: 1 }),
      spendOf(scope, { costMicros: 20, setupId: setup.id }),
      spendOf(scope, { costMicros: 300, setupId: setup.id, atMs: AT_MS + 3 * DAY_MS }),
      spendOf(scope, { costMicros: 4_000, atMs: Date.UTC(2025, 11, 31, 23, 59, 59, 999) }),
      spendOf(scope, { costMicros: 50_000, atMs: Date.UTC(2026, 1, 1) }),
      spendOf(scope, { costMicros: 600_000, atMs: Date.UTC(2026, 0, 31, 23, 59, 59, 999), model: 'a/b' }),
    ]
    await storage.ledger.recordCalls([], spends.slice(0, 3))
    await storage.ledger.recordCalls([], spends.slice(3))
    const read = (externalId: string | undefined) => storage.readSpend(scope, externalId, AT_MS)
    assert.deepEqual(await read(undefined), { dayMicros: 21, monthMicros: 600_321 })
    assert.deepEqual(await read('a'), { dayMicros: 20, monthMicros: 320 })
    assert.deepEqual(await read('b'), { dayMicros: 0, monthMicros: 0 })
  })

  test('lists what was spent by day, setup and model, calls of unknown price apart', async () => {
    const { storage, scope } = await storeWithTenant(harness)
    const setup = await create(storage, scope, 'a', { evaluators: [charCount] })
    await storage.ledger.recordCalls(
      [],
      [
        spendOf(scope, { setupId: setup.id }),
        spendOf(scope, { setupId: setup.id, costMicros: 0, unpricedCalls: 1 }),
        spendOf(scope, { model: 'anthropic/claude' }),
        spendOf(scope, { atMs: AT_MS - 2 * DAY_MS }),
      ],
    )
    const dayAtMs = Date.UTC(2026, 0, 2)
    const line = { dayAtMs, calls: 1, promptTokens: 11, completionTokens: 7, costMicros: 5, unpricedCalls: 0 }
    assert.deepEqual(await storage.listSpend(scope, AT_MS - DAY_MS, AT_MS), [
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
    const { storage, scope } = await storeWithTenant(harness)
    const other = await tenantScope(storage, 'two')
    await storage.ledger.recordCalls([], [spendOf(scope, {})])
    for (const intruder of [other, { orgId: other.orgId, projectId: scope.projectId }]) {
      assert.deepEqual(await storage.readSpend(intruder, undefined, AT_MS), { dayMicros: 0, monthMicros: 0 })
      assert.deepEqual(await storage.listSpend(intruder, AT_MS, AT_MS), [])
    }
  })

  test('records answers and spend together or not at all', async () => {
    const { storage, scope } = await storeWithTenant(harness)
    const broken = { ...spendOf(scope, {}), calls: null as unknown as number }
    await assert.rejects(storage.ledger.recordCalls([cached(scope.orgId, 'key')], [broken]))
    assert.equal(await storage.readCachedAnswer(scope, 'key'), undefined)
  })
}

function cached(orgId: string, key: string): NewCachedAnswer {
  return { orgId, key, answer: '{"verdict":"yes"}', promptTokens: 11, completionTokens: 7 }
}

function spendOf({ projectId }: ProjectScope, change: Partial<JudgeSpend>): JudgeSpend {
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
