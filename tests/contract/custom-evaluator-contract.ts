import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CustomDefinition, CustomEvaluator } from '../../src/domain/custom-evaluator.ts'
import { EXECUTION_MS_MAX } from '../../src/domain/execution.ts'
import type { OrgTenant } from '../../src/domain/tenant.ts'
import { NEUTRAL } from '../../src/evaluators/kit/verdict-rule.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { AT_MS, createTenant, nextId, type StorageHarness, storeWithTenant } from './contract-fixtures.ts'

const LIMITS = { evaluatorsMax: 3, versionsMax: 3 }
const OPEN_LIMITS = { openMax: 2, openCharsMax: 100 }

const definition: CustomDefinition = {
  provider: 'openai',
  messages: [{ role: 'user', content: 'Is {{text}} kind?' }],
  modelConfig: { model: 'gpt-4o', temperature: 0.5, stop: ['END'] },
  inputSchema: [{ name: 'text', type: 'string', description: '', label: 'Text' }],
  outputSchema: [
    { name: 'mood', type: 'enum', description: 'd', label: 'Mood', enumValues: ['good', 'bad'] },
  ],
}

/** The promises of every store about custom evaluators and executions. */
export function describeCustomEvaluators(harness: StorageHarness): void {
  test('reads a custom evaluator back as it was stored, by id and by slug', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const created = await make(storage, tenant, 'my-judge')
    const { evaluatorId, versionId } = created
    assert.deepEqual(created, {
      slug: 'my-judge',
      evaluatorId,
      versionId,
      version: 1,
      name: 'My judge',
      description: 'Says so.',
      ...definition,
      verdict: NEUTRAL,
      createdAtMs: AT_MS,
      updatedAtMs: AT_MS,
    })
    const reopened = await harness.reopen(storage)
    assert.deepEqual(await reopened.findCustomEvaluator(tenant, 'my-judge'), created)
    assert.deepEqual(await reopened.findCustomEvaluator(tenant, evaluatorId), created)
    assert.deepEqual(await reopened.listCustomEvaluators(tenant), [created])
    assert.equal(await reopened.findCustomEvaluator(tenant, versionId), undefined)
  })

  test('refuses a slug that the organization has, and one evaluator more than the limit', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await make(storage, tenant, 'a')
    assert.equal(await storage.createCustomEvaluator(tenant, draft('a'), AT_MS, LIMITS), 'exists')
    await make(storage, tenant, 'b')
    await make(storage, tenant, 'c')
    assert.equal(await storage.createCustomEvaluator(tenant, draft('d'), AT_MS, LIMITS), 'full')
    const slugs = (await storage.listCustomEvaluators(tenant)).map(({ slug }) => slug)
    assert.deepEqual(slugs, ['a', 'b', 'c'])
  })

  test('a new definition is a new version, and the old one can still be read', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const first = await make(storage, tenant, 'a')
    const changed = { ...definition, provider: 'anthropic' }
    const newVersion = { versionId: nextId(), definition: changed }
    const second = await storage.changeCustomEvaluator(tenant, first, { newVersion }, AT_MS + 1, LIMITS)
    assert.deepEqual(second, {
      ...first,
      provider: 'anthropic',
      version: 2,
      versionId: newVersion.versionId,
      updatedAtMs: AT_MS + 1,
    })
    assert.deepEqual(await storage.findCustomEvaluator(tenant, 'a'), second)
    const old = { ...first, updatedAtMs: AT_MS + 1 }
    assert.deepEqual(await storage.findCustomEvaluator(tenant, 'a', '1'), old)
    assert.deepEqual(await storage.findCustomEvaluator(tenant, 'a', first.versionId), old)
    assert.equal(await storage.findCustomEvaluator(tenant, 'a', '3'), undefined)
    assert.deepEqual(await storage.listCustomVersions(tenant, first.evaluatorId), [
      { versionId: first.versionId, version: 1, createdAtMs: AT_MS },
      { versionId: newVersion.versionId, version: 2, createdAtMs: AT_MS + 1 },
    ])
  })

  test('a new name makes no version', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const first = await make(storage, tenant, 'a')
    const named = await storage.changeCustomEvaluator(tenant, first, { name: 'Other' }, AT_MS + 1, LIMITS)
    assert.deepEqual(named, { ...first, name: 'Other', updatedAtMs: AT_MS + 1 })
  })

  test('a change that was made from an older version is stale, and versions have a limit', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const first = await make(storage, tenant, 'a')
    const change = () => ({ newVersion: { versionId: nextId(), definition } })
    const second = await storage.changeCustomEvaluator(tenant, first, change(), AT_MS, LIMITS)
    assert.equal(await storage.changeCustomEvaluator(tenant, first, change(), AT_MS, LIMITS), 'stale')
    const third = await storage.changeCustomEvaluator(
      tenant,
      second as CustomEvaluator,
      change(),
      AT_MS,
      LIMITS,
    )
    assert.equal((third as CustomEvaluator).version, 3)
    assert.equal(
      await storage.changeCustomEvaluator(tenant, third as CustomEvaluator, change(), AT_MS, LIMITS),
      'full',
    )
  })

  test('keeps the custom evaluators of two organizations apart', async () => {
    const { storage, tenant: one } = await storeWithTenant(harness)
    const two = await createTenant(storage, 'two')
    const mine = await make(storage, one, 'a')
    assert.equal(await storage.findCustomEvaluator(two, 'a'), undefined)
    assert.equal(await storage.findCustomEvaluator(two, mine.evaluatorId), undefined)
    assert.equal(await storage.findCustomEvaluator(two, mine.evaluatorId, '1'), undefined)
    assert.deepEqual(await storage.listCustomEvaluators(two), [])
    assert.deepEqual(await storage.listCustomVersions(two, mine.evaluatorId), [])
    const change = { name: 'theirs', newVersion: { versionId: nextId(), definition } }
    assert.equal(await storage.changeCustomEvaluator(two, mine, change, AT_MS, LIMITS), undefined)
    const theirs = await make(storage, two, 'a')
    assert.notEqual(theirs.evaluatorId, mine.evaluatorId)
    assert.deepEqual(await storage.findCustomEvaluator(one, 'a'), mine)
  })
}

/** The promises of every store about executions. */
export function describeExecutions(harness: StorageHarness): void {
  test('an accepted execution survives a restart, and its first outcome stays', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const execution = { id: nextId(), evaluatorId: 'e', call: '{"input":{}}', atMs: AT_MS }
    assert.equal(await storage.createExecution(tenant, execution, OPEN_LIMITS), 'created')
    const reopened = await harness.reopen(storage)
    assert.deepEqual(await reopened.getExecution(tenant, execution.id, AT_MS), {
      evaluatorId: 'e',
      call: execution.call,
    })
    await reopened.finishExecution(tenant, execution.id, '{"output":1}')
    await reopened.finishExecution(tenant, execution.id, '{"output":2}')
    assert.deepEqual(await reopened.getExecution(tenant, execution.id, AT_MS), {
      evaluatorId: 'e',
      call: '',
      outcome: '{"output":1}',
    })
  })

  test('refuses more open executions than the limits, but not because of finished or old ones', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const add = (call: string, atMs = AT_MS) => {
      const id = nextId()
      const done = storage.createExecution(tenant, { id, evaluatorId: 'e', call, atMs }, OPEN_LIMITS)
      return done.then((outcome) => ({ id, outcome }))
    }
    const first = await add('x'.repeat(60))
    assert.equal((await add('x'.repeat(60))).outcome, 'full')
    await add('x')
    assert.equal((await add('x')).outcome, 'full')
    await storage.finishExecution(tenant, first.id, '{}')
    assert.equal((await add('x')).outcome, 'created')
    assert.equal((await add('x')).outcome, 'full')
    assert.equal((await add('x', AT_MS + EXECUTION_MS_MAX + 1)).outcome, 'created')
  })

  test('forgets an execution that is too old', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const execution = { id: nextId(), evaluatorId: 'e', call: '{}', atMs: AT_MS }
    await storage.createExecution(tenant, execution, OPEN_LIMITS)
    assert.ok(await storage.getExecution(tenant, execution.id, AT_MS + EXECUTION_MS_MAX))
    assert.equal(await storage.getExecution(tenant, execution.id, AT_MS + EXECUTION_MS_MAX + 1), undefined)
    await storage.work.dropExpired(AT_MS + EXECUTION_MS_MAX, 720)
    assert.ok(await storage.getExecution(tenant, execution.id, AT_MS))
    await storage.work.dropExpired(AT_MS + EXECUTION_MS_MAX + 1, 720)
    assert.equal(await storage.getExecution(tenant, execution.id, AT_MS), undefined)
  })

  test('keeps the executions of two tenants apart', async () => {
    const { storage, tenant: one } = await storeWithTenant(harness)
    const two = await createTenant(storage, 'two')
    const execution = { id: nextId(), evaluatorId: 'e', call: '{}', atMs: AT_MS }
    await storage.createExecution(one, execution, { openMax: 1, openCharsMax: 10 })
    assert.equal(await storage.getExecution(two, execution.id, AT_MS), undefined)
    const forged = { ...one, orgId: two.orgId }
    assert.equal(await storage.getExecution(forged, execution.id, AT_MS), undefined)
    await storage.finishExecution(two, execution.id, '{}')
    await storage.finishExecution(forged, execution.id, '{}')
    assert.equal((await storage.getExecution(one, execution.id, AT_MS))?.outcome, undefined)
    const another = { ...execution, id: nextId() }
    await assert.rejects(storage.createExecution(forged, another, OPEN_LIMITS))
    assert.equal(await storage.createExecution(two, another, { openMax: 1, openCharsMax: 10 }), 'created')
  })
}

function draft(slug: string) {
  return {
    evaluatorId: nextId(),
    versionId: nextId(),
    slug,
    name: 'My judge',
    description: 'Says so.',
    definition,
  }
}

async function make(storage: Storage, tenant: OrgTenant, slug: string): Promise<CustomEvaluator> {
  const created = await storage.createCustomEvaluator(tenant, draft(slug), AT_MS, LIMITS)
  assert.ok(typeof created === 'object')
  return created
}
