import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { AT_MS, createTenant, nextId } from '../../../tests/contract/contract-fixtures.ts'
import { admitAndScore, bindSetup } from '../../../tests/contract/result-fixtures.ts'
import { rawSqlite } from '../../../tests/support/raw-stores.ts'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import { eventually } from '../../../tests/support/spans.ts'
import type { EnvironmentTenant } from '../../domain/tenant.ts'
import { builtInId } from '../../evaluators/catalogue.ts'
import type { Storage } from '../../ports/storage.ts'
import { VerdictKeeper } from './verdict-keeper.ts'

const charCount = { slug: 'char-count', evaluatorId: builtInId('char-count') }
const LABELS = { pass: 'Fine', fail: 'Poor' }

async function openStore() {
  const raw = rawSqlite()
  const storage = await raw.open()
  const tenant = await createTenant(storage, 'one')
  const keeper = new VerdictKeeper({ storage, logger: recordingLogger([]) })
  after(async () => {
    await keeper.close()
    await storage.close()
  })
  return { raw, storage, tenant, keeper }
}

async function verdictsOf(storage: Storage, tenant: EnvironmentTenant) {
  const page = await storage.listEvaluations(tenant, {}, { order: 'oldest', limit: 10 })
  return page.evaluations.map(({ verdict }) => verdict)
}

test('after an upgrade monitors get the rule of their evaluator, and history its verdicts', async () => {
  const { raw, storage, tenant, keeper } = await openStore()
  await bindSetup(storage, tenant, 'a', { evaluators: [charCount] })
  await admitAndScore(storage, tenant, [{ atMs: AT_MS }], () => ({
    status: 'scored',
    output: { char_count: 4 },
  }))
  // As the migration leaves a store of an earlier version.
  await raw.run(
    'UPDATE evaluations SET verdict = NULL; UPDATE monitors SET verdict_rule = NULL, is_rule_stale = 1',
  )
  assert.deepEqual(await verdictsOf(storage, tenant), [undefined])
  keeper.start()
  await eventually(
    async () => (await verdictsOf(storage, tenant))[0] === 'neutral',
    'the verdict of an old result',
  )
})

test('a rule that the author of an evaluator changes judges stored results again', async () => {
  const { storage, tenant, keeper } = await openStore()
  const made = await storage.createCustomEvaluator(
    tenant,
    {
      ...{ evaluatorId: nextId(), versionId: nextId(), slug: 'stars', name: 'Stars', description: '' },
      definition: {
        provider: 'openai',
        messages: [{ role: 'user', content: 'Rate {{text}}.' }],
        modelConfig: { model: 'tiny' },
        inputSchema: [{ name: 'text', type: 'string', description: '', label: 'Text' }],
        outputSchema: [{ name: 'stars', type: 'int', description: '', label: 'Stars' }],
      },
    },
    AT_MS,
    { evaluatorsMax: 0, versionsMax: 10 },
  )
  assert.ok(typeof made === 'object')
  await bindSetup(storage, tenant, 'a', { evaluators: [{ slug: 'stars', evaluatorId: made.evaluatorId }] })
  const spans = [{ atMs: AT_MS }, { atMs: AT_MS + 1 }]
  await admitAndScore(storage, tenant, spans, ({ atMs }) => ({
    status: 'scored',
    output: { stars: atMs === AT_MS ? 2 : 4 },
  }))
  keeper.start()
  const verdict = {
    conditions: [{ field: 'stars', compare: 'at_least', threshold: 3 } as const],
    labels: LABELS,
  }
  await storage.changeCustomEvaluator(tenant, made, { verdict }, AT_MS, { evaluatorsMax: 0, versionsMax: 10 })
  await eventually(async () => {
    const [first, second] = await verdictsOf(storage, tenant)
    return first === 'fail' && second === 'pass'
  }, 'the verdicts of the new rule')
})

test('a monitor whose setup is gone keeps its rule', async () => {
  const { storage, tenant, keeper } = await openStore()
  const rule = {
    conditions: [{ field: 'char_count', compare: 'above', threshold: 3 } as const],
    labels: LABELS,
  }
  const { 'char-count': id = '' } = await bindSetup(
    storage,
    tenant,
    'a',
    { evaluators: [charCount] },
    {},
    rule,
  )
  await storage.deleteSetup(tenant, 'a', AT_MS)
  await bindSetup(storage, tenant, 'b', { evaluators: [charCount] }, {}, rule)
  keeper.start()
  await eventually(async () => {
    const monitors = await storage.listMonitors(tenant, { externalId: 'b' }, { limit: 1 })
    return monitors[0]?.verdictRule?.conditions.length === 0
  }, 'a monitor that lives gets the rule of its evaluator')
  assert.deepEqual((await storage.getMonitor(tenant, id))?.verdictRule, rule)
})
