import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  AT_MS,
  charCount,
  create,
  createTenant,
  rule,
  type StorageHarness,
  storeWithTenant,
  wordCount,
} from './contract-fixtures.ts'
import {
  admitNames,
  backfill,
  carryOn,
  claimAll,
  claimNames,
  decide,
  job,
  LEASE_MS,
  nextTurn,
  outcomeOf,
  progress,
  rerun,
  sampledNames,
  scoreAll,
  start,
} from './job-fixtures.ts'
import { describeReruns, describeTurns } from './rerun-contract.ts'
import { bindSetup } from './result-fixtures.ts'
import { idsOf } from './span-fixtures.ts'
import { describeTraceLimits } from './trace-limit-contract.ts'

/** The promises of every store about backfills and reruns. */
export function describeJobs(harness: StorageHarness): void {
  describeBackfills(harness)
  describeUnboundBackfills(harness)
  describeTraceLimits(harness)
  describeReruns(harness)
  describeTurns(harness)
}

function describeBackfills(harness: StorageHarness): void {
  test('backfills spans that came before the setup, once, and tells how far it has come', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await admitNames(storage, tenant, ['a', 'b'])
    await admitNames(storage, tenant, ['c'])
    await bindSetup(storage, tenant, 's', { evaluators: [charCount, wordCount] })
    const { id, state } = await start(storage, tenant, backfill('s'))
    assert.equal(state, 'queued')
    assert.deepEqual(await carryOn(storage), [['c'], ['a', 'b']])
    assert.deepEqual(progress(await job(storage, tenant, id)), ['running', 3, 3, 6, 0])
    assert.equal(await scoreAll(storage), 6)
    await storage.jobs.takeTurn()
    assert.deepEqual(progress(await job(storage, tenant, id)), ['done', 3, 3, 6, 6])

    const again = await start(storage, tenant, backfill('s'))
    await carryOn(storage)
    assert.deepEqual(progress(await job(storage, tenant, again.id)), ['done', 3, 3, 0, 0])
    assert.deepEqual(await claimAll(storage), [])
    assert.equal((await storage.work.sweep()).missingWork, 0)
  })

  test('leaves out of a backfill what was evaluated or waits, and what an earlier batch had brought', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await admitNames(storage, tenant, ['old'])
    await bindSetup(storage, tenant, 's', { evaluators: [charCount] })
    await admitNames(storage, tenant, ['scored'], true)
    await scoreAll(storage)
    await admitNames(storage, tenant, ['waiting'], true)
    await admitNames(storage, tenant, ['old', 'new'], true)
    await start(storage, tenant, backfill('s'))
    await carryOn(storage)
    const [live, queued] = [await claimNames(storage, 1), await claimNames(storage, 10)]
    assert.deepEqual(live, ['waiting'])
    assert.deepEqual(queued.toSorted(), ['new', 'old'])
  })

  test('backfills what was cancelled when its setup was changed, and counts nothing twice', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const monitors = await bindSetup(storage, tenant, 's', { evaluators: [charCount] }, { samplingRate: 0.5 })
    const { in: kept, out: left } = sampledNames(0.5)
    await admitNames(storage, tenant, [kept, left], true)
    const [work] = await storage.work.claimWork('local', 1, LEASE_MS)
    assert.ok(work)
    await storage.work.recordWork([{ work, outcomes: [outcomeOf(kept, 0)], sampledOut: 1 }])
    await admitNames(storage, tenant, ['cancelled'], true)
    await bindSetup(storage, tenant, 's', { selector: [rule] })
    await bindSetup(storage, tenant, 's', { selector: [] }, { samplingRate: 0.5 })
    await start(storage, tenant, backfill('s'))
    await carryOn(storage)
    assert.deepEqual(await claimNames(storage, 10), ['cancelled'])
    const monitor = await storage.getMonitor(tenant, monitors['char-count'] as string)
    assert.deepEqual(monitor?.counts, { cancelled: 1, sampled_out: 1, scored: 1 })
  })

  test('goes back from the end of the window to its beginning, up to the limit', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    for (const at of [0, 1, 2, 3, 4])
      await admitNames(storage, tenant, [`a${at}`, `b${at}`], false, AT_MS + at)
    await bindSetup(storage, tenant, 's', { evaluators: [charCount] })
    const window = { fromMs: AT_MS + 1, toMs: AT_MS + 4 }
    await start(storage, tenant, { ...backfill('s'), ...window })
    assert.deepEqual(await carryOn(storage), [
      ['a3', 'b3'],
      ['a2', 'b2'],
      ['a1', 'b1'],
    ])
    await scoreAll(storage)
    const limited = await start(storage, tenant, { ...backfill('s'), toMs: AT_MS + 9, limit: 3 })
    await carryOn(storage)
    const { queued, isLimitReached, lookedAt } = await job(storage, tenant, limited.id)
    assert.deepEqual([queued, isLimitReached, lookedAt], [3, true, 10])
    assert.deepEqual((await claimNames(storage, 10)).toSorted(), ['a0', 'a4', 'b4'])
  })

  test('takes each step of a backfill once, from the place where it is, also after a restart', async () => {
    const first = await storeWithTenant(harness)
    const { tenant } = first
    for (const name of ['a', 'b', 'c']) await admitNames(first.storage, tenant, [name])
    await bindSetup(first.storage, tenant, 's', { evaluators: [charCount] })
    const { id } = await start(first.storage, tenant, backfill('s'))
    const turn = await nextTurn(first.storage)
    const [newest] = await first.storage.jobs.readBackfillBatches(turn, 1)
    assert.ok(newest)
    const decided = [decide(newest.batchId, ['c'])]
    assert.equal(await first.storage.jobs.recordBackfill(turn, decided), true)
    assert.equal(await first.storage.jobs.recordBackfill(turn, decided), false)
    const storage = await harness.reopen(first.storage)
    assert.deepEqual(await carryOn(storage), [['b'], ['a']])
    assert.deepEqual(progress(await job(storage, tenant, id)), ['running', 3, 3, 3, 0])
    assert.deepEqual((await claimNames(storage, 10)).toSorted(), ['a', 'b', 'c'])
  })

  test('reads for a backfill only batches of its project and environment', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const stranger = await createTenant(storage, 'stranger')
    await storage.createEnvironment(tenant, { envProjectId: 'other-environment', slug: 'dev' }, AT_MS)
    await admitNames(storage, stranger, ['theirs'])
    await admitNames(storage, { ...tenant, envProjectId: 'other-environment' }, ['elsewhere'])
    await admitNames(storage, tenant, ['ours'])
    await bindSetup(storage, tenant, 's', { evaluators: [charCount] })
    await start(storage, tenant, backfill('s'))
    assert.deepEqual(await carryOn(storage), [['ours']])
  })

  test('neither backfills nor reruns what was deleted', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await admitNames(storage, tenant, ['a', 'b'])
    await bindSetup(storage, tenant, 's', { evaluators: [charCount] })
    await start(storage, tenant, backfill('s'))
    const turn = await nextTurn(storage)
    const [batch] = await storage.jobs.readBackfillBatches(turn, 1)
    await storage.deleteTrace(tenant, idsOf('a')[0], AT_MS)
    await storage.jobs.recordBackfill(turn, [decide(batch?.batchId as number, ['a', 'b'])])
    await carryOn(storage)
    assert.deepEqual(await claimNames(storage, 10), ['b'])

    await admitNames(storage, tenant, ['c'], true)
    await scoreAll(storage)
    await storage.deleteTrace(tenant, idsOf('c')[0], AT_MS)
    const again = await start(storage, tenant, rerun({}))
    await carryOn(storage)
    assert.deepEqual(progress(await job(storage, tenant, again.id)), ['done', 0, 0, 0, 0])
    await start(storage, tenant, backfill('s'))
    const late = await nextTurn(storage)
    await storage.deleteProjectData(tenant, AT_MS)
    assert.deepEqual(await storage.jobs.readBackfillBatches(late, 10), [])
    await storage.jobs.recordBackfill(late, [decide(batch?.batchId as number, ['a', 'b'])])
    assert.deepEqual(await claimNames(storage, 10), [])
  })

  test('ends a backfill whose setup was changed or deleted, and says so', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await admitNames(storage, tenant, ['a'])
    for (const meanwhile of [
      () => bindSetup(storage, tenant, 's', { selector: [rule] }),
      () => storage.deleteSetup(tenant, 's', AT_MS),
    ]) {
      await bindSetup(storage, tenant, 's', { evaluators: [charCount], selector: [] })
      const { id } = await start(storage, tenant, backfill('s'))
      const turn = await nextTurn(storage)
      const [batch] = await storage.jobs.readBackfillBatches(turn, 1)
      await meanwhile()
      assert.equal(await storage.jobs.recordBackfill(turn, [decide(batch?.batchId as number, ['a'])]), false)
      assert.deepEqual(await storage.jobs.takeTurn(), { hasWork: false, hasMore: false })
      const ended = await job(storage, tenant, id)
      assert.equal(ended.state, 'failed')
      assert.match(ended.errorMessage ?? '', /changed or deleted/)
      assert.ok(ended.finishedAtMs)
    }
  })
}

function describeUnboundBackfills(harness: StorageHarness): void {
  test('has a setup that waits for spans bound on stored ones, and then evaluates them', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await admitNames(storage, tenant, ['a'])
    await admitNames(storage, tenant, ['b'])
    await create(storage, tenant, 's', { evaluators: [charCount] })
    const { id } = await start(storage, tenant, backfill('s'))
    assert.equal((await storage.jobs.takeTurn()).backfill, undefined, 'a pending setup is let alone')
    const [claim] = await storage.work.claimSetups(10, LEASE_MS, Number.MAX_SAFE_INTEGER)
    assert.ok(claim)
    await storage.work.finishSetup(claim, {
      status: 'waiting_for_spans',
      entries: [],
      lookedThrough: 0,
      atMs: AT_MS,
    })
    const turn = await nextTurn(storage)
    const [newest] = await storage.jobs.readBackfillBatches(turn, 1)
    await storage.jobs.recordBackfill(turn, [decide(newest?.batchId as number, ['b'])])
    assert.equal((await storage.jobs.takeTurn()).backfill, undefined, 'what it has found is looked at first')
    await bindSetup(storage, tenant, 's', {})
    assert.deepEqual(await carryOn(storage), [['a']])
    assert.deepEqual(await claimNames(storage, 1), [], 'it is the work of a job')
    assert.equal(await scoreAll(storage), 2)
    await storage.jobs.takeTurn()
    assert.deepEqual(progress(await job(storage, tenant, id)), ['done', 2, 2, 2, 2])
  })
}
