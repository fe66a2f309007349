import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BackfillRequest, Job, RerunRequest } from '../../src/domain/job.ts'
import { isSampled } from '../../src/domain/sampling.ts'
import type { EnvironmentScope } from '../../src/domain/tenant.ts'
import { addUnit, emptyUnits, listUnits } from '../../src/domain/unit-set.ts'
import type { BackfillTurn, DecidedBatch } from '../../src/ports/job-storage.ts'
import type { Storage } from '../../src/ports/storage.ts'
import type { ClaimedWork } from '../../src/ports/work-storage.ts'
import {
  AT_MS,
  charCount,
  create,
  nextId,
  rule,
  type StorageHarness,
  storeWithTenant,
  tenantScope,
  wordCount,
} from './contract-fixtures.ts'
import { bindSetup, type Verdict } from './result-fixtures.ts'
import { admit, idsOf, packed } from './span-fixtures.ts'

const LEASE_MS = 60_000
const ALL = { fromMs: 0, toMs: AT_MS + 1, limit: 1_000, samplingRate: 1 }

/** What every store promises about backfills and reruns. */
export function describeJobs(harness: StorageHarness): void {
  describeBackfills(harness)
  describeUnboundBackfills(harness)
  describeReruns(harness)
  describeTurns(harness)
}

function describeBackfills(harness: StorageHarness): void {
  test('backfills spans that came before the setup, once, and tells how far it has come', async () => {
    const { storage, scope } = await storeWithTenant(harness)
    await admitNames(storage, scope, ['a', 'b'])
    await admitNames(storage, scope, ['c'])
    await bindSetup(storage, scope, 's', { evaluators: [charCount, wordCount] })
    const { id, state } = await start(storage, scope, backfill('s'))
    assert.equal(state, 'queued')
    assert.deepEqual(await carryOn(storage), [['c'], ['a', 'b']])
    assert.deepEqual(progress(await job(storage, scope, id)), ['running', 3, 3, 6, 0])
    assert.equal(await scoreAll(storage), 6)
    await storage.jobs.takeTurn()
    assert.deepEqual(progress(await job(storage, scope, id)), ['done', 3, 3, 6, 6])

    const again = await start(storage, scope, backfill('s'))
    await carryOn(storage)
    assert.deepEqual(progress(await job(storage, scope, again.id)), ['done', 3, 3, 0, 0])
    assert.deepEqual(await claimAll(storage), [])
    assert.equal((await storage.work.sweep()).missingWork, 0)
  })

  test('leaves out of a backfill what was evaluated or waits, and what an earlier batch had brought', async () => {
    const { storage, scope } = await storeWithTenant(harness)
    await admitNames(storage, scope, ['old'])
    await bindSetup(storage, scope, 's', { evaluators: [charCount] })
    await admitNames(storage, scope, ['scored'], true)
    await scoreAll(storage)
    await admitNames(storage, scope, ['waiting'], true)
    await admitNames(storage, scope, ['old', 'new'], true)
    await start(storage, scope, backfill('s'))
    await carryOn(storage)
    const [live, queued] = [await claimNames(storage, 1), await claimNames(storage, 10)]
    assert.deepEqual(live, ['waiting'])
    assert.deepEqual(queued.toSorted(), ['new', 'old'])
  })

  test('backfills what was cancelled when its setup was changed, and counts nothing twice', async () => {
    const { storage, scope } = await storeWithTenant(harness)
    const monitors = await bindSetup(storage, scope, 's', { evaluators: [charCount] }, { samplingRate: 0.5 })
    const { in: kept, out: left } = sampledNames(0.5)
    await admitNames(storage, scope, [kept, left], true)
    const [work] = await storage.work.claimWork('local', 1, LEASE_MS)
    assert.ok(work)
    await storage.work.recordWork([{ work, outcomes: [outcomeOf(kept, 0)], sampledOut: 1 }])
    await admitNames(storage, scope, ['cancelled'], true)
    await bindSetup(storage, scope, 's', { selector: [rule] })
    await bindSetup(storage, scope, 's', { selector: [] }, { samplingRate: 0.5 })
    await start(storage, scope, backfill('s'))
    await carryOn(storage)
    assert.deepEqual(await claimNames(storage, 10), ['cancelled'])
    const monitor = await storage.getMonitor(scope, monitors['char-count'] as string)
    assert.deepEqual(monitor?.counts, { cancelled: 1, sampled_out: 1, scored: 1 })
  })

  test('goes back from the end of the window to its beginning, up to the limit', async () => {
    const { storage, scope } = await storeWithTenant(harness)
    for (const at of [0, 1, 2, 3, 4])
      await admitNames(storage, scope, [`a${at}`, `b${at}`], false, AT_MS + at)
    await bindSetup(storage, scope, 's', { evaluators: [charCount] })
    const window = { fromMs: AT_MS + 1, toMs: AT_MS + 4 }
    await start(storage, scope, { ...backfill('s'), ...window })
    assert.deepEqual(await carryOn(storage), [
      ['a3', 'b3'],
      ['a2', 'b2'],
      ['a1', 'b1'],
    ])
    await scoreAll(storage)
    const limited = await start(storage, scope, { ...backfill('s'), toMs: AT_MS + 9, limit: 3 })
    await carryOn(storage)
    const { queued, isLimitReached, lookedAt } = await job(storage, scope, limited.id)
    assert.deepEqual([queued, isLimitReached, lookedAt], [3, true, 10])
    assert.deepEqual((await claimNames(storage, 10)).toSorted(), ['a0', 'a4', 'b4'])
  })

  test('takes each step of a backfill once, from the place where it is, also after a restart', async () => {
    const first = await storeWithTenant(harness)
    const { scope } = first
    for (const name of ['a', 'b', 'c']) await admitNames(first.storage, scope, [name])
    await bindSetup(first.storage, scope, 's', { evaluators: [charCount] })
    const { id } = await start(first.storage, scope, backfill('s'))
    const turn = await nextTurn(first.storage)
    const [newest] = await first.storage.jobs.readBackfillBatches(turn, 1)
    assert.ok(newest)
    const decided = [decide(newest.batchId, ['c'])]
    assert.equal(await first.storage.jobs.recordBackfill(turn, decided), true)
    assert.equal(await first.storage.jobs.recordBackfill(turn, decided), false)
    const storage = await harness.reopen(first.storage)
    assert.deepEqual(await carryOn(storage), [['b'], ['a']])
    assert.deepEqual(progress(await job(storage, scope, id)), ['running', 3, 3, 3, 0])
    assert.deepEqual((await claimNames(storage, 10)).toSorted(), ['a', 'b', 'c'])
  })

  test('reads for a backfill only batches of its project and environment', async () => {
    const { storage, scope } = await storeWithTenant(harness)
    const stranger = await tenantScope(storage, 'stranger')
    await storage.createEnvironment(scope, { envProjectId: 'other-environment', slug: 'dev' }, AT_MS)
    await admitNames(storage, stranger, ['theirs'])
    await admitNames(storage, { ...scope, envProjectId: 'other-environment' }, ['elsewhere'])
    await admitNames(storage, scope, ['ours'])
    await bindSetup(storage, scope, 's', { evaluators: [charCount] })
    await start(storage, scope, backfill('s'))
    assert.deepEqual(await carryOn(storage), [['ours']])
  })

  test('ends a backfill whose setup was changed or deleted, and says so', async () => {
    const { storage, scope } = await storeWithTenant(harness)
    await admitNames(storage, scope, ['a'])
    for (const meanwhile of [
      () => bindSetup(storage, scope, 's', { selector: [rule] }),
      () => storage.deleteSetup(scope, 's', AT_MS),
    ]) {
      await bindSetup(storage, scope, 's', { evaluators: [charCount], selector: [] })
      const { id } = await start(storage, scope, backfill('s'))
      const turn = await nextTurn(storage)
      const [batch] = await storage.jobs.readBackfillBatches(turn, 1)
      await meanwhile()
      assert.equal(await storage.jobs.recordBackfill(turn, [decide(batch?.batchId as number, ['a'])]), false)
      assert.deepEqual(await storage.jobs.takeTurn(), { hasWork: false, hasMore: false })
      const ended = await job(storage, scope, id)
      assert.equal(ended.state, 'failed')
      assert.match(ended.errorMessage ?? '', /changed or deleted/)
      assert.ok(ended.finishedAtMs)
    }
  })
}

function describeUnboundBackfills(harness: StorageHarness): void {
  test('has a setup that waits for spans bound on stored ones, and then evaluates them', async () => {
    const { storage, scope } = await storeWithTenant(harness)
    await admitNames(storage, scope, ['a'])
    await admitNames(storage, scope, ['b'])
    await create(storage, scope, 's', { evaluators: [charCount] })
    const { id } = await start(storage, scope, backfill('s'))
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
    await bindSetup(storage, scope, 's', {})
    assert.deepEqual(await carryOn(storage), [['a']])
    assert.deepEqual(await claimNames(storage, 1), [], 'it is the work of a job')
    assert.equal(await scoreAll(storage), 2)
    await storage.jobs.takeTurn()
    assert.deepEqual(progress(await job(storage, scope, id)), ['done', 2, 2, 2, 2])
  })
}

function describeReruns(harness: StorageHarness): void {
  test('evaluates again what failed, as the next generation, and leaves the rest', async () => {
    const { storage, scope } = await storeWithTenant(harness)
    const monitors = await bindSetup(storage, scope, 's', { evaluators: [charCount] })
    await admitNames(storage, scope, ['a', 'b', 'c'], true)
    const failed: Verdict = { status: 'error', errorMessage: 'away' }
    await scoreAll(storage, (name) => (name === 'b' ? { status: 'scored', output: { v: 5 } } : failed))
    const { id } = await start(storage, scope, rerun({ statuses: ['error'] }))
    await carryOn(storage)
    assert.deepEqual(progress(await job(storage, scope, id)), ['running', 3, 2, 2, 0])
    const twice = await start(storage, scope, rerun({ statuses: ['error'] }))
    await carryOn(storage)
    assert.equal((await job(storage, scope, twice.id)).queued, 0, 'what waits is not queued again')
    assert.deepEqual(await claimNames(storage, 1), [], 'the last place is for spans that come in')
    assert.equal(await scoreAll(storage, () => ({ status: 'scored', output: { v: 7 } })), 2)
    await storage.jobs.takeTurn()
    assert.deepEqual(progress(await job(storage, scope, id)), ['done', 3, 2, 2, 2])
    const monitor = await storage.getMonitor(scope, monitors['char-count'] as string)
    assert.deepEqual([monitor?.counts, monitor?.errors], [{ scored: 3 }, []])
    const { evaluations } = await storage.listEvaluations(
      scope,
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
    const { storage, scope } = await storeWithTenant(harness)
    const stranger = await tenantScope(storage, 'stranger')
    await bindSetup(storage, stranger, 's', { evaluators: [charCount] })
    await admitNames(storage, stranger, ['theirs'], true)
    await scoreAll(storage)
    const monitors = await bindSetup(storage, scope, 's', { evaluators: [charCount, wordCount] })
    await admitNames(storage, scope, ['a', 'b'], true)
    const before = Date.now()
    await scoreAll(storage)
    await bindSetup(storage, scope, 'other', { evaluators: [charCount] }, { evaluatorVersion: 2 })
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
      const { id } = await start(storage, scope, rerun(condition))
      await carryOn(storage)
      assert.equal((await job(storage, scope, id)).matched, matched, JSON.stringify(condition))
      await storage.cancelJob(scope, id, AT_MS)
    }
    const limited = await start(storage, scope, rerun({ limit: 3 }))
    await carryOn(storage)
    const { queued, isLimitReached } = await job(storage, scope, limited.id)
    assert.deepEqual([queued, isLimitReached], [3, true])
  })

  test('has the version that the monitor has now evaluate what an older one had evaluated, once', async () => {
    const { storage, scope } = await storeWithTenant(harness)
    await bindSetup(storage, scope, 's', { evaluators: [charCount] })
    await admitNames(storage, scope, ['a', 'b'], true)
    await scoreAll(storage)
    await bindSetup(storage, scope, 's', { evaluators: [charCount] }, { evaluatorVersion: 2 })
    for (const queued of [2, 0]) {
      const { id } = await start(storage, scope, rerun({ evaluatorVersion: 1 }))
      await carryOn(storage)
      assert.equal((await job(storage, scope, id)).queued, queued)
      await scoreAll(storage)
    }
    const { evaluations } = await storage.listEvaluations(scope, {}, { order: 'oldest', limit: 10 })
    assert.deepEqual(
      evaluations.map(({ version, generation, status }) => [version, generation, status]),
      [1, 1, 2, 2].map((version) => [version, 1, 'scored']),
    )
  })

  test('hands what a job has queued over to the next version of the monitor', async () => {
    const { storage, scope } = await storeWithTenant(harness)
    await admitNames(storage, scope, ['a'])
    await bindSetup(storage, scope, 's', { evaluators: [charCount] })
    const { id } = await start(storage, scope, backfill('s'))
    await carryOn(storage)
    await bindSetup(storage, scope, 's', {}, { evaluatorVersion: 2 })
    assert.equal(await scoreAll(storage), 1)
    await storage.jobs.takeTurn()
    assert.deepEqual(progress(await job(storage, scope, id)), ['done', 1, 1, 1, 1])
    const { evaluations } = await storage.listEvaluations(scope, {}, { order: 'oldest', limit: 10 })
    assert.deepEqual(
      evaluations.map(({ version }) => version),
      [2],
    )
  })
}

function describeTurns(harness: StorageHarness): void {
  test('gives work of jobs only what work that came with spans leaves, and makes none while much waits', async () => {
    const { storage, scope } = await storeWithTenant(harness)
    await admitNames(storage, scope, ['old'])
    await bindSetup(storage, scope, 's', { evaluators: [charCount] })
    await start(storage, scope, backfill('s'))
    await carryOn(storage)
    await admitNames(storage, scope, ['new'], true)
    assert.deepEqual(await claimNames(storage, 2), ['new'])
    assert.deepEqual(await claimNames(storage, 2), ['old'])
    for (let at = 0; at <= 100; at++) await admitNames(storage, scope, [`live ${at}`], true)
    const { id } = await start(storage, scope, backfill('s'))
    assert.deepEqual(await storage.jobs.takeTurn(), { hasWork: false, hasMore: false })
    assert.equal((await job(storage, scope, id)).state, 'queued')
    await scoreAll(storage)
    assert.ok((await storage.jobs.takeTurn()).backfill)
  })

  test('lets jobs take turns', async () => {
    const { storage, scope } = await storeWithTenant(harness)
    for (const name of ['a', 'b']) await admitNames(storage, scope, [name])
    await bindSetup(storage, scope, 's', { evaluators: [charCount] })
    const jobs = [await start(storage, scope, backfill('s')), await start(storage, scope, backfill('s'))]
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
    const { storage, scope } = await storeWithTenant(harness)
    await admitNames(storage, scope, ['a', 'b'])
    const monitors = await bindSetup(storage, scope, 's', { evaluators: [charCount] })
    const { id } = await start(storage, scope, backfill('s'))
    await carryOn(storage)
    const held = await claimAll(storage)
    const cancelled = await storage.cancelJob(scope, id, AT_MS + 5)
    assert.deepEqual([cancelled?.state, cancelled?.finishedAtMs], ['cancelled', AT_MS + 5])
    assert.equal(await storage.work.recordWork(held.map((work) => recordOf(work))), 0)
    assert.deepEqual(await claimAll(storage), [])
    assert.deepEqual(await storage.cancelJob(scope, id, AT_MS + 6), cancelled)
    assert.deepEqual((await storage.getMonitor(scope, monitors['char-count'] as string))?.counts, {})
    assert.equal((await storage.work.sweep()).missingWork, 0)
    await start(storage, scope, backfill('s'))
    await carryOn(storage)
    assert.equal(await scoreAll(storage), 2, 'another job takes up what was left')
  })

  test('shows jobs to their project only, newest first, and takes no more than may be under way', async () => {
    const { storage, scope } = await storeWithTenant(harness)
    const stranger = await tenantScope(storage, 'stranger')
    await create(storage, scope, 's', { evaluators: [charCount] })
    const first = await start(storage, scope, backfill('s'))
    const second = await start(storage, scope, rerun({ slug: 'char-count' }))
    assert.deepEqual(await storage.listJobs(scope, { limit: 10 }), [second, first])
    assert.deepEqual(await storage.listJobs(scope, { limit: 10, beforeNumber: second.number }), [first])
    assert.deepEqual(await storage.getJob(scope, first.id), first)
    assert.deepEqual(first.request, backfill('s'))
    assert.deepEqual(await storage.listJobs(stranger, { limit: 10 }), [])
    assert.equal(await storage.getJob(stranger, first.id), undefined)
    assert.equal(await storage.cancelJob(stranger, first.id, AT_MS), undefined)
    assert.equal((await job(storage, scope, first.id)).state, 'queued')
    const made = { id: nextId(), atMs: AT_MS, activeMax: 2 }
    assert.equal(await storage.createJob(stranger, { ...made, request: backfill('s') }), 'no_setup')
    assert.equal(await storage.createJob(scope, { ...made, request: rerun({}) }), 'full')
    await storage.cancelJob(scope, first.id, AT_MS)
    assert.notEqual(await storage.createJob(scope, { ...made, request: rerun({}) }), 'full')
  })
}

function backfill(externalId: string): BackfillRequest {
  return { kind: 'backfill', externalId, ...ALL }
}

function rerun(conditions: Partial<RerunRequest>): RerunRequest {
  return { kind: 'rerun', statuses: ['scored', 'error'], limit: 1_000, ...conditions }
}

async function start(storage: Storage, scope: EnvironmentScope, request: Job['request']): Promise<Job> {
  const made = await storage.createJob(scope, { id: nextId(), request, atMs: AT_MS, activeMax: 100 })
  assert.ok(typeof made === 'object')
  return made
}

async function job(storage: Storage, scope: EnvironmentScope, id: string): Promise<Job> {
  const found = await storage.getJob(scope, id)
  assert.ok(found)
  return found
}

function progress({ state, lookedAt, matched, queued, evaluated }: Job) {
  return [state, lookedAt, matched, queued, evaluated]
}

/** A name whose trace a rate lets through, and one whose trace it does not. */
function sampledNames(rate: number): { in: string; out: string } {
  const names = Array.from({ length: 50 }, (_, at) => `name ${at}`)
  const find = (isIn: boolean) => names.find((name) => isSampled(idsOf(name)[0], rate) === isIn) as string
  return { in: find(true), out: find(false) }
}

/** Names of spans by batch; what is stored in these tests are names, not OTLP. */
const namesOf = new Map<number, readonly string[]>()

async function admitNames(
  storage: Storage,
  scope: EnvironmentScope,
  names: readonly string[],
  isMatching = false,
  receivedAtMs = AT_MS,
): Promise<void> {
  const batch = { ...(await packed(storage, scope, names, isMatching)), bytes: Buffer.from(names.join()) }
  await admit(storage, scope, { ...batch, receivedAtMs })
}

async function nextTurn(storage: Storage): Promise<BackfillTurn> {
  const { backfill: turn } = await storage.jobs.takeTurn()
  assert.ok(turn)
  return turn
}

/** Carries all jobs on until they have looked at everything; tells the spans of the batches they matched. */
async function carryOn(storage: Storage): Promise<string[][]> {
  const seen: string[][] = []
  for (;;) {
    const turn = await storage.jobs.takeTurn()
    if (!turn.backfill) {
      if (turn.hasMore) continue
      return seen
    }
    const batches = await storage.jobs.readBackfillBatches(turn.backfill, 2)
    const decided = batches.map(({ batchId, bytes, repeated, receivedAtMs }) => {
      const names = Buffer.from(bytes).toString().split(',')
      seen.push(names)
      return decide(batchId, names, repeated, receivedAtMs)
    })
    assert.equal(await storage.jobs.recordBackfill(turn.backfill, decided), true)
  }
}

function decide(
  batchId: number,
  names: readonly string[],
  repeated: readonly number[] = [],
  receivedAtMs = AT_MS,
): DecidedBatch {
  const units = emptyUnits(names.length)
  for (const at of names.keys()) if (!repeated.includes(at)) addUnit(units, at)
  const ids = new Uint8Array(Buffer.concat(names.map((name) => Buffer.from(idsOf(name).join(''), 'hex'))))
  return { batchId, receivedAtMs, spanCount: names.length, units, ids }
}

async function claimAll(storage: Storage, limit = 1_000): Promise<ClaimedWork[]> {
  const works = await storage.work.claimWork('local', limit, LEASE_MS)
  for (const batch of await storage.work.readWorkBatches(works.map(({ batchId }) => batchId))) {
    namesOf.set(batch.batchId, Buffer.from(batch.bytes).toString().split(','))
  }
  return works
}

async function claimNames(storage: Storage, limit: number): Promise<string[]> {
  return (await claimAll(storage, limit)).flatMap(({ batchId, units }) =>
    listUnits(units).map((ordinal) => namesOf.get(batchId)?.[ordinal] ?? ''),
  )
}

/** Evaluates everything that waits, work of jobs too; tells how many evaluations were new. */
async function scoreAll(
  storage: Storage,
  judge: (name: string) => Verdict = () => ({ status: 'scored', output: { v: 1 } }),
): Promise<number> {
  const works = await claimAll(storage)
  return storage.work.recordWork(works.map((work) => recordOf(work, judge)))
}

function recordOf(work: ClaimedWork, judge?: (name: string) => Verdict) {
  const outcomes = listUnits(work.units).map((ordinal) => {
    const name = namesOf.get(work.batchId)?.[ordinal] ?? ''
    return { ...outcomeOf(name, ordinal), ...(judge?.(name) as object) }
  })
  return { work, outcomes, sampledOut: 0 }
}

function outcomeOf(name: string, ordinal: number) {
  const [traceId, spanId] = idsOf(name)
  const scored = { status: 'scored', output: { v: 1 } } as const
  return { ordinal, traceId, spanId, unitAtMs: AT_MS, durationUs: 1, ...scored }
}
