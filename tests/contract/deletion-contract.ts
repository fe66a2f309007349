import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { listUnits } from '../../src/domain/unit-set.ts'
import { AT_MS, create, createTenant, type StorageHarness, storeWithTenant } from './contract-fixtures.ts'
import { eraseAll, LATER_MS, namesOf, spanWith, store, sumUp, traceIdOf } from './deletion-fixtures.ts'

import {
  boundStore,
  claim,
  countIn,
  findTrace,
  fullStore,
  NAMES,
  NOTHING,
  outcomesOf,
  range,
  setup,
} from './deletion-store.ts'
import { describeProjectDeletion, describeSessionDeletion } from './session-deletion-contract.ts'

/** The promises of every store about deletion on request. */
export function describeDeletions(harness: StorageHarness): void {
  describeTraceDeletion(harness)
  describeSessionDeletion(harness)
  describeProjectDeletion(harness)
}

function describeTraceDeletion(harness: StorageHarness): void {
  test('hides a deleted trace at once from everything that can be read', async () => {
    const { storage, tenant } = await fullStore(harness)
    const { evaluations } = await storage.listEvaluations(tenant, { traceId: traceIdOf('gone') }, range)
    assert.equal(evaluations.length, 2)
    await storage.deleteTrace(tenant, traceIdOf('gone'), AT_MS)
    assert.deepEqual(await findTrace(storage, tenant, 'gone'), NOTHING)
    for (const { number } of evaluations) assert.equal(await storage.getEvaluation(tenant, number), undefined)
    const batches = await storage.listBatches(tenant, {
      ...{ envProjectId: tenant.envProjectId, fromMs: 0, toMs: LATER_MS, limit: 10 },
    })
    assert.deepEqual(
      batches.map(({ repeated }) => repeated),
      [[0], [0, 2]],
      'nobody looks at its spans again',
    )
    const { trace: kept, ...rest } = await findTrace(storage, tenant, 'kept')
    assert.equal(kept?.spanCount, 2)
    assert.deepEqual(rest, { listed: 1, places: 2, evaluations: 4, ofTrace: 2, scores: 1, spans: 2 })
  })

  test('erases a deleted trace from all files, and nothing else', async () => {
    const { storage, tenant, monitorId, secrets, text, batchId } = await fullStore(harness)
    assert.ok((await countIn(harness, storage, secrets.gone)) > 0, 'it can be found as long as it is there')
    assert.ok((await countIn(harness, storage, text)) > 0)
    const [before] = await storage.readBatches(tenant, [batchId])
    await storage.deleteTrace(tenant, traceIdOf('gone'), AT_MS)
    await eraseAll(storage)
    assert.equal(await countIn(harness, storage, secrets.gone), 0)
    for (const what of ['label', 'quote', 'answer'])
      assert.equal(await countIn(harness, storage, `${text} ${what}`), 0, what)
    assert.ok((await countIn(harness, storage, secrets.kept)) > 0)
    assert.deepEqual(await findTrace(storage, tenant, 'gone'), NOTHING)
    assert.deepEqual(await namesOf(storage, tenant), ['kept 1', 'kept 2'])
    const [after] = await storage.readBatches(tenant, [batchId])
    assert.equal(after?.byteLength, before?.byteLength)
    const monitor = await storage.getMonitor(tenant, monitorId)
    assert.deepEqual(monitor?.counts, { scored: 2 })
  })

  test('erases a deleted trace for good also when the store is opened again in between', async () => {
    const { storage, tenant, secrets } = await fullStore(harness)
    await storage.deleteTrace(tenant, traceIdOf('gone'), AT_MS)
    const reopened = await harness.reopen(storage)
    assert.deepEqual(await findTrace(reopened, tenant, 'gone'), NOTHING)
    await eraseAll(reopened)
    assert.equal(await countIn(harness, reopened, secrets.gone), 0)
    assert.deepEqual(await namesOf(reopened, tenant), ['kept 1', 'kept 2'])
  })

  test('takes deleted spans out of open work, and what a worker says about them is not recorded', async () => {
    const { storage, tenant } = await boundStore(harness)
    const both = [spanWith('gone', 'gone 1', randomBytes(8)), spanWith('kept', 'kept 1', randomBytes(8))]
    await store(storage, tenant, both)
    await store(storage, tenant, [spanWith('gone', 'gone 2', randomBytes(8))])
    await sumUp(storage)
    const [held] = await storage.work.claimWork('local', 1, 60_000)
    assert.ok(held)
    await storage.deleteTrace(tenant, traceIdOf('gone'), AT_MS)
    assert.deepEqual(await claim(storage), [], 'the work that is left is held, the other is cancelled')
    await eraseAll(storage)
    const outcomes = outcomesOf(held, NAMES, 'said too late')
    await storage.work.recordWork([{ work: held, outcomes, sampledOut: 0 }])
    assert.equal(await countIn(harness, storage, 'said too late'), 0)
    const { evaluations } = await storage.listEvaluations(tenant, {}, range)
    assert.deepEqual(
      evaluations.map(({ traceId }) => traceId),
      [traceIdOf('kept')],
    )
    await eraseAll(storage)
    assert.equal((await storage.work.sweep()).missingWork, 0)
    assert.deepEqual(await claim(storage), [])
  })

  test('does not put deleted spans back that a worker has not come to', async () => {
    const { storage, tenant } = await boundStore(harness)
    const both = [spanWith('gone', 'gone 1', randomBytes(8)), spanWith('kept', 'kept 1', randomBytes(8))]
    await store(storage, tenant, both)
    await store(storage, tenant, [
      spanWith('gone', 'gone 2', randomBytes(8)),
      spanWith('more', 'm', randomBytes(8)),
    ])
    await sumUp(storage)
    const held = await claim(storage)
    assert.equal(held.length, 2)
    await storage.deleteTrace(tenant, traceIdOf('gone'), AT_MS)
    const nothing = { outcomes: [], sampledOut: 0 }
    await storage.work.recordWork(
      held.map((work) => ({ ...nothing, work, left: { units: work.units, holdMs: 60_000 } })),
    )
    await storage.work.recordWork(
      held.map((work) => ({ ...nothing, work, left: { units: work.units, readyInMs: 0 } })),
    )
    const again = await claim(storage)
    assert.deepEqual(
      again.map(({ units }) => listUnits(units)),
      [[1], [1]],
    )
    await storage.deleteTrace(tenant, traceIdOf('more'), AT_MS)
    await storage.work.recordWork(
      again.map((work) => ({ ...nothing, work, left: { units: work.units, readyInMs: 0 } })),
    )
    assert.equal((await claim(storage)).length, 1)
  })

  test('does not evaluate deleted spans for a monitor that is bound later', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await create(storage, tenant, 'a', setup)
    const both = [spanWith('gone', 'gone 1', randomBytes(8)), spanWith('kept', 'kept 1', randomBytes(8))]
    await store(storage, tenant, both)
    await sumUp(storage)
    await storage.deleteTrace(tenant, traceIdOf('gone'), AT_MS)
    const [claimed] = await storage.work.claimSetups(10, 60_000, Number.MAX_SAFE_INTEGER)
    assert.ok(claimed)
    const sample = await storage.work.sampleMatches(claimed, 10)
    assert.equal(sample.spanCount, 1)
    assert.deepEqual(
      sample.batches.map(({ units }) => listUnits(units)),
      [[1]],
    )
  })

  test('hides what is not summed up yet, and erases it when it is', async () => {
    const { storage, tenant } = await boundStore(harness)
    const secret = randomBytes(64)
    await store(storage, tenant, [
      spanWith('gone', 'gone 1', secret),
      spanWith('kept', 'kept 1', randomBytes(8)),
    ])
    const newest = await storage.deleteTrace(tenant, traceIdOf('gone'), AT_MS)
    assert.deepEqual(await namesOf(storage, tenant), ['kept 1'])
    assert.ok(!(await storage.digest.isDigested(tenant, newest)))
    await sumUp(storage)
    assert.ok(await storage.digest.isDigested(tenant, newest))
    assert.deepEqual(await findTrace(storage, tenant, 'gone'), NOTHING)
    const [work] = await claim(storage)
    assert.deepEqual(work && listUnits(work.units), [1])
    await eraseAll(storage)
    assert.equal(await countIn(harness, storage, secret), 0)
    assert.deepEqual(await namesOf(storage, tenant), ['kept 1'])
  })

  test('takes no later span of a deleted trace in', async () => {
    const { storage, tenant, secrets } = await fullStore(harness)
    await storage.deleteTrace(tenant, traceIdOf('gone'), AT_MS)
    await eraseAll(storage)
    const late = spanWith('gone', 'gone 3', secrets.gone)
    const alone = await store(storage, tenant, [late])
    assert.equal(alone.newSpans, 0)
    const beside = await store(storage, tenant, [late, spanWith('kept', 'kept 3', secrets.kept)])
    assert.equal(beside.newSpans, 1)
    await sumUp(storage)
    assert.deepEqual(await findTrace(storage, tenant, 'gone'), NOTHING)
    const [work] = await claim(storage)
    assert.deepEqual(work && listUnits(work.units), [1])
    await eraseAll(storage)
    assert.equal(await countIn(harness, storage, secrets.gone), 0)
    assert.deepEqual(await namesOf(storage, tenant), ['kept 1', 'kept 2', 'kept 3'])
  })

  test('takes a trace in again when nothing of its time would be kept any more', async () => {
    const { storage, tenant } = await fullStore(harness)
    await storage.deleteTrace(tenant, traceIdOf('gone'), AT_MS)
    const spans = [spanWith('gone', 'gone 1', randomBytes(8))]
    const dayMs = 86_400_000
    while (await storage.erasure.eraseDeleted(AT_MS + 29 * dayMs));
    assert.equal((await store(storage, tenant, spans)).newSpans, 0)
    while (await storage.erasure.eraseDeleted(AT_MS + 31 * dayMs));
    assert.equal((await store(storage, tenant, spans)).newSpans, 1)
  })

  test('deletes the traces of nobody else', async () => {
    const { storage, tenant, secrets, text } = await fullStore(harness)
    const other = await createTenant(storage, 'other')
    await store(storage, other, [spanWith('gone', 'gone 1', secrets.gone, `${text} session`)])
    await sumUp(storage)
    await storage.deleteTrace(other, traceIdOf('kept'), AT_MS)
    await storage.deleteSession(other, 'other session', AT_MS)
    await storage.deleteTrace(tenant, traceIdOf('gone'), AT_MS)
    await storage.deleteSession(tenant, `${text} session`, AT_MS)
    assert.equal(await storage.deleteProjectData({ ...other, projectId: tenant.projectId }, AT_MS), false)
    await eraseAll(storage)
    assert.deepEqual(await namesOf(storage, tenant), ['kept 1', 'kept 2'])
    assert.deepEqual(await namesOf(storage, other), ['gone 1'])
    assert.ok(await storage.getTrace(other, traceIdOf('gone')))
  })
}
