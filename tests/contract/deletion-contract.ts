import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { UnitOutcome } from '../../src/domain/evaluation.ts'
import type { EnvironmentScope } from '../../src/domain/tenant.ts'
import { listUnits } from '../../src/domain/unit-set.ts'
import type { Storage } from '../../src/ports/storage.ts'
import type { ClaimedUnit } from '../../src/ports/unit-storage.ts'
import type { ClaimedWork } from '../../src/ports/work-storage.ts'
import {
  AT_MS,
  charCount,
  create,
  rule,
  type StorageHarness,
  storeWithTenant,
  tenantScope,
} from './contract-fixtures.ts'
import {
  eraseAll,
  LATER_MS,
  namesOf,
  spanIdOf,
  spanWith,
  store,
  sumUp,
  traceIdOf,
} from './deletion-fixtures.ts'
import { bindSetup } from './result-fixtures.ts'

const setup = { evaluators: [charCount], selector: [rule] }
const range = { order: 'newest', limit: 100 } as const

async function boundStore(harness: StorageHarness) {
  const { storage, scope } = await storeWithTenant(harness)
  const monitors = await bindSetup(storage, scope, 'a', setup)
  return { storage, scope, monitorId: monitors['char-count'] ?? '' }
}

function claim(storage: Storage): Promise<ClaimedWork[]> {
  return storage.work.claimWork('local', 100, 60_000)
}

/** What a worker says about spans of these traces, in the order of their ordinals. */
function outcomesOf(
  work: ClaimedWork,
  spans: readonly (readonly [trace: string, span: string])[],
  text: string,
): UnitOutcome[] {
  return listUnits(work.units).map((ordinal) => {
    const [trace, span] = spans[ordinal] ?? ['', '']
    const said = trace === 'gone' ? text : 'plain'
    return {
      ...{ ordinal, traceId: traceIdOf(trace), spanId: spanIdOf(span), unitAtMs: AT_MS, durationUs: 1 },
      ...{ status: 'scored', output: { label: `${said} label` }, sessionId: `${said} session` },
      judgement: {
        ...{ calls: 1, cachedCalls: 0, promptTokens: 1, completionTokens: 1 },
        evidence: { quote: `${said} quote` },
      },
    }
  })
}

/** Two traces of two sessions in one batch, evaluated, scored from outside, judged, and sent partly twice. */
async function fullStore(harness: StorageHarness) {
  const { storage, scope, monitorId } = await boundStore(harness)
  const secrets = { gone: randomBytes(64), kept: randomBytes(64) }
  const text = `secret-${randomBytes(8).toString('hex')}`
  const spans = [
    spanWith('gone', 'gone 1', secrets.gone, `${text} session`),
    spanWith('kept', 'kept 1', secrets.kept, 'other session'),
    spanWith('gone', 'gone 2', secrets.gone, `${text} session`),
  ]
  const { batchId } = await store(storage, scope, spans)
  // The first span once more, beside a new one.
  await store(storage, scope, [...spans.slice(0, 1), spanWith('kept', 'kept 2', secrets.kept)])
  await sumUp(storage)
  for (const work of await claim(storage)) {
    const names = work.batchId === batchId ? NAMES : ([NAMES[0], ['kept', 'kept 2']] as const)
    await storage.work.recordWork([{ work, outcomes: outcomesOf(work, names, text), sampledOut: 0 }])
  }
  const said = { name: 'liked', value: true, source: 'human' } as const
  await storage.addScores(
    scope,
    [
      { ...said, traceId: traceIdOf('gone'), comment: `${text} comment` },
      { ...said, sessionId: `${text} session`, comment: `${text} comment` },
      { ...said, traceId: traceIdOf('kept'), comment: 'kept comment' },
    ],
    AT_MS,
  )
  const cached = { orgId: scope.orgId, key: 'key', promptTokens: 1, completionTokens: 1 }
  await storage.ledger.recordCalls([{ ...cached, answer: `${text} answer` }], [])
  return { storage, scope, monitorId, secrets, text, batchId }
}

const NAMES = [
  ['gone', 'gone 1'],
  ['kept', 'kept 1'],
  ['gone', 'gone 2'],
] as const

/** How often some bytes stand in the files of a store. */
async function countIn(harness: StorageHarness, storage: Storage, bytes: Buffer | string) {
  const files = await harness.files(storage)
  return files.filter((file) => file.includes(bytes)).length
}

/** Everything that a tenant can read about a trace. */
async function findTrace(storage: Storage, scope: EnvironmentScope, trace: string) {
  const traceId = traceIdOf(trace)
  const { evaluations } = await storage.listEvaluations(scope, { traceId }, range)
  const all = await storage.listEvaluations(scope, {}, range)
  const { traces } = await storage.listTraces(scope, {}, { limit: 100 })
  return {
    trace: await storage.getTrace(scope, traceId),
    listed: traces.filter((found) => found.traceId === traceId).length,
    places: (await storage.listTracePlaces(scope, traceId, 100)).length,
    evaluations: evaluations.length + all.evaluations.filter((found) => found.traceId === traceId).length,
    ofTrace: (await storage.listTraceEvaluations(scope, [traceId], { limitEach: 100 })).length,
    scores: (await storage.listScoresOf(scope, { traceIds: [traceId], sessionIds: [] }, 100)).length,
    spans: (await namesOf(storage, scope)).filter((name) => name.startsWith(trace)).length,
  }
}

const NOTHING = { trace: undefined, listed: 0, places: 0, evaluations: 0, ofTrace: 0, scores: 0, spans: 0 }

const sessionOutcome = (unit: ClaimedUnit): UnitOutcome => ({
  ...{ ordinal: 0, traceId: traceIdOf('kept'), spanId: 'ab'.repeat(16), unitAtMs: AT_MS, durationUs: 1 },
  ...{ status: 'scored', output: { label: 'quotes both' }, sessionId: unit.key },
})

/** What every store promises about deletion on request. */
export function describeDeletions(harness: StorageHarness): void {
  describeTraceDeletion(harness)
  describeSessionDeletion(harness)
  describeProjectDeletion(harness)
}

function describeTraceDeletion(harness: StorageHarness): void {
  test('hides a deleted trace at once from everything that can be read', async () => {
    const { storage, scope } = await fullStore(harness)
    const { evaluations } = await storage.listEvaluations(scope, { traceId: traceIdOf('gone') }, range)
    assert.equal(evaluations.length, 2)
    await storage.deleteTrace(scope, traceIdOf('gone'), AT_MS)
    assert.deepEqual(await findTrace(storage, scope, 'gone'), NOTHING)
    for (const { number } of evaluations) assert.equal(await storage.getEvaluation(scope, number), undefined)
    const batches = await storage.listBatches(scope, {
      ...{ envProjectId: scope.envProjectId, fromMs: 0, toMs: LATER_MS, limit: 10 },
    })
    assert.deepEqual(
      batches.map(({ repeated }) => repeated),
      [[0], [0, 2]],
      'nobody looks at its spans again',
    )
    const { trace: kept, ...rest } = await findTrace(storage, scope, 'kept')
    assert.equal(kept?.spanCount, 2)
    assert.deepEqual(rest, { listed: 1, places: 2, evaluations: 4, ofTrace: 2, scores: 1, spans: 2 })
  })

  test('erases a deleted trace from all files, and nothing else', async () => {
    const { storage, scope, monitorId, secrets, text, batchId } = await fullStore(harness)
    assert.ok((await countIn(harness, storage, secrets.gone)) > 0, 'it can be found as long as it is there')
    assert.ok((await countIn(harness, storage, text)) > 0)
    const [before] = await storage.readBatches(scope, [batchId])
    await storage.deleteTrace(scope, traceIdOf('gone'), AT_MS)
    await eraseAll(storage)
    assert.equal(await countIn(harness, storage, secrets.gone), 0)
    for (const what of ['label', 'quote', 'answer'])
      assert.equal(await countIn(harness, storage, `${text} ${what}`), 0, what)
    assert.ok((await countIn(harness, storage, secrets.kept)) > 0)
    assert.deepEqual(await findTrace(storage, scope, 'gone'), NOTHING)
    assert.deepEqual(await namesOf(storage, scope), ['kept 1', 'kept 2'])
    const [after] = await storage.readBatches(scope, [batchId])
    assert.equal(after?.byteLength, before?.byteLength)
    const monitor = await storage.getMonitor(scope, monitorId)
    assert.deepEqual(monitor?.counts, { scored: 2 })
  })

  test('erases a deleted trace for good also when the store is opened again in between', async () => {
    const { storage, scope, secrets } = await fullStore(harness)
    await storage.deleteTrace(scope, traceIdOf('gone'), AT_MS)
    const reopened = await harness.reopen(storage)
    assert.deepEqual(await findTrace(reopened, scope, 'gone'), NOTHING)
    await eraseAll(reopened)
    assert.equal(await countIn(harness, reopened, secrets.gone), 0)
    assert.deepEqual(await namesOf(reopened, scope), ['kept 1', 'kept 2'])
  })

  test('takes deleted spans out of open work, and what a worker says about them is not recorded', async () => {
    const { storage, scope } = await boundStore(harness)
    const both = [spanWith('gone', 'gone 1', randomBytes(8)), spanWith('kept', 'kept 1', randomBytes(8))]
    await store(storage, scope, both)
    await store(storage, scope, [spanWith('gone', 'gone 2', randomBytes(8))])
    await sumUp(storage)
    const [held] = await storage.work.claimWork('local', 1, 60_000)
    assert.ok(held)
    await storage.deleteTrace(scope, traceIdOf('gone'), AT_MS)
    assert.deepEqual(await claim(storage), [], 'the work that is left is held, the other is cancelled')
    await eraseAll(storage)
    const outcomes = outcomesOf(held, NAMES, 'said too late')
    await storage.work.recordWork([{ work: held, outcomes, sampledOut: 0 }])
    assert.equal(await countIn(harness, storage, 'said too late'), 0)
    const { evaluations } = await storage.listEvaluations(scope, {}, range)
    assert.deepEqual(
      evaluations.map(({ traceId }) => traceId),
      [traceIdOf('kept')],
    )
    await eraseAll(storage)
    assert.equal((await storage.work.sweep()).missingWork, 0)
    assert.deepEqual(await claim(storage), [])
  })

  test('does not put deleted spans back that a worker has not come to', async () => {
    const { storage, scope } = await boundStore(harness)
    const both = [spanWith('gone', 'gone 1', randomBytes(8)), spanWith('kept', 'kept 1', randomBytes(8))]
    await store(storage, scope, both)
    await store(storage, scope, [
      spanWith('gone', 'gone 2', randomBytes(8)),
      spanWith('more', 'm', randomBytes(8)),
    ])
    await sumUp(storage)
    const held = await claim(storage)
    assert.equal(held.length, 2)
    await storage.deleteTrace(scope, traceIdOf('gone'), AT_MS)
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
    await storage.deleteTrace(scope, traceIdOf('more'), AT_MS)
    await storage.work.recordWork(
      again.map((work) => ({ ...nothing, work, left: { units: work.units, readyInMs: 0 } })),
    )
    assert.equal((await claim(storage)).length, 1)
  })

  test('does not evaluate deleted spans for a monitor that is bound later', async () => {
    const { storage, scope } = await storeWithTenant(harness)
    await create(storage, scope, 'a', setup)
    const both = [spanWith('gone', 'gone 1', randomBytes(8)), spanWith('kept', 'kept 1', randomBytes(8))]
    await store(storage, scope, both)
    await sumUp(storage)
    await storage.deleteTrace(scope, traceIdOf('gone'), AT_MS)
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
    const { storage, scope } = await boundStore(harness)
    const secret = randomBytes(64)
    await store(storage, scope, [
      spanWith('gone', 'gone 1', secret),
      spanWith('kept', 'kept 1', randomBytes(8)),
    ])
    const newest = await storage.deleteTrace(scope, traceIdOf('gone'), AT_MS)
    assert.deepEqual(await namesOf(storage, scope), ['kept 1'])
    assert.ok((await storage.digest.digestedThrough()) < newest)
    await sumUp(storage)
    assert.equal(await storage.digest.digestedThrough(), newest)
    assert.deepEqual(await findTrace(storage, scope, 'gone'), NOTHING)
    const [work] = await claim(storage)
    assert.deepEqual(work && listUnits(work.units), [1])
    await eraseAll(storage)
    assert.equal(await countIn(harness, storage, secret), 0)
    assert.deepEqual(await namesOf(storage, scope), ['kept 1'])
  })

  test('takes no later span of a deleted trace in', async () => {
    const { storage, scope, secrets } = await fullStore(harness)
    await storage.deleteTrace(scope, traceIdOf('gone'), AT_MS)
    await eraseAll(storage)
    const late = spanWith('gone', 'gone 3', secrets.gone)
    const alone = await store(storage, scope, [late])
    assert.equal(alone.newSpans, 0)
    const beside = await store(storage, scope, [late, spanWith('kept', 'kept 3', secrets.kept)])
    assert.equal(beside.newSpans, 1)
    await sumUp(storage)
    assert.deepEqual(await findTrace(storage, scope, 'gone'), NOTHING)
    const [work] = await claim(storage)
    assert.deepEqual(work && listUnits(work.units), [1])
    await eraseAll(storage)
    assert.equal(await countIn(harness, storage, secrets.gone), 0)
    assert.deepEqual(await namesOf(storage, scope), ['kept 1', 'kept 2', 'kept 3'])
  })

  test('takes a trace in again when nothing of its time would be kept any more', async () => {
    const { storage, scope } = await fullStore(harness)
    await storage.deleteTrace(scope, traceIdOf('gone'), AT_MS)
    const spans = [spanWith('gone', 'gone 1', randomBytes(8))]
    const dayMs = 86_400_000
    while (await storage.erasure.eraseDeleted(AT_MS + 29 * dayMs));
    assert.equal((await store(storage, scope, spans)).newSpans, 0)
    while (await storage.erasure.eraseDeleted(AT_MS + 31 * dayMs));
    assert.equal((await store(storage, scope, spans)).newSpans, 1)
  })

  test('deletes the traces of nobody else', async () => {
    const { storage, scope, secrets, text } = await fullStore(harness)
    const other = await tenantScope(storage, 'other')
    await store(storage, other, [spanWith('gone', 'gone 1', secrets.gone, `${text} session`)])
    await sumUp(storage)
    await storage.deleteTrace(other, traceIdOf('kept'), AT_MS)
    await storage.deleteSession(other, 'other session', AT_MS)
    await storage.deleteTrace(scope, traceIdOf('gone'), AT_MS)
    await storage.deleteSession(scope, `${text} session`, AT_MS)
    assert.equal(await storage.deleteProjectData({ ...other, projectId: scope.projectId }, AT_MS), false)
    await eraseAll(storage)
    assert.deepEqual(await namesOf(storage, scope), ['kept 1', 'kept 2'])
    assert.deepEqual(await namesOf(storage, other), ['gone 1'])
    assert.ok(await storage.getTrace(other, traceIdOf('gone')))
  })
}

function describeSessionDeletion(harness: StorageHarness): void {
  test('deletes the traces of a session and what is said about it', async () => {
    const { storage, scope, text, secrets } = await fullStore(harness)
    const session = `${text} session`
    await storage.deleteSession(scope, session, AT_MS)
    assert.deepEqual(await findTrace(storage, scope, 'gone'), NOTHING)
    const sessions = await storage.listSessions(scope, {}, { limit: 10 })
    assert.deepEqual(
      sessions.map(({ sessionId }) => sessionId),
      ['other session'],
    )
    assert.deepEqual(await storage.listScoresOf(scope, { traceIds: [], sessionIds: [session] }, 10), [])
    await eraseAll(storage)
    assert.equal(await countIn(harness, storage, secrets.gone), 0)
    assert.equal(await countIn(harness, storage, text), 0)
    assert.deepEqual(await namesOf(storage, scope), ['kept 1', 'kept 2'])
  })

  test('deletes of a session what had arrived by then, summed up or not, and nothing that comes later', async () => {
    const { storage, scope } = await boundStore(harness)
    const secret = randomBytes(64)
    await store(storage, scope, [spanWith('one', 'one 1', secret, 's'), spanWith('two', 'two 1', secret)])
    const { newestBatch } = await storage.deleteSession(scope, 's', AT_MS)
    await store(storage, scope, [spanWith('three', 'three 1', randomBytes(8), 's')])
    await sumUp(storage)
    assert.ok((await storage.digest.digestedThrough()) > newestBatch)
    assert.deepEqual(await namesOf(storage, scope), ['three 1', 'two 1'])
    const [found] = await storage.listSessions(scope, {}, { limit: 10 })
    assert.equal(found?.traceCount, 1)
  })

  test('forgets what was said about a session as a whole when a trace of it is deleted, and asks again', async () => {
    const { storage, scope } = await storeWithTenant(harness)
    await bindSetup(storage, scope, 'a', setup, { scope: 'session' })
    await store(storage, scope, [spanWith('gone', 'gone 1', randomBytes(8), 's')])
    await store(storage, scope, [spanWith('kept', 'kept 1', randomBytes(8), 's')])
    await sumUp(storage)
    const [unit] = await storage.units.claimUnits(10, 60_000)
    assert.ok(unit)
    assert.equal(await storage.units.recordUnit(unit, sessionOutcome(unit)), true)
    await storage.deleteTrace(scope, traceIdOf('gone'), AT_MS)
    assert.deepEqual((await storage.listEvaluations(scope, {}, range)).evaluations, [])
    const [again] = await storage.units.claimUnits(10, 60_000)
    assert.ok(again)
    const { traces } = await storage.units.readUnit(again, 10, 10)
    assert.deepEqual(
      traces.map(({ traceId }) => traceId),
      [traceIdOf('kept')],
    )
    await storage.deleteTrace(scope, traceIdOf('kept'), AT_MS)
    assert.equal(await storage.units.recordUnit(again, sessionOutcome(again)), false)
    assert.deepEqual(await storage.units.claimUnits(10, 60_000), [])
    await eraseAll(storage)
    assert.equal(await countIn(harness, storage, 'quotes both'), 0)
  })

  test('goes on with a session of very many traces until none is left', async () => {
    const { storage, scope } = await boundStore(harness)
    const spans = Array.from({ length: 450 }, (_, at) => spanWith(`t${at}`, `t${at}`, randomBytes(4), 's'))
    await store(storage, scope, spans)
    await sumUp(storage)
    let calls = 1
    while ((await storage.deleteSession(scope, 's', AT_MS)).hasMore) calls++
    assert.ok(calls > 1)
    assert.deepEqual(await storage.listSessions(scope, {}, { limit: 10 }), [])
    assert.deepEqual(await namesOf(storage, scope), [])
  })
}

function describeProjectDeletion(harness: StorageHarness): void {
  test('deletes all data of a project at once, keeps what was configured, and goes on', async () => {
    const { storage, scope, monitorId, text, secrets } = await fullStore(harness)
    const call = { id: 'x', evaluatorId: 'e', call: `${text} call`, atMs: AT_MS }
    await storage.createExecution(scope, call, { openMax: 10, openCharsMax: 1_000 })
    const minuteMs = AT_MS - (AT_MS % 60_000)
    const series = {
      monitorId,
      property: 'label',
      fromMs: minuteMs,
      toMs: minuteMs + 60_000,
      bucketMs: 60_000,
    }
    assert.notDeepEqual(await storage.readSeries(scope, series), [])
    assert.equal(await storage.deleteProjectData(scope, AT_MS), true)
    for (const trace of ['gone', 'kept']) assert.deepEqual(await findTrace(storage, scope, trace), NOTHING)
    assert.deepEqual(await storage.readSeries(scope, series), [])
    assert.deepEqual(await storage.listSessions(scope, {}, { limit: 10 }), [])
    assert.equal(await storage.getExecution(scope, 'x', AT_MS), undefined)
    const monitor = await storage.getMonitor(scope, monitorId)
    assert.deepEqual(monitor?.counts, {})
    assert.equal((await storage.getSetup(scope, 'a'))?.status, 'completed')
    await storage.work.sweep()
    assert.deepEqual(await claim(storage), [], 'nothing of what was deleted is evaluated again')
    await eraseAll(storage)
    for (const secret of [secrets.gone, secrets.kept, text])
      assert.equal(await countIn(harness, storage, secret), 0)

    await store(storage, scope, [
      spanWith('gone', 'gone 1', randomBytes(8)),
      spanWith('new', 'new', randomBytes(8)),
    ])
    await sumUp(storage)
    const [work] = await claim(storage)
    assert.ok(work)
    const names = [NAMES[0], ['new', 'new']] as const
    await storage.work.recordWork([{ work, outcomes: outcomesOf(work, names, 'x'), sampledOut: 0 }])
    assert.equal((await storage.listEvaluations(scope, { monitorId }, range)).evaluations.length, 2)
    assert.deepEqual(await namesOf(storage, scope), ['gone 1', 'new'])
  })

  test('deletes the data of one project and not of another', async () => {
    const { storage, scope } = await fullStore(harness)
    const other = await tenantScope(storage, 'other')
    await store(storage, other, [spanWith('gone', 'gone 1', randomBytes(8))])
    await sumUp(storage)
    assert.equal(await storage.deleteProjectData(other, AT_MS), true)
    await eraseAll(storage)
    assert.deepEqual(await namesOf(storage, other), [])
    assert.deepEqual(await namesOf(storage, scope), ['gone 1', 'gone 2', 'kept 1', 'kept 2'])
    const { evaluations } = await storage.listEvaluations(scope, {}, range)
    assert.equal(evaluations.length, 4)
  })
}
