import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { UnitOutcome } from '../../src/domain/evaluation.ts'
import type { ClaimedUnit } from '../../src/ports/unit-storage.ts'
import { AT_MS, createTenant, type StorageHarness, storeWithTenant } from './contract-fixtures.ts'
import { eraseAll, namesOf, spanWith, store, sumUp, traceIdOf } from './deletion-fixtures.ts'
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
import { bindSetup } from './result-fixtures.ts'

const sessionOutcome = (unit: ClaimedUnit): UnitOutcome => ({
  ...{ ordinal: 0, traceId: traceIdOf('kept'), spanId: 'ab'.repeat(16), unitAtMs: AT_MS, durationUs: 1 },
  ...{ status: 'scored', output: { label: 'quotes both' }, sessionId: unit.key },
})

/** The promises of every store about deleting a session. */
export function describeSessionDeletion(harness: StorageHarness): void {
  test('deletes the traces of a session and what is said about it', async () => {
    const { storage, tenant, text, secrets } = await fullStore(harness)
    const session = `${text} session`
    await storage.deleteSession(tenant, session, AT_MS)
    assert.deepEqual(await findTrace(storage, tenant, 'gone'), NOTHING)
    const sessions = await storage.listSessions(tenant, {}, { limit: 10 })
    assert.deepEqual(
      sessions.map(({ sessionId }) => sessionId),
      ['other session'],
    )
    assert.deepEqual(await storage.listAnnotationsOf(tenant, { traceIds: [], sessionIds: [session] }, 10), [])
    await eraseAll(storage)
    assert.equal(await countIn(harness, storage, secrets.gone), 0)
    assert.equal(await countIn(harness, storage, text), 0)
    assert.deepEqual(await namesOf(storage, tenant), ['kept 1', 'kept 2'])
  })

  test('deletes of a session what had arrived by then, summed up or not, and nothing that comes later', async () => {
    const { storage, tenant } = await boundStore(harness)
    const secret = randomBytes(64)
    await store(storage, tenant, [spanWith('one', 'one 1', secret, 's'), spanWith('two', 'two 1', secret)])
    const { newestBatch } = await storage.deleteSession(tenant, 's', AT_MS)
    await store(storage, tenant, [spanWith('three', 'three 1', randomBytes(8), 's')])
    await sumUp(storage)
    assert.ok(await storage.digest.isDigested(tenant, newestBatch))
    assert.deepEqual(await namesOf(storage, tenant), ['three 1', 'two 1'])
    const [found] = await storage.listSessions(tenant, {}, { limit: 10 })
    assert.equal(found?.traceCount, 1)
    await eraseAll(storage)
    assert.deepEqual(await namesOf(storage, tenant), ['three 1', 'two 1'], 'erasing reaches no further')
  })

  test('forgets what was said about a session as a whole when a trace of it is deleted, and asks again', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await bindSetup(storage, tenant, 'a', setup, { scope: 'session' })
    await store(storage, tenant, [spanWith('gone', 'gone 1', randomBytes(8), 's')])
    await store(storage, tenant, [spanWith('kept', 'kept 1', randomBytes(8), 's')])
    await sumUp(storage)
    const [unit] = await storage.units.claimUnits(10, 60_000)
    assert.ok(unit)
    assert.equal(await storage.units.recordUnit(unit, sessionOutcome(unit)), true)
    await storage.deleteTrace(tenant, traceIdOf('gone'), AT_MS)
    assert.deepEqual((await storage.listEvaluations(tenant, {}, range)).evaluations, [])
    const [again] = await storage.units.claimUnits(10, 60_000)
    assert.ok(again)
    const { traces } = await storage.units.readUnit(again, 10, 10)
    assert.deepEqual(
      traces.map(({ traceId }) => traceId),
      [traceIdOf('kept')],
    )
    await storage.deleteTrace(tenant, traceIdOf('kept'), AT_MS)
    assert.equal(await storage.units.recordUnit(again, sessionOutcome(again)), false)
    assert.deepEqual(await storage.units.claimUnits(10, 60_000), [])
    await eraseAll(storage)
    assert.equal(await countIn(harness, storage, 'quotes both'), 0)
  })

  for (const isSummedUp of [true, false])
    test(`reaches evaluations that outlive ${isSummedUp ? 'their trace' : 'a batch that was never summed up'}`, async () => {
      const { storage, tenant } = await boundStore(harness)
      const names = [
        ['gone', 'gone 1'],
        ['kept', 'kept 1'],
      ] as const
      await store(storage, tenant, [
        spanWith('gone', 'gone 1', randomBytes(8), 'secret session'),
        spanWith('kept', 'kept 1', randomBytes(8), 'plain session'),
      ])
      if (isSummedUp) await sumUp(storage)
      const [work] = await claim(storage)
      assert.ok(work)
      await storage.work.recordWork([{ work, outcomes: outcomesOf(work, names, 'secret'), sampledOut: 0 }])
      // Evaluations are as old as their recording, and their spans much older.
      while (await storage.work.dropExpired(AT_MS + 31 * 86_400_000, 720));
      assert.deepEqual((await storage.listTraces(tenant, {}, { limit: 10 })).traces, [])
      assert.equal((await storage.listEvaluations(tenant, {}, range)).evaluations.length, 2)
      await storage.deleteSession(tenant, 'secret session', AT_MS)
      await store(storage, tenant, [spanWith('new', 'new 1', randomBytes(8), 'secret session')])
      const [later] = await claim(storage)
      assert.ok(later)
      const outcomes = outcomesOf(later, [['new', 'new 1']], '').map((outcome) => ({
        ...outcome,
        sessionId: 'secret session',
      }))
      await storage.work.recordWork([{ work: later, outcomes, sampledOut: 0 }])
      await sumUp(storage)
      await eraseAll(storage)
      const { evaluations } = await storage.listEvaluations(tenant, {}, range)
      assert.deepEqual(
        evaluations.map(({ traceId }) => traceId).toSorted(),
        [traceIdOf('kept'), traceIdOf('new')].toSorted(),
        'nothing of another session, and nothing that came later',
      )
      assert.equal(await countIn(harness, storage, 'secret quote'), 0)
    })

  test('takes spans in again that expired before the deletion of their session could find them', async () => {
    const { storage, tenant } = await boundStore(harness)
    const [first, second] = [randomBytes(64), randomBytes(64)]
    await store(storage, tenant, [spanWith('one', 'one 1', first, 's')])
    const { newestBatch } = await storage.deleteSession(tenant, 's', AT_MS)
    // Retention waits for no summary, or a backlog would keep data longer than was promised.
    while (await storage.work.dropExpired(AT_MS + 31 * 86_400_000, 720));
    await sumUp(storage)
    assert.ok(await storage.digest.isDigested(tenant, newestBatch))
    assert.equal((await store(storage, tenant, [spanWith('one', 'one 1', second, 's')])).newSpans, 1)
    await sumUp(storage)
    await eraseAll(storage)
    assert.equal(await countIn(harness, storage, first), 0)
    assert.deepEqual(await namesOf(storage, tenant), ['one 1'], 'it came after the deletion')
  })

  for (const isEvaluatedAgain of [false, true])
    test(`reaches the evaluation of a trace that was gone and ${isEvaluatedAgain ? 'is evaluated' : 'has come'} again`, async () => {
      const { storage, tenant } = await storeWithTenant(harness)
      await bindSetup(storage, tenant, 'a', setup, { scope: 'trace' })
      const spans = [spanWith('one', 'one 1', randomBytes(8), 's')]
      const evaluate = async (label: string) => {
        await store(storage, tenant, spans)
        await sumUp(storage)
        const [unit] = await storage.units.claimUnits(10, 60_000)
        assert.ok(unit)
        const outcome = { traceId: traceIdOf('one'), spanId: '', output: { label }, sessionId: 's' }
        assert.equal(await storage.units.recordUnit(unit, { ...sessionOutcome(unit), ...outcome }), true)
      }
      await evaluate('said before')
      while (await storage.work.dropExpired(AT_MS + 31 * 86_400_000, 720));
      assert.equal((await storage.listEvaluations(tenant, {}, range)).evaluations.length, 1)
      // The clock that the deletion goes by is ahead of the one that evaluations are recorded by.
      await storage.deleteSession(tenant, 's', Date.now() + 3_600_000)
      if (isEvaluatedAgain) await evaluate('said again')
      else {
        await store(storage, tenant, spans)
        await sumUp(storage)
      }
      await eraseAll(storage)
      assert.equal(await countIn(harness, storage, 'said before'), 0)
      assert.deepEqual(await namesOf(storage, tenant), ['one 1'], 'the trace itself came after the deletion')
      const { evaluations } = await storage.listEvaluations(tenant, {}, range)
      assert.deepEqual(
        evaluations.map(({ output }) => output),
        isEvaluatedAgain ? [{ label: 'said again' }] : [],
      )
    })

  test('deletes a trace of a session that began in the future and has outlived its spans', async () => {
    const { storage, tenant } = await boundStore(harness)
    // Its client's clock was ahead, so retention drops the trace later than the batch.
    const startUnixNano = BigInt(AT_MS + 40 * 86_400_000) * 1_000_000n
    const ahead = {
      ...spanWith('one', 'one 1', randomBytes(8), 's'),
      startUnixNano,
      endUnixNano: startUnixNano,
    }
    await store(storage, tenant, [ahead])
    await sumUp(storage)
    while (await storage.work.dropExpired(AT_MS + 31 * 86_400_000, 720));
    assert.deepEqual(await namesOf(storage, tenant), [])
    assert.equal((await storage.listSessions(tenant, {}, { limit: 10 })).length, 1)
    await storage.deleteSession(tenant, 's', AT_MS)
    assert.deepEqual(await storage.listSessions(tenant, {}, { limit: 10 }), [])
    assert.deepEqual((await storage.listTraces(tenant, {}, { limit: 10 })).traces, [])
    assert.equal((await store(storage, tenant, [ahead])).newSpans, 0, 'the trace is known as deleted')
  })

  test('goes on with a session of very many traces until none is left', async () => {
    const { storage, tenant } = await boundStore(harness)
    const spans = Array.from({ length: 450 }, (_, at) => spanWith(`t${at}`, `t${at}`, randomBytes(4), 's'))
    await store(storage, tenant, spans)
    await sumUp(storage)
    let calls = 1
    while ((await storage.deleteSession(tenant, 's', AT_MS)).hasMore) calls++
    assert.ok(calls > 1)
    assert.deepEqual(await storage.listSessions(tenant, {}, { limit: 10 }), [])
    assert.deepEqual(await namesOf(storage, tenant), [])
  })
}

/** The promises of every store about deleting all data of a project. */
export function describeProjectDeletion(harness: StorageHarness): void {
  test('deletes all data of a project at once, keeps what was configured, and goes on', async () => {
    const { storage, tenant, monitorId, text, secrets } = await fullStore(harness)
    const call = { id: 'x', evaluatorId: 'e', call: `${text} call`, atMs: AT_MS }
    await storage.createExecution(tenant, call, { openMax: 10, openCharsMax: 1_000 })
    const minuteMs = AT_MS - (AT_MS % 60_000)
    const series = {
      monitorId,
      property: 'label',
      fromMs: minuteMs,
      toMs: minuteMs + 60_000,
      bucketMs: 60_000,
    }
    assert.notDeepEqual(await storage.readSeries(tenant, series), [])
    assert.equal(await storage.deleteProjectData(tenant, AT_MS), true)
    for (const trace of ['gone', 'kept']) assert.deepEqual(await findTrace(storage, tenant, trace), NOTHING)
    assert.deepEqual(await storage.readSeries(tenant, series), [])
    assert.deepEqual(await storage.listSessions(tenant, {}, { limit: 10 }), [])
    assert.equal(await storage.getExecution(tenant, 'x', AT_MS), undefined)
    const monitor = await storage.getMonitor(tenant, monitorId)
    assert.deepEqual(monitor?.counts, {})
    assert.equal((await storage.getSetup(tenant, 'a'))?.status, 'completed')
    await storage.work.sweep()
    assert.deepEqual(await claim(storage), [], 'nothing of what was deleted is evaluated again')
    await eraseAll(storage)
    for (const secret of [secrets.gone, secrets.kept, text])
      assert.equal(await countIn(harness, storage, secret), 0)

    await store(storage, tenant, [
      spanWith('gone', 'gone 1', randomBytes(8)),
      spanWith('new', 'new', randomBytes(8)),
    ])
    await sumUp(storage)
    const [work] = await claim(storage)
    assert.ok(work)
    const names = [NAMES[0], ['new', 'new']] as const
    await storage.work.recordWork([{ work, outcomes: outcomesOf(work, names, 'x'), sampledOut: 0 }])
    assert.equal((await storage.listEvaluations(tenant, { monitorId }, range)).evaluations.length, 2)
    assert.deepEqual(await namesOf(storage, tenant), ['gone 1', 'new'])
  })

  test('deletes the data of one project and not of another', async () => {
    const { storage, tenant } = await fullStore(harness)
    const other = await createTenant(storage, 'other')
    await store(storage, other, [spanWith('gone', 'gone 1', randomBytes(8))])
    await sumUp(storage)
    assert.equal(await storage.deleteProjectData(other, AT_MS), true)
    await eraseAll(storage)
    assert.deepEqual(await namesOf(storage, other), [])
    assert.deepEqual(await namesOf(storage, tenant), ['gone 1', 'gone 2', 'kept 1', 'kept 2'])
    const { evaluations } = await storage.listEvaluations(tenant, {}, range)
    assert.equal(evaluations.length, 4)
  })
}
