import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EnvironmentTenant } from '../../src/domain/tenant.ts'
import { VERDICT_PROPERTY, type Verdict, type VerdictRule } from '../../src/domain/verdict.ts'
import { atLeast, isTrue, judgesBy, NEUTRAL } from '../../src/evaluators/kit/verdict-rule.ts'
import type { Storage } from '../../src/ports/storage.ts'
import {
  AT_MS,
  charCount,
  nextId,
  type StorageHarness,
  storeWithTenant,
  wordCount,
} from './contract-fixtures.ts'
import { admitAndScore, bindSetup, type StoredSpan } from './result-fixtures.ts'

const MINUTE_MS = 60_000
const LABELS = { pass: 'Long', fail: 'Short' }
const longerThan = (chars: number): VerdictRule => judgesBy(atLeast('char_count', chars), LABELS)

/** Spans whose outputs are these numbers, a minute apart. */
function scoreValues(storage: Storage, tenant: EnvironmentTenant, values: readonly (number | 'error')[]) {
  const spans = values.map((_, at) => ({ atMs: AT_MS + at * MINUTE_MS }))
  return admitAndScore(storage, tenant, spans, ({ atMs }: StoredSpan) => {
    const value = values[(atMs - AT_MS) / MINUTE_MS]
    return typeof value === 'number'
      ? { status: 'scored', output: { char_count: value } }
      : { status: 'error', errorMessage: 'no text' }
  })
}

async function verdictsOf(storage: Storage, tenant: EnvironmentTenant, verdict?: Verdict) {
  const filter = verdict === undefined ? {} : { verdict }
  const page = await storage.listEvaluations(tenant, filter, { order: 'oldest', limit: 1_000 })
  return page.evaluations.map(({ output, verdict: found }) => [output?.['char_count'], found])
}

/** How many were judged and how many passed, minute by minute, as charts read it. */
async function passRates(storage: Storage, tenant: EnvironmentTenant, monitorId: string) {
  const [fromMs, toMs] = [AT_MS, AT_MS + 10 * MINUTE_MS].map((atMs) => atMs - (atMs % MINUTE_MS))
  const query = { monitorId, property: VERDICT_PROPERTY, bucketMs: MINUTE_MS }
  const buckets = await storage.readSeries(tenant, {
    ...query,
    fromMs: fromMs as number,
    toMs: toMs as number,
  })
  return buckets.map(({ count, sum }) => [count, sum])
}

async function numberOf(storage: Storage): Promise<number> {
  const [monitor] = await storage.verdicts.listRuledMonitors({ afterNumber: 0, limit: 10, isStale: false })
  assert.ok(monitor)
  return monitor.number
}

/** Judges everything again, a few at a time; tells how many steps that took. */
async function deriveAll(storage: Storage, limit: number): Promise<number> {
  let steps = 0
  while (await storage.verdicts.deriveVerdicts(limit)) steps++
  return steps
}

/** The promises of every store about verdicts. */
export function describeVerdicts(harness: StorageHarness): void {
  test('judges scores by the rule of their monitor, and nothing that was not scored', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const rule = longerThan(5)
    const monitors = await bindSetup(storage, tenant, 'a', { evaluators: [charCount] }, {}, rule)
    await scoreValues(storage, tenant, [4, 5, 'error', 9])
    assert.deepEqual(await verdictsOf(storage, tenant), [
      [4, 'fail'],
      [5, 'pass'],
      [undefined, undefined],
      [9, 'pass'],
    ])
    assert.deepEqual(await verdictsOf(storage, tenant, 'fail'), [[4, 'fail']])
    assert.deepEqual(
      (await verdictsOf(storage, tenant, 'pass')).map(([value]) => value),
      [5, 9],
    )
    assert.deepEqual(await verdictsOf(storage, tenant, 'neutral'), [])
    assert.deepEqual(await passRates(storage, tenant, monitors['char-count'] ?? ''), [
      [1, 0],
      [1, 1],
      [0, undefined],
      [1, 1],
    ])
    const monitor = await storage.getMonitor(tenant, monitors['char-count'] ?? '')
    assert.deepEqual(monitor?.verdictRule, rule)
    assert.equal(await deriveAll(storage, 10), 0)
  })

  test('a neutral rule counts for no pass rate', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const monitors = await bindSetup(storage, tenant, 'a', { evaluators: [charCount] })
    await scoreValues(storage, tenant, [4])
    assert.deepEqual(await verdictsOf(storage, tenant, 'neutral'), [[4, 'neutral']])
    assert.deepEqual(await passRates(storage, tenant, monitors['char-count'] ?? ''), [[0, undefined]])
  })

  test('judges stored scores again in small steps when the rule changes, and new ones by the new rule', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const monitors = await bindSetup(storage, tenant, 'a', { evaluators: [charCount] }, {}, longerThan(5))
    const id = monitors['char-count'] ?? ''
    await scoreValues(storage, tenant, [4, 5, 'error', 9, 6])
    await storage.verdicts.assignRules([{ monitor: await numberOf(storage), rule: longerThan(6) }])
    assert.equal((await storage.getMonitor(tenant, id))?.verdictProgress, 0)
    assert.equal(await storage.verdicts.deriveVerdicts(2), true)
    const progress = (await storage.getMonitor(tenant, id))?.verdictProgress as number
    assert.ok(progress > 0 && progress < 1, String(progress))
    assert.deepEqual(
      (await verdictsOf(storage, tenant)).map(([, verdict]) => verdict),
      ['fail', 'fail', undefined, 'pass', 'pass'],
    )
    await deriveAll(storage, 2)
    const monitor = await storage.getMonitor(tenant, id)
    assert.deepEqual([monitor?.verdictProgress, monitor?.versions.length], [undefined, 1])
    assert.deepEqual(await passRates(storage, tenant, id), [
      [1, 0],
      [1, 0],
      [0, undefined],
      [1, 1],
      [1, 1],
    ])
    await admitAndScore(storage, tenant, [{ atMs: AT_MS + 9 * MINUTE_MS }], () => ({
      status: 'scored',
      output: { char_count: 5 },
    }))
    assert.deepEqual((await verdictsOf(storage, tenant)).at(-1), [5, 'fail'])
    assert.equal(await deriveAll(storage, 10), 0)
  })

  test('binding again with another rule judges again; the same conditions under other names do not', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const change = { evaluators: [charCount] }
    await bindSetup(storage, tenant, 'a', change, {}, longerThan(5))
    await scoreValues(storage, tenant, [4, 5])
    const renamed = judgesBy(atLeast('char_count', 5), { pass: 'Fine', fail: 'Poor' })
    const { 'char-count': id = '' } = await bindSetup(storage, tenant, 'a', change, {}, renamed)
    assert.equal(await deriveAll(storage, 10), 0)
    assert.deepEqual((await storage.getMonitor(tenant, id))?.verdictRule?.labels, renamed.labels)
    await bindSetup(storage, tenant, 'a', change, {}, longerThan(4))
    assert.equal(await deriveAll(storage, 10), 1)
    assert.deepEqual(
      (await verdictsOf(storage, tenant)).map(([, verdict]) => verdict),
      ['pass', 'pass'],
    )
  })

  test('a deleted trace leaves the pass rate', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const monitors = await bindSetup(storage, tenant, 'a', { evaluators: [charCount] }, {}, longerThan(5))
    // Of the same minute: one that is left without any unit would not be shown, whatever it counts.
    const spans = [{ atMs: AT_MS }, { atMs: AT_MS + 1 }]
    const [first] = await admitAndScore(storage, tenant, spans, ({ atMs }) => ({
      status: 'scored',
      output: { char_count: atMs === AT_MS ? 4 : 5 },
    }))
    assert.deepEqual(await passRates(storage, tenant, monitors['char-count'] ?? ''), [[2, 1]])
    await storage.deleteTrace(tenant, first?.traceId ?? '', AT_MS)
    while (await storage.erasure.eraseDeleted(AT_MS));
    assert.deepEqual(await passRates(storage, tenant, monitors['char-count'] ?? ''), [[1, 1]])
    assert.deepEqual(await verdictsOf(storage, tenant, 'fail'), [])
  })

  test('the rules of monitors with the least progress are applied first, so that none waits for another', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const both = { evaluators: [charCount, wordCount] }
    await bindSetup(storage, tenant, 'a', both, {}, NEUTRAL)
    await scoreValues(storage, tenant, [1, 2, 3, 4])
    const monitors = await storage.verdicts.listRuledMonitors({ afterNumber: 0, limit: 10, isStale: false })
    await storage.verdicts.assignRules(
      monitors.map(({ number }) => ({ monitor: number, rule: longerThan(0) })),
    )
    await storage.verdicts.deriveVerdicts(1)
    await storage.verdicts.deriveVerdicts(1)
    const page = await storage.listEvaluations(tenant, { verdict: 'pass' }, { order: 'oldest', limit: 10 })
    assert.deepEqual(new Set(page.evaluations.map(({ slug }) => slug)), new Set(['char-count', 'word-count']))
  })

  test('a custom evaluator keeps the rule that was chosen, and its monitors are to be looked at', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const definition = {
      provider: 'openai',
      messages: [{ role: 'user' as const, content: 'Judge {{text}}.' }],
      modelConfig: { model: 'gpt-4o' },
      inputSchema: [{ name: 'text', type: 'string' as const, description: '', label: 'Text' }],
      outputSchema: [{ name: 'good', type: 'boolean' as const, description: '', label: 'Good' }],
    }
    const limits = { evaluatorsMax: 0, versionsMax: 10 }
    const draft = { evaluatorId: nextId(), versionId: nextId(), slug: 'mine', name: 'Mine', description: '' }
    const made = await storage.createCustomEvaluator(tenant, { ...draft, definition }, AT_MS, limits)
    assert.ok(typeof made === 'object')
    assert.deepEqual([made.verdict.conditions, made.chosenVerdict], [[isTrue('good')], undefined])
    await bindSetup(storage, tenant, 'a', { evaluators: [{ slug: 'mine', evaluatorId: made.evaluatorId }] })
    const stale = { afterNumber: 0, limit: 10, isStale: true }
    assert.deepEqual(await storage.verdicts.listRuledMonitors(stale), [])
    const verdict = judgesBy({ field: 'good', is: false }, LABELS)
    const changed = await storage.changeCustomEvaluator(tenant, made, { verdict }, AT_MS, limits)
    assert.ok(typeof changed === 'object')
    assert.deepEqual([changed.verdict, changed.chosenVerdict, changed.version], [verdict, verdict, 1])
    const [monitor] = await storage.verdicts.listRuledMonitors(stale)
    assert.equal(monitor?.evaluatorId, made.evaluatorId)
    const reopened = await harness.reopen(storage)
    assert.deepEqual((await reopened.findCustomEvaluator(tenant, 'mine'))?.verdict, verdict)
    await reopened.changeCustomEvaluator(tenant, made, { name: 'Other name' }, AT_MS, limits)
    assert.deepEqual((await reopened.findCustomEvaluator(tenant, 'mine'))?.chosenVerdict, verdict)
    const back = await reopened.changeCustomEvaluator(tenant, made, { verdict: null }, AT_MS, limits)
    assert.ok(typeof back === 'object')
    assert.deepEqual([back.verdict.conditions, back.chosenVerdict], [[isTrue('good')], undefined])
  })
}
