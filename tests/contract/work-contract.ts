import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UnitOutcome } from '../../src/domain/evaluation.ts'
import type { MonitorPlan } from '../../src/domain/monitor.ts'
import type { Setup, SetupChange } from '../../src/domain/setup.ts'
import type { EnvironmentTenant } from '../../src/domain/tenant.ts'
import { addUnit, emptyUnits, listUnits } from '../../src/domain/unit-set.ts'
import { NEUTRAL } from '../../src/evaluators/kit/verdict-rule.ts'
import type { Storage } from '../../src/ports/storage.ts'
import type { ClaimedSetup, ClaimedWork } from '../../src/ports/work-storage.ts'
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
import { admit, idsOf, packed, SECOND } from './span-fixtures.ts'

/** The outcome of a record whose lease is no longer valid. */
const REFUSED = { evaluations: 0, refused: [0] }
const LEASE_MS = 60_000
const PLAN: MonitorPlan = {
  ...charCount,
  evaluatorVersion: 1,
  scope: 'span',
  config: {},
  mapping: { text: { from: { field: 'completion' } } },
  samplingRate: 1,
}

/** The promises of every store about spans, decisions, work and evaluations. */
export function describeWork(harness: StorageHarness): void {
  describeAdmission(harness)
  describeBinding(harness)
  describeRecord(harness)
  describeJudgedWork(harness)
  describeChanges(harness)
  describeUpkeep(harness)
}

function describeAdmission(harness: StorageHarness): void {
  test('keeps the spans of a batch and gives its bytes back', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const batch = { ...(await packed(storage, tenant, ['a', 'b'])), knownFaults: [1, 7] }
    const { batchId } = await admit(storage, tenant, batch)
    const refs = await storage.listSpanRefs(tenant, allSpans())
    assert.deepEqual(
      refs.map(({ traceId, spanId, ordinal, second }) => [traceId, spanId, ordinal, second]).toSorted(),
      ['a', 'b'].map((name, at) => [...idsOf(name), at, SECOND]).toSorted(),
    )
    const [stored] = await storage.readBatches(tenant, [batchId, batchId + 100])
    assert.deepEqual(Buffer.from(stored?.bytes ?? []), Buffer.from('bytes'))
    assert.deepEqual(stored?.knownFaults, [1, 7])
    assert.deepEqual([stored?.byteLength, stored?.envProjectId], [5, tenant.envProjectId])
  })

  test('recognises a span that was sent before, also within one batch, and keeps no batch of only such', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    assert.equal((await admit(storage, tenant, await packed(storage, tenant, ['a', 'b', 'a']))).newSpans, 2)
    const again = await admit(storage, tenant, await packed(storage, tenant, ['b', 'c']))
    assert.equal(again.newSpans, 1)
    const only = await admit(storage, tenant, await packed(storage, tenant, ['a', 'b', 'c']))
    assert.equal(only.newSpans, 0)
    assert.deepEqual(await storage.readBatches(tenant, [only.batchId]), [])
    assert.equal((await storage.listSpanRefs(tenant, allSpans())).length, 3)
  })

  test('pages spans by time in both directions', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const names = ['a', 'b', 'c', 'd', 'e']
    const batch = await packed(storage, tenant, names)
    batch.startSeconds.set([5, 3, 4, 3, 9].map((second) => SECOND + second))
    await admit(storage, tenant, batch)
    const all = await storage.listSpanRefs(tenant, allSpans())
    assert.deepEqual(
      all.map(({ second }) => second - SECOND),
      [3, 3, 4, 5, 9],
    )
    const backwards = await storage.listSpanRefs(tenant, { ...allSpans(), isDescending: true })
    assert.deepEqual(backwards, all.toReversed())
    const [first, second] = await storage.listSpanRefs(tenant, { ...allSpans(), limit: 2 })
    assert.ok(second)
    assert.deepEqual(
      [first, second, ...(await storage.listSpanRefs(tenant, { ...allSpans(), after: second }))],
      all,
    )
  })

  test('refuses a batch that was decided with setups that have changed since', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const batch = await packed(storage, tenant, ['a'])
    await create(storage, tenant, 's', { evaluators: [charCount], selector: [rule] })
    assert.equal(await storage.admitSpans(tenant, batch), 'stale')
    assert.deepEqual(await storage.listSpanRefs(tenant, allSpans()), [])
    assert.notEqual(await storage.admitSpans(tenant, await packed(storage, tenant, ['a'])), 'stale')
  })

  test('takes a batch whose setups were read after it arrived, although they have changed since', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await create(storage, tenant, 's', { evaluators: [charCount], selector: [rule] })
    const batch = await packed(storage, tenant, ['a'], true)
    await storage.deleteSetup(tenant, 's', AT_MS)
    const admission = await admit(storage, tenant, { ...batch, isDecidedAfterArrival: true })
    assert.deepEqual([admission.newSpans, admission.hasWork], [1, false])
    assert.equal((await storage.listSpanRefs(tenant, allSpans())).length, 1)
  })

  test('tells what changed in the catalogue since a revision', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const none = await storage.readCatalogue(tenant)
    assert.deepEqual(none.current, [])
    const kept = await create(storage, tenant, 'kept', { evaluators: [charCount], selector: [rule] })
    const gone = await create(storage, tenant, 'gone', { evaluators: [charCount], selector: [rule] })
    const both = await storage.readCatalogue(tenant, none.revision)
    assert.deepEqual(
      both.current.map(({ setupId }) => setupId),
      [kept.id, gone.id],
    )
    assert.deepEqual(both.current[0]?.selector, [rule])
    assert.equal(both.current[0]?.envProjectId, tenant.envProjectId)
    await storage.deleteSetup(tenant, 'gone', AT_MS)
    await update(storage, tenant, 'kept', { selector: [] })
    const passing = await create(storage, tenant, 'passing', { evaluators: [charCount] })
    await storage.deleteSetup(tenant, 'passing', AT_MS)
    const change = await storage.readCatalogue(tenant, both.revision)
    assert.deepEqual(
      change.current.map(({ setupId, selector }) => [setupId, selector]),
      [[kept.id, []]],
    )
    assert.deepEqual(change.endedSetupIds.toSorted(), [kept.id, gone.id].toSorted())
    assert.ok(!change.endedSetupIds.includes(passing.id))
    assert.deepEqual(await storage.readCatalogue(tenant, change.revision), {
      revision: change.revision,
      current: [],
      endedSetupIds: [],
    })
    const whole = await storage.readCatalogue(tenant)
    assert.deepEqual(
      whole.current.map(({ setupId }) => setupId),
      [kept.id],
    )
  })

  test('does not take a PUT that changes nothing for a change of the catalogue', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await create(storage, tenant, 's', { evaluators: [charCount] })
    const { revision } = await storage.readCatalogue(tenant)
    await update(storage, tenant, 's', { evaluators: [charCount] })
    assert.equal((await storage.readCatalogue(tenant)).revision, revision)
  })

  test('shows one project nothing of another', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const stranger = await createTenant(storage, 'stranger')
    await create(storage, tenant, 's', { evaluators: [charCount] })
    const { batchId } = await admit(storage, tenant, await packed(storage, tenant, ['a']))
    assert.deepEqual(await storage.listSpanRefs(stranger, allSpans()), [])
    assert.deepEqual(await storage.readBatches(stranger, [batchId]), [])
    assert.deepEqual((await storage.readCatalogue(stranger)).current, [])
    assert.equal((await admit(storage, stranger, await packed(storage, stranger, ['a']))).newSpans, 1)
    await assert.rejects(
      storage.readCatalogue({ orgId: stranger.orgId, projectId: tenant.projectId }),
      /does not exist/,
    )
  })
}

function describeBinding(harness: StorageHarness): void {
  test('hands out a pending setup once, until its lease runs out', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const setup = await create(storage, tenant, 's', { evaluators: [charCount] })
    const [claim] = await storage.work.claimSetups(10, LEASE_MS, Number.MAX_SAFE_INTEGER)
    assert.equal(claim?.setup.id, setup.id)
    assert.equal((await storage.getSetup(tenant, 's'))?.status, 'in_progress')
    assert.equal((await storage.getSetup(tenant, 's'))?.entries[0]?.status, 'in_progress')
    assert.deepEqual(await storage.work.claimSetups(10, LEASE_MS, Number.MAX_SAFE_INTEGER), [])
    await update(storage, tenant, 's', { evaluators: [charCount] })
    const [expired] = await storage.work.claimSetups(10, 0, Number.MAX_SAFE_INTEGER)
    const [later] = await storage.work.claimSetups(10, LEASE_MS, Number.MAX_SAFE_INTEGER)
    assert.ok(claim && expired && later)
    for (const old of [claim, expired]) {
      assert.equal(await storage.work.finishSetup(old, bound('completed')), false)
    }
    assert.equal((await storage.getSetup(tenant, 's'))?.status, 'in_progress')
    assert.ok(await storage.work.finishSetup(later, bound('completed')))
    assert.equal((await storage.getSetup(tenant, 's'))?.status, 'completed')
  })

  test('leaves a setup alone that was written only just now', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await create(storage, tenant, 's', { evaluators: [charCount] })
    assert.deepEqual(await storage.work.claimSetups(10, LEASE_MS, AT_MS), [])
    assert.equal((await storage.work.claimSetups(10, LEASE_MS, AT_MS + 1)).length, 1)
  })

  test('does not let a worker finish a setup that was changed or deleted meanwhile', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    for (const meanwhile of [
      () => update(storage, tenant, 's', { selector: [rule] }),
      () => storage.deleteSetup(tenant, 's', AT_MS),
    ]) {
      await create(storage, tenant, 's', { evaluators: [charCount] }).catch(() => {})
      const [claim] = await storage.work.claimSetups(10, LEASE_MS, Number.MAX_SAFE_INTEGER)
      assert.ok(claim)
      await meanwhile()
      assert.equal(await storage.work.finishSetup(claim, bound('completed')), false)
    }
    assert.equal(await storage.getSetup(tenant, 's'), undefined)
  })

  test('takes up a waiting setup again when a span matches, and samples what matched', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await create(storage, tenant, 's', { evaluators: [charCount] })
    await admit(storage, tenant, await packed(storage, tenant, ['unmatched']))
    const [claim] = await storage.work.claimSetups(10, LEASE_MS, Number.MAX_SAFE_INTEGER)
    assert.ok(claim)
    const sample = await storage.work.sampleMatches(claim, 10)
    assert.deepEqual([sample.spanCount, sample.batches], [0, []])
    await storage.work.finishSetup(claim, {
      status: 'waiting_for_spans',
      entries: [],
      lookedThrough: sample.through,
      atMs: AT_MS,
    })
    const waiting = await storage.getSetup(tenant, 's')
    assert.deepEqual([waiting?.status, waiting?.entries[0]?.status], ['waiting_for_spans', 'pending'])
    assert.deepEqual(await storage.work.claimSetups(10, LEASE_MS, Number.MAX_SAFE_INTEGER), [])
    const matched = await admitMatching(storage, tenant, ['a', 'b'])
    assert.ok(matched.hasUnbound)
    const [again] = await storage.work.claimSetups(10, LEASE_MS, Number.MAX_SAFE_INTEGER)
    assert.ok(again)
    const { spanCount, batches } = await storage.work.sampleMatches(again, 10)
    assert.equal(spanCount, 2)
    assert.deepEqual(
      batches.map(({ batch, units }) => [batch.batchId, listUnits(units)]),
      [[matched.batchId, [0, 1]]],
    )
  })

  test('misses no span that matches while a setup is being processed', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await create(storage, tenant, 's', { evaluators: [charCount] })
    const [claim] = await storage.work.claimSetups(10, LEASE_MS, Number.MAX_SAFE_INTEGER)
    assert.ok(claim)
    const { through } = await storage.work.sampleMatches(claim, 10)
    await admitMatching(storage, tenant, ['a'])
    const outcome = { status: 'waiting_for_spans', entries: [], lookedThrough: through, atMs: AT_MS } as const
    await storage.work.finishSetup(claim, outcome)
    assert.equal((await storage.work.claimSetups(10, LEASE_MS, Number.MAX_SAFE_INTEGER)).length, 1)
  })

  test('makes a monitor with work for what matched before it, and for what matches later', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await create(storage, tenant, 's', { evaluators: [charCount] })
    const before = await admitMatching(storage, tenant, ['a', 'b'])
    assert.equal(before.hasWork, false)
    await bindAll(storage)
    const setup = await storage.getSetup(tenant, 's')
    assert.equal(setup?.status, 'completed')
    assert.match(setup?.entries[0]?.bindingId ?? '', /^id-/)
    assert.equal(setup?.entries[0]?.processedAtMs, AT_MS)
    const after = await admitMatching(storage, tenant, ['c', 'b'])
    assert.ok(after.hasWork)
    const work = await storage.work.claimWork('local', 10, LEASE_MS)
    assert.deepEqual(
      work.map(({ batchId, units, attempt }) => [batchId, listUnits(units), attempt]),
      [
        [before.batchId, [0, 1], 1],
        [after.batchId, [0], 1],
      ],
    )
    const [version] = await storage.work.readMonitorVersions([work[0]?.monitorVersion ?? 0])
    assert.deepEqual({ ...version, number: 0 }, { ...PLAN, number: 0, version: 1 })
  })

  test('keeps a failed entry with its message and binds it when a later span brings what it needs', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await create(storage, tenant, 's', { evaluators: [charCount, wordCount] })
    const first = await admitMatching(storage, tenant, ['a'])
    await bindAll(storage, { fails: 'word-count', canHeal: true })
    const partial = await storage.getSetup(tenant, 's')
    assert.equal(partial?.status, 'partial')
    assert.equal(partial?.entries[1]?.errorMessage, 'no')
    assert.equal(partial?.entries[1]?.bindingId, undefined)
    await admitMatching(storage, tenant, ['b'])
    await untilClaimed(storage)
    const healed = await storage.getSetup(tenant, 's')
    assert.equal(healed?.status, 'completed')
    assert.deepEqual([healed?.entries[1]?.status, healed?.entries[1]?.errorMessage], ['completed', undefined])
    assert.equal(healed?.entries[0]?.bindingId, partial?.entries[0]?.bindingId)
    const work = await storage.work.claimWork('local', 10, LEASE_MS)
    assert.equal(work.filter(({ batchId }) => batchId === first.batchId).length, 2)
  })

  test('gets on with what matched before, however slow the machine is', async (t) => {
    const { storage, tenant } = await storeWithTenant(harness)
    await create(storage, tenant, 's', { evaluators: [charCount] })
    const { batchId } = await admitMatching(storage, tenant, ['a'])
    const { now } = performance
    let looks = 0
    t.mock.method(performance, 'now', () => now.call(performance) + 1_000 * looks++)
    await bindAll(storage)
    t.mock.restoreAll()
    const work = await storage.work.claimWork('local', 10, LEASE_MS)
    assert.deepEqual(
      work.map((each) => each.batchId),
      [batchId],
    )
  })

  test('does not look again at a setup that no span can heal', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await create(storage, tenant, 's', { evaluators: [charCount] })
    await admitMatching(storage, tenant, ['a'])
    await bindAll(storage, { fails: 'char-count', canHeal: false })
    assert.equal((await storage.getSetup(tenant, 's'))?.status, 'failed')
    assert.equal((await admitMatching(storage, tenant, ['b'])).hasUnbound, false)
    assert.deepEqual(await storage.work.claimSetups(10, LEASE_MS, Number.MAX_SAFE_INTEGER), [])
    // An upgrade may know better.
    await storage.work.resume({ versions: { 'char-count': 1 } })
    assert.equal((await storage.work.claimSetups(10, LEASE_MS, Number.MAX_SAFE_INTEGER)).length, 1)
  })
}

function describeRecord(harness: StorageHarness): void {
  test('records an evaluation once, whoever tries again', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const [work] = await claimedWork(storage, tenant, ['a', 'b'])
    assert.ok(work)
    assert.equal((await storage.work.recordWork([recordOf(work, ['a', 'b'])])).evaluations, 2)
    assert.deepEqual(await storage.work.recordWork([recordOf(work, ['a', 'b'])]), REFUSED)
    assert.deepEqual(await storage.work.claimWork('local', 10, LEASE_MS), [])
  })

  test('lets no worker publish whose lease has run out', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const [slow] = await claimedWork(storage, tenant, ['a'], 0)
    const [fast] = await storage.work.claimWork('local', 10, LEASE_MS)
    assert.ok(slow && fast)
    assert.equal(fast.attempt, 2)
    assert.deepEqual(await storage.work.recordWork([recordOf(slow, ['a'])]), REFUSED)
    assert.equal((await storage.work.recordWork([recordOf(fast, ['a'])])).evaluations, 1)
  })

  test('scores a unit once although its span came in two batches', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const [first] = await claimedWork(storage, tenant, ['a'])
    assert.ok(first)
    assert.equal((await storage.work.recordWork([recordOf(first, ['a'])])).evaluations, 1)
    // The same span with another start is stored again, but the unit stays the same.
    const batch = await packed(storage, tenant, ['a'], true)
    batch.startSeconds[0] = SECOND + 100
    await admit(storage, tenant, batch)
    const [second] = await storage.work.claimWork('local', 10, LEASE_MS)
    assert.ok(second)
    const { outcomes, ...record } = recordOf(second, ['a'])
    const later = outcomes.map((outcome) => ({ ...outcome, unitAtMs: AT_MS + 100_000 }))
    assert.deepEqual(await storage.work.recordWork([{ ...record, outcomes: later }]), {
      evaluations: 0,
      refused: [],
    })
  })

  test('gives work back for later', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const work = await claimedWork(storage, tenant, ['a'])
    await storage.work.retryWork(work, 600_000)
    assert.deepEqual(await storage.work.claimWork('local', 10, LEASE_MS), [])
    const more = await admitMatching(storage, tenant, ['b'])
    const next = await storage.work.claimWork('local', 10, LEASE_MS)
    assert.deepEqual(
      next.map(({ batchId }) => batchId),
      [more.batchId],
    )
    await storage.work.retryWork(next, 0)
    assert.equal((await storage.work.claimWork('local', 10, LEASE_MS))[0]?.attempt, 2)
  })

  test('hands out all the work of a batch together, and at most the number of batches asked for', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await create(storage, tenant, 's', { evaluators: [charCount, wordCount] })
    const first = await admitMatching(storage, tenant, ['a'])
    await bindAll(storage)
    await admitMatching(storage, tenant, ['b'])
    const work = await storage.work.claimWork('local', 1, LEASE_MS)
    assert.deepEqual(
      work.map(({ batchId }) => batchId),
      [first.batchId, first.batchId],
    )
    assert.equal((await storage.work.claimWork('local', 10, LEASE_MS)).length, 2)
  })
}

function describeJudgedWork(harness: StorageHarness): void {
  const judged = { ...PLAN, judge: 'openai/gpt-4o' }

  test('hands out work that waits for a provider apart from work that does not', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await create(storage, tenant, 's', { evaluators: [charCount, wordCount] })
    await admitMatching(storage, tenant, ['a'])
    await bindAll(storage, { plans: { 'char-count': judged } })
    await admitMatching(storage, tenant, ['b'])
    const local = await storage.work.claimWork('local', 10, LEASE_MS)
    const waiting = await storage.work.claimWork('judged', 10, LEASE_MS)
    const slugsOf = async (work: readonly ClaimedWork[]) =>
      (await storage.work.readMonitorVersions(work.map(({ monitorVersion }) => monitorVersion))).map(
        ({ slug, judge }) => [slug, judge],
      )
    assert.deepEqual(await slugsOf(local), [['word-count', undefined]])
    assert.deepEqual(await slugsOf(waiting), [['char-count', 'openai/gpt-4o']])
    assert.deepEqual([local.length, waiting.length], [2, 2])
  })

  test('treats the embedded judge as work of this machine', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await create(storage, tenant, 's', { evaluators: [charCount] })
    await admitMatching(storage, tenant, ['a'])
    await bindAll(storage, { plans: { 'char-count': { ...PLAN, judge: 'embedded' } } })
    assert.deepEqual(await storage.work.claimWork('judged', 10, LEASE_MS), [])
    assert.equal((await storage.work.claimWork('local', 10, LEASE_MS)).length, 1)
  })

  test('records a part and holds on to what is left', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const [work] = await claimedWork(storage, tenant, ['a', 'b'], 0)
    assert.ok(work)
    const left = { units: unitsOf([1]), holdMs: LEASE_MS }
    assert.equal((await storage.work.recordWork([{ ...recordOf(work, ['a']), left }])).evaluations, 1)
    assert.deepEqual(await storage.work.claimWork('local', 10, LEASE_MS), [], 'the lease was renewed')
    assert.equal((await storage.readProgress(tenant)).waitingSpans, 1)
    const rest = { work, outcomes: recordOf(work, ['a', 'b']).outcomes.slice(1), sampledOut: 0 }
    assert.equal((await storage.work.recordWork([rest])).evaluations, 1)
    assert.deepEqual(await storage.work.recordWork([rest]), REFUSED)
  })

  test('records a part and gives back what is left', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const [work] = await claimedWork(storage, tenant, ['a', 'b'])
    assert.ok(work)
    const left = { units: unitsOf([1]), readyInMs: 0 }
    await storage.work.recordWork([{ ...recordOf(work, ['a']), left }])
    const [again] = await storage.work.claimWork('local', 10, LEASE_MS)
    assert.deepEqual(listUnits(again?.units ?? emptyUnits(0)), [1])
    assert.deepEqual(
      await storage.work.recordWork([recordOf(work, ['a', 'b'])]),
      REFUSED,
      'the old lease is worthless',
    )
    const later = { units: unitsOf([1]), readyInMs: 600_000 }
    await storage.work.recordWork([{ work: again as ClaimedWork, outcomes: [], sampledOut: 0, left: later }])
    assert.deepEqual(await storage.work.claimWork('local', 10, LEASE_MS), [])
  })

  test('keeps who judged and what it took', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const [work] = await claimedWork(storage, tenant, ['a'])
    assert.ok(work)
    const judgement = {
      judge: 'openai/gpt-4o',
      calls: 2,
      cachedCalls: 1,
      promptTokens: 90,
      completionTokens: 9,
      costMicros: 315,
      evidence: { claims: [{ quote: 'x' }] },
    }
    const { outcomes, ...record } = recordOf(work, ['a'])
    await storage.work.recordWork([
      { ...record, outcomes: outcomes.map((outcome) => ({ ...outcome, judgement })) },
    ])
    const { evaluations } = await storage.listEvaluations(tenant, {}, { order: 'newest', limit: 10 })
    assert.deepEqual(evaluations[0]?.judgement, judgement)
  })

  test('binds anew what another judge judged, and leaves alone what nobody judges', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await create(storage, tenant, 's', { evaluators: [charCount] })
    await create(storage, tenant, 't', { evaluators: [wordCount] })
    await admitMatching(storage, tenant, ['a'])
    await bindAll(storage, { plans: { 'char-count': judged } })
    const versions = { 'char-count': 1, 'word-count': 1 }
    const statuses = async () =>
      (await storage.listSetups(tenant, {})).map(({ externalId, status }) => `${externalId} ${status}`)
    await storage.work.rebind({ versions, judges: { [tenant.orgId]: 'openai/gpt-4o', other: 'embedded' } })
    await storage.work.rebind({ versions })
    assert.deepEqual(await statuses(), ['s completed', 't completed'])
    await storage.work.rebind({ versions, judges: { [tenant.orgId]: 'embedded' } })
    assert.deepEqual(await statuses(), ['s pending', 't completed'])
  })
}

function describeChanges(harness: StorageHarness): void {
  test('leads an unchanged PUT back to the same monitor and keeps its queue', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await create(storage, tenant, 's', { evaluators: [charCount] })
    await admitMatching(storage, tenant, ['a'])
    await bindAll(storage)
    const bindingId = (await storage.getSetup(tenant, 's'))?.entries[0]?.bindingId
    await update(storage, tenant, 's', { evaluators: [charCount] })
    const pending = await storage.getSetup(tenant, 's')
    assert.deepEqual([pending?.status, pending?.entries[0]?.bindingId], ['pending', undefined])
    assert.deepEqual(
      await storage.work.claimWork('local', 10, LEASE_MS),
      [],
      'a stopped monitor runs nothing',
    )
    await admitMatching(storage, tenant, ['b'])
    const [claim] = await storage.work.claimSetups(10, LEASE_MS, Number.MAX_SAFE_INTEGER)
    assert.deepEqual(claim?.knownPlans.get('char-count'), PLAN)
    await storage.work.finishSetup(claim as NonNullable<typeof claim>, bound('completed'))
    assert.equal((await storage.getSetup(tenant, 's'))?.entries[0]?.bindingId, bindingId)
    const work = await storage.work.claimWork('local', 10, LEASE_MS)
    assert.equal(work.length, 2)
    assert.equal(new Set(work.map(({ monitorVersion }) => monitorVersion)).size, 1)
  })

  test('stops the old monitors at once when the definition changes, and what they were doing', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const [held] = await claimedWork(storage, tenant, ['a'])
    await admitMatching(storage, tenant, ['b'])
    await update(storage, tenant, 's', { selector: [rule] })
    assert.deepEqual(await storage.work.claimWork('local', 10, LEASE_MS), [])
    assert.deepEqual(await storage.work.recordWork([recordOf(held as ClaimedWork, ['a'])]), REFUSED)
    await admitMatching(storage, tenant, ['c'])
    await bindAll(storage)
    const work = await storage.work.claimWork('local', 10, LEASE_MS)
    assert.equal(work.length, 1)
    assert.notEqual(work[0]?.monitorVersion, held?.monitorVersion)
  })

  test('stops everything of a deleted setup', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const [held] = await claimedWork(storage, tenant, ['a'])
    await admitMatching(storage, tenant, ['b'])
    await storage.deleteSetup(tenant, 's', AT_MS)
    assert.deepEqual(await storage.work.claimWork('local', 10, LEASE_MS), [])
    assert.deepEqual(await storage.work.recordWork([recordOf(held as ClaimedWork, ['a'])]), REFUSED)
  })
}

function describeUpkeep(harness: StorageHarness): void {
  test('gives the work of an earlier process back at the start', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const [held] = await claimedWork(storage, tenant, ['a'])
    await create(storage, tenant, 'other', { evaluators: [charCount] })
    await storage.work.claimSetups(10, LEASE_MS, Number.MAX_SAFE_INTEGER)
    const reopened = await harness.reopen(storage)
    await reopened.work.resume({ versions: { 'char-count': 1 } })
    assert.equal((await reopened.getSetup(tenant, 'other'))?.status, 'pending')
    assert.equal((await reopened.getSetup(tenant, 'other'))?.entries[0]?.status, 'pending')
    const [work] = await reopened.work.claimWork('local', 10, LEASE_MS)
    assert.equal(work?.batchId, held?.batchId)
    assert.deepEqual(await reopened.work.recordWork([recordOf(held as ClaimedWork, ['a'])]), REFUSED)
  })

  test('binds anew what was bound to another version of its evaluator, with the work not yet done', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const [done] = await claimedWork(storage, tenant, ['a'])
    await storage.work.recordWork([recordOf(done as ClaimedWork, ['a'])])
    const open = await admitMatching(storage, tenant, ['b'])
    await storage.work.resume({ versions: { 'char-count': 2 } })
    assert.equal((await storage.getSetup(tenant, 's'))?.status, 'pending')
    const [claim] = await storage.work.claimSetups(10, LEASE_MS, Number.MAX_SAFE_INTEGER)
    assert.ok(claim)
    const plan = { ...PLAN, evaluatorVersion: 2 }
    const entries = [{ slug: 'char-count', plan, newMonitorId: nextId(), verdictRule: NEUTRAL }]
    await storage.work.finishSetup(claim, { status: 'completed', entries, lookedThrough: 0, atMs: AT_MS })
    const work = await storage.work.claimWork('local', 10, LEASE_MS)
    assert.deepEqual(
      work.map(({ batchId }) => batchId),
      [open.batchId],
    )
    assert.notEqual(work[0]?.monitorVersion, done?.monitorVersion)
    const [monitor] = await storage.listMonitors(tenant, {}, { limit: 10 })
    assert.deepEqual(monitor?.counts, { scored: 1, cancelled: 1 })
  })

  test('does not take for missing what an older version of an evaluator has done', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const [done] = await claimedWork(storage, tenant, ['a'])
    await storage.work.recordWork([recordOf(done as ClaimedWork, ['a'])])
    await storage.work.resume({ versions: { 'char-count': 2 } })
    await bindAll(storage, { plans: { 'char-count': { ...PLAN, evaluatorVersion: 2 } } })
    assert.deepEqual(await storage.work.sweep(), { missingWork: 0, staleLeases: 0 })
    assert.deepEqual(await storage.work.claimWork('local', 10, LEASE_MS), [])
  })

  test('lets nobody bind a setup to what was outdated meanwhile', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await create(storage, tenant, 's', { evaluators: [charCount, wordCount] })
    await admitMatching(storage, tenant, ['a'])
    await bindAll(storage, { fails: 'word-count', canHeal: true })
    await admitMatching(storage, tenant, ['b'])
    const claim = await claimedSetup(storage)
    await storage.work.rebind({ versions: { 'char-count': 2 } })
    assert.equal(
      await storage.work.finishSetup(claim, {
        status: 'completed',
        entries: [
          {
            slug: 'word-count',
            plan: { ...PLAN, ...wordCount },
            newMonitorId: nextId(),
            verdictRule: NEUTRAL,
          },
        ],
        lookedThrough: 0,
        atMs: AT_MS,
      }),
      false,
    )
    assert.equal((await storage.getSetup(tenant, 's'))?.status, 'pending')
  })

  test('finds nothing to sweep when nothing went wrong, and frees a lease that ran out', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await claimedWork(storage, tenant, ['a'])
    assert.deepEqual(await storage.work.sweep(), { missingWork: 0, staleLeases: 0 })
    await create(storage, tenant, 'other', { evaluators: [charCount] })
    await storage.work.claimSetups(10, 0, Number.MAX_SAFE_INTEGER)
    assert.deepEqual(await storage.work.sweep(), { missingWork: 0, staleLeases: 1 })
    assert.equal((await storage.getSetup(tenant, 'other'))?.status, 'pending')
  })

  test('remembers the clock, also for the next process that opens the store', async () => {
    const { storage } = await storeWithTenant(harness)
    const first = await storage.work.checkClock(Date.now(), 0)
    assert.deepEqual([first.believedAtMs, first.doubtedSinceMs], [first.seenAtMs, undefined])
    const reopened = await harness.reopen(storage)
    const second = await reopened.work.checkClock(Date.now(), 0)
    assert.ok(second.believedAtMs >= first.believedAtMs)
    assert.equal(second.doubtedSinceMs, undefined)
  })

  test('drops what is older than its organization keeps, and nothing else', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const [work] = await claimedWork(storage, tenant, ['a'])
    await storage.work.recordWork([recordOf(work as ClaimedWork, ['a'])])
    const hourMs = 3_600_000
    while (await storage.work.dropExpired(AT_MS + 719 * hourMs, 720));
    assert.equal((await storage.listSpanRefs(tenant, allSpans())).length, 1)
    assert.equal((await storage.readBatches(tenant, [work?.batchId ?? 0])).length, 1)
    while (await storage.work.dropExpired(AT_MS + 721 * hourMs, 720));
    assert.deepEqual(await storage.listSpanRefs(tenant, allSpans()), [])
    assert.deepEqual(await storage.readBatches(tenant, [work?.batchId ?? 0]), [])
    await admit(storage, tenant, await packed(storage, tenant, ['b']))
    while (await storage.work.dropExpired(AT_MS + 25 * hourMs, 24));
    assert.deepEqual(await storage.listSpanRefs(tenant, allSpans()), [])
  })

  test('drops what came in after a step that took too long, in one pass', async (context) => {
    const { storage, tenant } = await storeWithTenant(harness)
    await admit(storage, tenant, await packed(storage, tenant, ['a']))
    const hourMs = 3_600_000
    // Every look at the clock says that the time of the step is over.
    const clock = context.mock.method(performance, 'now', () => clock.mock.callCount() * 1_000)
    while (await storage.work.dropExpired(AT_MS + 721 * hourMs, 720));
    clock.mock.restore()
    // Its ids come before those of the first.
    await admit(storage, tenant, await packed(storage, tenant, ['b']))
    while (await storage.work.dropExpired(AT_MS + 721 * hourMs, 720));
    assert.deepEqual(await storage.listSpanRefs(tenant, allSpans()), [])
  })

  test('keeps a span that began long before it arrived for as long as any other', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const batch = await packed(storage, tenant, ['old', 'new'])
    batch.startSeconds[0] = 1
    await admit(storage, tenant, batch)
    while (await storage.work.dropExpired(AT_MS + 3_600_000, 720));
    assert.equal((await storage.listSpanRefs(tenant, allSpans())).length, 2)
    while (await storage.work.dropExpired(AT_MS + 721 * 3_600_000, 720));
    assert.deepEqual(await storage.listSpanRefs(tenant, allSpans()), [])
  })
}

const allSpans = () => ({
  fromSecond: 0,
  toSecond: Number.MAX_SAFE_INTEGER,
  isDescending: false,
  limit: 1_000,
})

/** A batch with one span for each name; when it matches, it matches every setup of the project. */
const admitMatching = async (storage: Storage, tenant: EnvironmentTenant, names: readonly string[]) =>
  admit(storage, tenant, await packed(storage, tenant, names, true))

const update = async (
  storage: Storage,
  tenant: EnvironmentTenant,
  externalId: string,
  change: SetupChange,
): Promise<Setup> => {
  const setup = await storage.updateSetup(tenant, externalId, change, AT_MS)
  assert.ok(setup)
  return setup
}

const bound = (status: 'completed') => ({
  status,
  entries: [{ slug: 'char-count', plan: PLAN, newMonitorId: nextId(), verdictRule: NEUTRAL }],
  lookedThrough: 0,
  atMs: AT_MS,
})

/** Does what processing does with every setup that can be claimed now: binds all its entries but the one that fails. */
async function bindAll(
  storage: Storage,
  {
    fails,
    canHeal = false,
    plans = {},
  }: { fails?: string; canHeal?: boolean; plans?: Record<string, MonitorPlan> } = {},
): Promise<number> {
  const claims = await storage.work.claimSetups(10, LEASE_MS, Number.MAX_SAFE_INTEGER)
  for (const claim of claims) {
    const { through } = await storage.work.sampleMatches(claim, 10)
    const open = claim.setup.entries.filter(({ status }) => status !== 'completed')
    const entries = open.map(({ slug, evaluatorId }) =>
      slug === fails
        ? { slug, errorMessage: 'no', canHeal }
        : {
            slug,
            plan: { ...(plans[slug] ?? PLAN), slug, evaluatorId },
            newMonitorId: nextId(),
            verdictRule: NEUTRAL,
          },
    )
    const status = fails === undefined ? 'completed' : claim.setup.entries.length > 1 ? 'partial' : 'failed'
    await storage.work.finishSetup(claim, { status, entries, lookedThrough: through, atMs: AT_MS })
  }
  return claims.length
}

/** A setup with failed entries is left alone for a moment after each look. */
async function untilClaimed(storage: Storage): Promise<void> {
  await untilSome(async () => ((await bindAll(storage)) > 0 ? true : undefined))
}

/** The setup that can be claimed next, when it can. */
function claimedSetup(storage: Storage): Promise<ClaimedSetup> {
  return untilSome(async () => (await storage.work.claimSetups(1, LEASE_MS, Number.MAX_SAFE_INTEGER))[0])
}

async function untilSome<T>(look: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + 300_000
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    assert.ok(Date.now() < deadline, 'no setup was handed out')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** The work of a bound setup named `s` that has matched these spans. */
async function claimedWork(
  storage: Storage,
  tenant: EnvironmentTenant,
  names: readonly string[],
  leaseMs = LEASE_MS,
): Promise<ClaimedWork[]> {
  await create(storage, tenant, 's', { evaluators: [charCount] })
  await admitMatching(storage, tenant, names)
  await bindAll(storage)
  return storage.work.claimWork('local', 10, leaseMs)
}

function unitsOf(ordinals: readonly number[]): Uint8Array {
  const units = emptyUnits(8)
  for (const ordinal of ordinals) addUnit(units, ordinal)
  return units
}

function recordOf(work: ClaimedWork, names: readonly string[]) {
  const outcomes = names.map((name, ordinal): UnitOutcome => {
    const [traceId, spanId] = idsOf(name)
    return {
      ordinal,
      traceId,
      spanId,
      unitAtMs: AT_MS,
      status: 'scored',
      output: { char_count: 5 },
      durationUs: 7,
    }
  })
  return { work, outcomes, sampledOut: 0 }
}
