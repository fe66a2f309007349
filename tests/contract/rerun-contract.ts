import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RerunRequest } from '../../src/domain/job.ts'
import {
  AT_MS,
  charCount,
  create,
  createTenant,
  nextId,
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
  recordOf,
  rerun,
  scoreAll,
  start,
} from './job-fixtures.ts'
import { bindSetup, type Verdict } from './result-fixtures.ts'
import { idsOf } from './span-fixtures.ts'

const HOUR_MS = 3_600_000

/** The promises of every store about reruns. */
export function describeReruns(harness: StorageHarness): void {
  test('evaluates again what failed, as the next generation, and leaves the rest', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const monitors = await bindSetup(storage, tenant, 's', { evaluators: [charCount] })
    await admitNames(storage, tenant, ['a', 'b', 'c'], true)
    const failed: Verdict = { status: 'error', errorMessage: 'away' }
    await scoreAll(storage, (name) => (name === 'b' ? { status: 'scored', output: { v: 5 } } : failed))
    const { id } = await start(storage, tenant, rerun({ statuses: ['error'] }))
    await carryOn(storage)
    assert.deepEqual(progress(await job(storage, tenant, id)), ['running', 3, 2, 2, 0])
    const twice = await start(storage, tenant, rerun({ statuses: ['error'] }))
    await carryOn(storage)
    assert.equal((await job(storage, tenant, twice.id)).queued, 0, 'what waits is not queued again')
    assert.deepEqual(await claimNames(storage, 1), [], 'the last place is for spans that come in')
    assert.equal(await scoreAll(storage, () => ({ status: 'scored', output: { v: 7 } })), 2)
    await storage.jobs.takeTurn()
    assert.deepEqual(progress(await job(storage, tenant, id)), ['done', 3, 2, 2, 2])
    const monitor = await storage.getMonitor(tenant, monitors['char-count'] as string)
    assert.deepEqual([monitor?.counts, monitor?.errors], [{ scored: 3 }, []])
    const { evaluations } = await storage.listEvaluations(
      tenant,
      { withHistory: true },
      { order: 'oldest', limit: 10 },
    )
    assert.deepEqual(
      evaluations.map(({ status, generation }) => [status, generation]),
      [
        ['superseded', 1],
        ['scored', 1],
        ['superseded', 1],
        ['scored', 2],
        ['scored', 2],
      ],
    )
  })

  test('takes only evaluations that every condition of a rerun holds for, up to its limit', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const stranger = await createTenant(storage, 'stranger')
    await bindSetup(storage, stranger, 's', { evaluators: [charCount] })
    await admitNames(storage, stranger, ['theirs'], true)
    await scoreAll(storage)
    const monitors = await bindSetup(storage, tenant, 's', { evaluators: [charCount, wordCount] })
    await admitNames(storage, tenant, ['a', 'b'], true)
    const before = Date.now()
    await scoreAll(storage)
    await bindSetup(storage, tenant, 'other', { evaluators: [charCount] }, { evaluatorVersion: 2 })
    for (const [condition, matched] of [
      [{}, 4],
      [{ statuses: ['error'] }, 0],
      [{ slug: 'word-count' }, 2],
      [{ slug: 'word-count', traceId: idsOf('a')[0] }, 1],
      [{ monitorId: monitors['char-count'] as string }, 2],
      [{ evaluatorVersion: 1 }, 4],
      [{ evaluatorVersion: 2 }, 0],
      [{ externalId: 's' }, 4],
      [{ externalId: 'other' }, 0],
      [{ fromMs: before - 1 }, 4],
      [{ toMs: before - 1 }, 0],
    ] satisfies [Partial<RerunRequest>, number][]) {
      const { id } = await start(storage, tenant, rerun(condition))
      await carryOn(storage)
      assert.equal((await job(storage, tenant, id)).matched, matched, JSON.stringify(condition))
      await storage.cancelJob(tenant, id, AT_MS)
    }
    const limited = await start(storage, tenant, rerun({ limit: 3 }))
    await carryOn(storage)
    const { queued, isLimitReached } = await job(storage, tenant, limited.id)
    assert.deepEqual([queued, isLimitReached], [3, true])
  })

  test('has the version that the monitor has now evaluate what an older one had evaluated, once', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await bindSetup(storage, tenant, 's', { evaluators: [charCount] })
    await admitNames(storage, tenant, ['a', 'b'], true)
    await scoreAll(storage)
    await bindSetup(storage, tenant, 's', { evaluators: [charCount] }, { evaluatorVersion: 2 })
    for (const queued of [2, 0]) {
      const { id } = await start(storage, tenant, rerun({ evaluatorVersion: 1 }))
      await carryOn(storage)
      assert.equal((await job(storage, tenant, id)).queued, queued)
      await scoreAll(storage)
    }
    const { evaluations } = await storage.listEvaluations(tenant, {}, { order: 'oldest', limit: 10 })
    assert.deepEqual(
      evaluations.map(({ version, generation, status }) => [version, generation, status]),
      [1, 1, 2, 2].map((version) => [version, 1, 'scored']),
    )
  })

  test('opens the traces of monitors that look at whole traces, and opens them again in a rerun', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await admitNames(storage, tenant, ['a'])
    const [traceId] = idsOf('a')
    const { after, batches } = await storage.digest.readUndigested(10)
    const digest = {
      ...{ traceId, units: Uint8Array.of(1), spanCount: 1, errorCount: 0, firstMs: AT_MS, lastMs: AT_MS },
      ...{ modelCalls: 0, promptTokens: 0, completionTokens: 0, models: new Map(), isComplete: true },
    }
    const batchId = batches[0]?.batchId as number
    await storage.digest.recordDigests(after, [{ batchId, traces: [digest], usage: [] }], 0)
    await bindSetup(storage, tenant, 's', { evaluators: [charCount] }, { scope: 'trace' })
    const jobs = [backfill('s'), rerun({})]
    for (const [at, request] of jobs.entries()) {
      const { id } = await start(storage, tenant, request)
      await carryOn(storage)
      const [unit] = await storage.units.claimUnits(10, LEASE_MS)
      assert.equal(unit?.key, traceId)
      assert.ok(unit)
      const outcome = { ...outcomeOf('a', 0), spanId: '' }
      assert.equal(await storage.units.recordUnit(unit, outcome), true)
      const found = await storage.listEvaluations(tenant, {}, { order: 'oldest', limit: 10 })
      assert.deepEqual(
        found.evaluations.map(({ generation }) => generation),
        [at + 1],
      )
      await storage.jobs.takeTurn()
      assert.deepEqual(progress(await job(storage, tenant, id)), ['done', 1, 1, 0, 0])
    }
  })

  test('hands what a job has queued over to the next version of the monitor', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await admitNames(storage, tenant, ['a'])
    await bindSetup(storage, tenant, 's', { evaluators: [charCount] })
    const { id } = await start(storage, tenant, backfill('s'))
    await carryOn(storage)
    await bindSetup(storage, tenant, 's', {}, { evaluatorVersion: 2 })
    assert.equal(await scoreAll(storage), 1)
    await storage.jobs.takeTurn()
    assert.deepEqual(progress(await job(storage, tenant, id)), ['done', 1, 1, 1, 1])
    const { evaluations } = await storage.listEvaluations(tenant, {}, { order: 'oldest', limit: 10 })
    assert.deepEqual(
      evaluations.map(({ version }) => version),
      [2],
    )
  })
}

/** The promises of every store about jobs beside other work. */
export function describeTurns(harness: StorageHarness): void {
  test('gives work of jobs only what work that came with spans leaves, and makes none while much waits', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await admitNames(storage, tenant, ['old'])
    await bindSetup(storage, tenant, 's', { evaluators: [charCount] })
    await start(storage, tenant, backfill('s'))
    await carryOn(storage)
    await admitNames(storage, tenant, ['new'], true)
    assert.deepEqual(await claimNames(storage, 2), ['new'])
    assert.deepEqual(await claimNames(storage, 2), ['old'])
    for (let at = 0; at <= 100; at++) await admitNames(storage, tenant, [`live ${at}`], true)
    const { id } = await start(storage, tenant, backfill('s'))
    assert.deepEqual(await storage.jobs.takeTurn(), { hasWork: false, hasMore: false })
    assert.equal((await job(storage, tenant, id)).state, 'queued')
    await scoreAll(storage)
    assert.ok((await storage.jobs.takeTurn()).backfill)
  })

  test('lets jobs take turns', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    for (const name of ['a', 'b']) await admitNames(storage, tenant, [name])
    await bindSetup(storage, tenant, 's', { evaluators: [charCount] })
    const jobs = [await start(storage, tenant, backfill('s')), await start(storage, tenant, backfill('s'))]
    const turns: number[] = []
    for (let step = 0; step < 4; step++) {
      const turn = await nextTurn(storage)
      turns.push(turn.jobNumber)
      const [batch] = await storage.jobs.readBackfillBatches(turn, 1)
      await storage.jobs.recordBackfill(turn, [decide(batch?.batchId as number, ['x'])])
    }
    assert.deepEqual(
      turns,
      [...jobs, ...jobs].map(({ number }) => number),
    )
  })

  test('ends a job and its work when it is cancelled; a worker that holds it cannot publish', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await admitNames(storage, tenant, ['a', 'b'])
    const monitors = await bindSetup(storage, tenant, 's', { evaluators: [charCount] })
    const { id } = await start(storage, tenant, backfill('s'))
    await carryOn(storage)
    const held = await claimAll(storage)
    const cancelled = await storage.cancelJob(tenant, id, AT_MS + 5)
    assert.deepEqual([cancelled?.state, cancelled?.finishedAtMs], ['cancelled', AT_MS + 5])
    const { evaluations, refused } = await storage.work.recordWork(held.map((work) => recordOf(work)))
    assert.deepEqual([evaluations, refused], [0, [...held.keys()]])
    assert.deepEqual(await claimAll(storage), [])
    assert.deepEqual(await storage.cancelJob(tenant, id, AT_MS + 6), cancelled)
    assert.deepEqual((await storage.getMonitor(tenant, monitors['char-count'] as string))?.counts, {})
    assert.equal((await storage.work.sweep()).missingWork, 0)
    await start(storage, tenant, backfill('s'))
    await carryOn(storage)
    assert.equal(await scoreAll(storage), 2, 'another job takes up what was left')
  })

  test('shows jobs to their project only, newest first, and takes no more than may be under way', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const stranger = await createTenant(storage, 'stranger')
    await create(storage, tenant, 's', { evaluators: [charCount] })
    const first = await start(storage, tenant, backfill('s'))
    const second = await start(storage, tenant, rerun({ slug: 'char-count' }))
    assert.deepEqual(await storage.listJobs(tenant, { limit: 10 }), [second, first])
    assert.deepEqual(await storage.listJobs(tenant, { limit: 10, beforeNumber: second.number }), [first])
    assert.deepEqual(await storage.getJob(tenant, first.id), first)
    assert.deepEqual(first.request, backfill('s'))
    assert.deepEqual(await storage.listJobs(stranger, { limit: 10 }), [])
    assert.equal(await storage.getJob(stranger, first.id), undefined)
    assert.equal(await storage.cancelJob(stranger, first.id, AT_MS), undefined)
    assert.equal((await job(storage, tenant, first.id)).state, 'queued')
    const made = { id: nextId(), atMs: AT_MS, activeMax: 2 }
    assert.equal(await storage.createJob(stranger, { ...made, request: backfill('s') }), 'no_setup')
    assert.equal(await storage.createJob(tenant, { ...made, request: rerun({}) }), 'full')
    await storage.cancelJob(tenant, first.id, AT_MS)
    assert.notEqual(await storage.createJob(tenant, { ...made, request: rerun({}) }), 'full')
  })

  test('drops jobs that have ended when what they were about is no longer kept', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const kept = await start(storage, tenant, rerun({}))
    const ended = await start(storage, tenant, rerun({}))
    await storage.cancelJob(tenant, ended.id, AT_MS)
    while (await storage.work.dropExpired(AT_MS + 720 * HOUR_MS, 720));
    assert.equal((await storage.listJobs(tenant, { limit: 10 })).length, 2)
    while (await storage.work.dropExpired(AT_MS + 721 * HOUR_MS, 720));
    assert.deepEqual(await storage.listJobs(tenant, { limit: 10 }), [kept])
  })
}
