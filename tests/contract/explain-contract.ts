import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UnitOutcome } from '../../src/domain/evaluation.ts'
import type { EnvironmentTenant } from '../../src/domain/tenant.ts'
import type { TraceDigest } from '../../src/domain/trace-digest.ts'
import { addUnit, emptyUnits } from '../../src/domain/unit-set.ts'
import type { ExplainedSpan, SetupDecision } from '../../src/ports/explain-storage.ts'
import type { Storage } from '../../src/ports/storage.ts'
import {
  AT_MS,
  charCount,
  create,
  createTenant,
  nextId,
  rule,
  type StorageHarness,
  storeWithTenant,
  wordCount,
} from './contract-fixtures.ts'
import { bindSetup, score } from './result-fixtures.ts'
import { admit, admitNamed, idsOf, packed } from './span-fixtures.ts'

/** Stores one span that every setup matches; tells where it lies. */
async function admitMatching(
  storage: Storage,
  tenant: EnvironmentTenant,
  name: string,
): Promise<ExplainedSpan> {
  const { batchId } = await admit(storage, tenant, await packed(storage, tenant, [name], true))
  const [traceId, spanId] = idsOf(name)
  return { batchId, ordinal: 0, traceId, spanId }
}

async function decisionsOf(
  storage: Storage,
  tenant: EnvironmentTenant,
  span: ExplainedSpan,
  externalId?: string,
): Promise<readonly SetupDecision[]> {
  const range = { limit: 100, ...(externalId === undefined ? {} : { externalId }) }
  const decisions = await storage.readDecisions(tenant, span, range)
  assert.ok(decisions)
  return decisions.setups
}

/** The promises of every store about the explanation of decisions. */
export function describeExplanations(harness: StorageHarness): void {
  test('tells the version that decided, also after the setup was changed or deleted', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await create(storage, tenant, 'kept', { evaluators: [charCount], selector: [rule] })
    await create(storage, tenant, 'changed', { evaluators: [charCount] })
    await create(storage, tenant, 'deleted', { evaluators: [charCount] })
    const span = await admitMatching(storage, tenant, 'a')
    await storage.updateSetup(tenant, 'changed', { evaluators: [wordCount] }, AT_MS + 1)
    await storage.deleteSetup(tenant, 'deleted', AT_MS + 2)
    const setups = await decisionsOf(storage, tenant, span)
    assert.deepEqual(
      setups.map((one) => [one.externalId, one.decidedBy?.version, one.currentVersion, one.deletedAtMs]),
      [
        ['kept', 1, 1, undefined],
        ['changed', 1, 2, undefined],
        ['deleted', 1, 1, AT_MS + 2],
      ],
    )
    assert.ok(setups.every(({ isMatched, isGone }) => isMatched && !isGone))
    assert.deepEqual(setups[0]?.decidedBy?.selector, [rule])
    assert.deepEqual(setups[1]?.decidedBy?.evaluators, [{ ...charCount, override: {} }])
    assert.deepEqual(
      setups[1]?.entries.map(({ slug }) => slug),
      ['word-count'],
    )
  })

  test('lists setups made later without a decision, and those gone before only by their name', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await create(storage, tenant, 'gone', { evaluators: [charCount] })
    await storage.deleteSetup(tenant, 'gone', AT_MS)
    const span = await admitMatching(storage, tenant, 'a')
    await create(storage, tenant, 'later', { evaluators: [charCount] })
    await storage.updateSetup(tenant, 'later', { evaluators: [wordCount] }, AT_MS + 1)
    const standing = (setups: readonly SetupDecision[]) =>
      setups.map((one) => [one.externalId, one.decidedBy, one.isGone, one.isMatched])
    assert.deepEqual(standing(await decisionsOf(storage, tenant, span)), [['later', undefined, false, false]])
    assert.deepEqual(standing(await decisionsOf(storage, tenant, span, 'gone')), [
      ['gone', undefined, true, false],
    ])
    assert.deepEqual(await decisionsOf(storage, tenant, span, 'nobody'), [])
  })

  test('says of setups of other environments that they are of another one, when they are named', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const staging = { envProjectId: 'staging', slug: 'stg' }
    assert.equal(await storage.createEnvironment(tenant, staging, AT_MS), 'created')
    await create(storage, { ...tenant, envProjectId: 'staging' }, 'there', { evaluators: [charCount] })
    const batch = await packed(storage, tenant, ['a'])
    const { batchId } = await admit(storage, tenant, batch)
    const [traceId, spanId] = idsOf('a')
    const span = { batchId, ordinal: 0, traceId, spanId }
    assert.deepEqual(await decisionsOf(storage, tenant, span), [])
    const [named] = await decisionsOf(storage, tenant, span, 'there')
    assert.deepEqual([named?.isOfSameEnvironment, named?.environment], [false, 'stg'])
  })

  test('tells the work on the span and what came of it', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await bindSetup(storage, tenant, 'a', { evaluators: [charCount] }, { samplingRate: 0.5 })
    const span = await admitMatching(storage, tenant, 'a')
    const monitor = async () => (await decisionsOf(storage, tenant, span))[0]?.monitors[0]
    const before = await monitor()
    assert.deepEqual([before?.slug, before?.samplingRate, before?.isActive], ['char-count', 0.5, true])
    assert.deepEqual(before?.work, { state: 'ready', hasUnit: true, attempts: 0, readyAtMs: 0 })
    const [work] = await storage.work.claimWork('local', 1, 60_000)
    assert.ok(work)
    const leased = (await monitor())?.work
    assert.deepEqual([leased?.state, leased?.attempts], ['leased', 1])
    assert.ok((leased?.leaseUntilMs ?? 0) > Date.now())
    await storage.work.retryWork([work], 60_000)
    const putOff = (await monitor())?.work
    assert.deepEqual([putOff?.state, putOff?.attempts, putOff?.leaseUntilMs], ['ready', 1, undefined])
    assert.ok((putOff?.readyAtMs ?? 0) > Date.now())
    await storage.work.retryWork([work], 0)
  })

  test('tells the evaluation of exactly this span', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await bindSetup(storage, tenant, 'a', { evaluators: [charCount] })
    const span = await admitMatching(storage, tenant, 'a')
    const scored = { status: 'scored', output: { char_count: 3 } } as const
    await score(storage, [{ ...span, atMs: AT_MS }], () => scored)
    const other = await admitMatching(storage, tenant, 'b')
    const [setup] = await decisionsOf(storage, tenant, span)
    const evaluation = setup?.monitors[0]?.evaluation
    assert.deepEqual(
      [evaluation?.status, evaluation?.output, evaluation?.generation],
      ['scored', { char_count: 3 }, 1],
    )
    assert.equal(setup?.monitors[0]?.work?.state, 'done')
    for (const ids of [{ spanId: other.spanId }, { traceId: other.traceId }]) {
      const [neighbour] = await decisionsOf(storage, tenant, { ...span, ...ids })
      assert.equal(neighbour?.monitors[0]?.evaluation, undefined)
    }
    const [unscored] = await decisionsOf(storage, tenant, other)
    assert.equal(unscored?.monitors[0]?.evaluation, undefined)
    assert.equal(unscored?.monitors[0]?.work?.state, 'ready')
    await storage.deleteSetup(tenant, 'a', AT_MS)
    const [cancelled] = await decisionsOf(storage, tenant, other)
    assert.deepEqual(
      [cancelled?.monitors[0]?.work?.state, cancelled?.monitors[0]?.isActive],
      ['cancelled', false],
    )
  })

  test('tells of the trace or session of a span what a monitor that looks at more than one span has to do', async () => {
    for (const scope of ['trace', 'session'] as const) {
      const { storage, tenant } = await storeWithTenant(harness)
      await bindSetup(storage, tenant, 'a', { evaluators: [charCount] }, { scope })
      const span = await admitMatching(storage, tenant, 'a')
      const monitor = async () => (await decisionsOf(storage, tenant, span))[0]?.monitors[0]
      assert.equal((await monitor())?.unit, undefined, 'nobody knows the trace yet')
      const units = emptyUnits(1)
      addUnit(units, 0)
      const trace: TraceDigest = {
        ...{ traceId: span.traceId, units, spanCount: 1, errorCount: 0, firstMs: AT_MS, lastMs: AT_MS + 1 },
        ...{ modelCalls: 0, promptTokens: 0, completionTokens: 0, models: new Map(), isComplete: false },
        sessionId: 'conversation',
      }
      const { after } = await storage.digest.readUndigested(10)
      const digests = [{ batchId: span.batchId, traces: [trace], usage: [] }]
      assert.ok(await storage.digest.recordDigests(after, digests, 1_000))
      const open = await monitor()
      assert.equal(open?.work, undefined)
      assert.deepEqual([open?.unit?.scope, open?.unit?.state, open?.unit?.attempts], [scope, 'open', 0])
      assert.equal(open?.unit?.changedAtMs, AT_MS)
      assert.ok((open?.unit?.lookAtMs ?? 0) >= AT_MS + 1_000)
      const [unit] = await storage.units.claimUnits(10, 60_000)
      assert.ok(unit)
      assert.ok(((await monitor())?.unit?.leaseUntilMs ?? 0) > Date.now())
      const outcome: UnitOutcome = {
        ...{ ordinal: 0, traceId: span.traceId, spanId: '', unitAtMs: AT_MS, durationUs: 1 },
        status: 'scored',
        output: { char_count: 7 },
      }
      assert.ok(await storage.units.recordUnit(unit, outcome))
      const done = await monitor()
      assert.deepEqual([done?.unit?.state, done?.evaluation?.output], ['done', { char_count: 7 }])
      const other = await admitMatching(storage, tenant, 'b')
      const [stranger] = await decisionsOf(storage, tenant, other)
      assert.deepEqual(
        [stranger?.monitors[0]?.unit, stranger?.monitors[0]?.evaluation],
        [undefined, undefined],
      )
    }
  })

  test('tells of a match that a backfill has made, and with which version', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await create(storage, tenant, 'changed', { evaluators: [charCount] })
    const batch = await packed(storage, tenant, ['a', 'b'])
    const { batchId } = await admit(storage, tenant, batch)
    await bindSetup(storage, tenant, 'changed', { evaluators: [wordCount] })
    await bindSetup(storage, tenant, 'later', { evaluators: [charCount] })
    for (const externalId of ['changed', 'later']) {
      const request = {
        kind: 'backfill',
        externalId,
        fromMs: 0,
        toMs: AT_MS + 1,
        limit: 10,
        samplingRate: 1,
      } as const
      const job = await storage.createJob(tenant, { id: nextId(), request, atMs: AT_MS, activeMax: 10 })
      assert.ok(typeof job === 'object')
      const { backfill } = await storage.jobs.takeTurn()
      assert.ok(backfill)
      const units = emptyUnits(2)
      addUnit(units, 1)
      const decided = { batchId, receivedAtMs: AT_MS, spanCount: 2, units, ids: batch.ids }
      assert.ok(await storage.jobs.recordBackfill(backfill, [decided]))
      await storage.jobs.takeTurn()
    }
    const told = async (ordinal: number, name: string) => {
      const [traceId, spanId] = idsOf(name)
      return (await decisionsOf(storage, tenant, { batchId, ordinal, traceId, spanId })).map((one) => [
        ...[one.externalId, one.isMatched, one.isBackfilled, one.decidedBy?.version],
      ])
    }
    assert.deepEqual(await told(0, 'a'), [
      ['changed', false, false, 1],
      ['later', false, false, undefined],
    ])
    assert.deepEqual(await told(1, 'b'), [
      ['changed', true, true, 2],
      ['later', true, true, 1],
    ])
  })

  test('explains setups page by page, and nothing of anybody else', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    for (const name of ['a', 'b', 'c']) await create(storage, tenant, name, { evaluators: [charCount] })
    const span = await admitMatching(storage, tenant, 'a')
    const names: string[] = []
    for (let afterSetupId = ''; ; ) {
      const page = await storage.readDecisions(tenant, span, { limit: 2, afterSetupId })
      names.push(...(page?.setups.map(({ externalId }) => externalId) ?? []))
      afterSetupId = page?.setups.at(-1)?.setupId ?? ''
      if (afterSetupId === '') break
    }
    assert.deepEqual(names, ['a', 'b', 'c'])
    const stranger = await createTenant(storage, 'two')
    await create(storage, stranger, 'theirs', { evaluators: [charCount] })
    assert.equal(await storage.readDecisions(stranger, span, { limit: 10 }), undefined)
    assert.equal(await storage.readDecisions(tenant, { ...span, batchId: 999 }, { limit: 10 }), undefined)
    assert.equal((await decisionsOf(storage, tenant, span)).length, 3)
    await create(storage, stranger, 'a', { evaluators: [charCount] })
    assert.equal((await decisionsOf(storage, tenant, span, 'a')).length, 1)
    assert.deepEqual(await decisionsOf(storage, tenant, span, 'theirs'), [])
  })

  test('lists batches of an environment by arrival, newest first, with what was repeated in them', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const batches: number[] = []
    for (const [at, names] of [['a'], ['b', 'a'], ['c']].entries()) {
      const batch = await packed(storage, tenant, names)
      batches.push((await admit(storage, tenant, { ...batch, receivedAtMs: AT_MS + at })).batchId)
    }
    const [first, second, third] = batches
    const range = { envProjectId: tenant.envProjectId, fromMs: AT_MS, toMs: AT_MS + 10, limit: 10 }
    const listed = await storage.listBatches(tenant, range)
    assert.deepEqual(
      listed.map(({ batchId, spanCount, repeated }) => [batchId, spanCount, repeated]),
      [
        [third, 1, []],
        [second, 2, [1]],
        [first, 1, []],
      ],
    )
    const idsIn = async (changes: object) =>
      (await storage.listBatches(tenant, { ...range, ...changes })).map(({ batchId }) => batchId)
    assert.deepEqual(await idsIn({ toMs: AT_MS + 2 }), [second, first])
    assert.deepEqual(await idsIn({ fromMs: AT_MS + 1 }), [third, second])
    assert.deepEqual(await idsIn({ limit: 1 }), [third])
    assert.deepEqual(await idsIn({ after: listed[0] }), [second, first])
    assert.deepEqual(await idsIn({ envProjectId: 'another' }), [])
    const stranger = await createTenant(storage, 'two')
    assert.deepEqual(await storage.listBatches(stranger, range), [])
  })

  test('lists the batches that no trace knows of yet', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const stranger = await createTenant(storage, 'two')
    const first = await admitNamed(storage, tenant, 'a')
    await admitNamed(storage, stranger, 'b')
    const second = await admitNamed(storage, tenant, 'c')
    const ids = async (who: EnvironmentTenant, limit = 10) =>
      (await storage.listUndigestedBatches(who, limit)).map(({ batchId }) => batchId)
    assert.deepEqual(await ids(tenant), [second, first])
    assert.deepEqual(await ids(tenant, 1), [second])
    const { after } = await storage.digest.readUndigested(10)
    assert.ok(await storage.digest.recordDigests(after, [{ batchId: first, traces: [], usage: [] }], 0))
    assert.deepEqual(await ids(tenant), [second])
  })
}
