import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Annotation } from '../../src/domain/annotation.ts'
import type { EvaluationCondition } from '../../src/ports/trace-storage.ts'
import { AT_MS, charCount, createTenant, type StorageHarness, storeWithTenant } from './contract-fixtures.ts'
import { admitNames, carryOn, rerun, scoreAll, start } from './job-fixtures.ts'
import { admitAndScore, bindSetup } from './result-fixtures.ts'
import { idsOf } from './span-fixtures.ts'

const TRACE = 'aa'.repeat(16)
const SPAN = 'bb'.repeat(8)

const helpful: Annotation = { traceId: TRACE, name: 'helpful', value: true, source: 'human' }

const emptyTrace = {
  ...{ units: Uint8Array.of(1), spanCount: 1, errorCount: 0, firstMs: AT_MS, lastMs: AT_MS },
  ...{ modelCalls: 0, promptTokens: 0, completionTokens: 0, models: new Map(), isComplete: false },
}

/** The promises of every store about annotations and about the evaluations of traces. */
export function describeScores(harness: StorageHarness): void {
  test('keeps annotations as they were given and tells the newest first', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const given: Annotation[] = [
      { ...helpful, spanId: SPAN, comment: 'short', evaluator: 'char-count', actor: 'ann' },
      { sessionId: 'talk', name: 'tones', value: ['happy', 'calm'], source: 'api', task: 'tone' },
      { ...helpful, value: 0.5 },
      { ...helpful, name: 'verdict', value: 'no' },
    ]
    const stored = await storage.addAnnotations(tenant, given, AT_MS)
    assert.deepEqual(
      stored.map(({ number: _, envProjectId, createdAtMs, ...annotation }) => [
        annotation,
        envProjectId,
        createdAtMs,
      ]),
      given.map((annotation) => [annotation, tenant.envProjectId, AT_MS]),
    )
    const { annotations, nextAfter } = await storage.listAnnotations(tenant, {}, { limit: 10 })
    assert.deepEqual([annotations, nextAfter], [stored.toReversed(), undefined])
  })

  test('lists only the annotations that are asked for, page by page', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const names = ['a', 'b', 'c', 'd']
    await storage.addAnnotations(
      tenant,
      names.map((name) => ({ ...helpful, name })),
      AT_MS,
    )
    await storage.addAnnotations(
      tenant,
      [
        { ...helpful, name: 'e', spanId: SPAN, evaluator: 'char-count', source: 'api' },
        { sessionId: 'talk', name: 'f', value: 1, source: 'human', task: 'tone' },
      ],
      AT_MS + 10,
    )
    const list = async (filter: Parameters<typeof storage.listAnnotations>[1]) =>
      (await storage.listAnnotations(tenant, filter, { limit: 10 })).annotations
        .map(({ name }) => name)
        .join('')
    assert.equal(await list({}), 'fedcba')
    assert.equal(await list({ traceId: TRACE }), 'edcba')
    assert.equal(await list({ traceId: '00'.repeat(16) }), '')
    assert.equal(await list({ spanId: SPAN }), 'e')
    assert.equal(await list({ sessionId: 'talk' }), 'f')
    assert.equal(await list({ name: 'b' }), 'b')
    assert.equal(await list({ source: 'human' }), 'fdcba')
    assert.equal(await list({ evaluator: 'char-count' }), 'e')
    assert.equal(await list({ task: 'tone' }), 'f')
    assert.equal(await list({ fromMs: AT_MS + 1 }), 'fe')
    assert.equal(await list({ toMs: AT_MS + 10 }), 'dcba')
    const first = await storage.listAnnotations(tenant, {}, { limit: 4 })
    const second = await storage.listAnnotations(tenant, {}, { limit: 4, afterNumber: first.nextAfter ?? -1 })
    assert.deepEqual([second.annotations.map(({ name }) => name), second.nextAfter], [['b', 'a'], undefined])
  })

  test('tells what was said about traces and sessions together', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await storage.addAnnotations(
      tenant,
      [
        helpful,
        { sessionId: 'talk', name: 'calm', value: 1, source: 'human' },
        { ...helpful, traceId: '00'.repeat(16), name: 'other' },
        { ...helpful, name: 'later' },
      ],
      AT_MS,
    )
    const about = { traceIds: [TRACE], sessionIds: ['talk'] }
    const names = (await storage.listAnnotationsOf(tenant, about, 10)).map(({ name }) => name)
    assert.deepEqual(names, ['later', 'calm', 'helpful'])
    assert.equal((await storage.listAnnotationsOf(tenant, about, 2)).length, 2)
  })

  test('pairs what people said with what a monitor said about the same unit', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const { 'char-count': monitorId = '' } = await bindSetup(storage, tenant, 's', {
      evaluators: [charCount],
    })
    const spans = await admitAndScore(
      storage,
      tenant,
      [
        { atMs: AT_MS, traceId: TRACE, spanId: SPAN },
        { atMs: AT_MS, traceId: TRACE, spanId: 'cc'.repeat(8) },
        { atMs: AT_MS },
        { atMs: AT_MS },
      ],
      ({ spanId }) =>
        spanId === SPAN
          ? { status: 'scored', output: { char_count: 7 } }
          : { status: 'scored', output: { char_count: 9 } },
    )
    const about = { name: 'char_count', source: 'human', evaluator: 'char-count' } as const
    const { traceId: alone = '' } = spans[2] ?? {}
    await storage.addAnnotations(
      tenant,
      [
        { ...about, traceId: TRACE, spanId: SPAN, value: 1 },
        { ...about, traceId: TRACE, spanId: SPAN, value: 2 },
        // Two spans of this trace were evaluated: it cannot be told which one is meant.
        { ...about, traceId: TRACE, value: 3 },
        { ...about, traceId: alone, value: 4 },
        { ...about, traceId: spans[3]?.traceId ?? '', value: 5, source: 'api' },
        { ...about, traceId: spans[3]?.traceId ?? '', value: 6, evaluator: 'word-count' },
        { ...about, traceId: '00'.repeat(16), value: 7 },
      ],
      AT_MS,
    )
    const pairs = await storage.listVerdictPairs(tenant, monitorId, 100)
    assert.deepEqual(
      pairs.map(({ annotation, output }) => [annotation.value, output]),
      [
        [4, { char_count: 9 }],
        [2, { char_count: 7 }],
      ],
    )
    const other = await createTenant(storage, 'other')
    assert.deepEqual(await storage.listVerdictPairs(other, monitorId, 100), [])
    await storage.addAnnotations(other, [{ ...about, traceId: alone, value: 8 }], AT_MS)
    assert.deepEqual(await storage.listVerdictPairs(other, monitorId, 100), [])
    assert.equal((await storage.listVerdictPairs(tenant, monitorId, 100))[0]?.annotation.value, 4)
  })

  test('tells the current evaluations of traces and of their spans', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await bindSetup(storage, tenant, 's', { evaluators: [charCount] })
    const other = 'dd'.repeat(16)
    await admitAndScore(
      storage,
      tenant,
      [
        { atMs: AT_MS, traceId: TRACE, spanId: SPAN },
        { atMs: AT_MS, traceId: TRACE, spanId: 'cc'.repeat(8) },
        { atMs: AT_MS, traceId: other },
        { atMs: AT_MS },
      ],
      () => ({ status: 'scored', output: { char_count: 7 } }),
    )
    const all = await storage.listTraceEvaluations(tenant, [TRACE, other], { limitEach: 10 })
    assert.deepEqual(
      all.map(({ traceId }) => traceId),
      [TRACE, TRACE, other],
    )
    assert.equal((await storage.listTraceEvaluations(tenant, [TRACE, other], { limitEach: 1 })).length, 2)
    const one = await storage.listTraceEvaluations(tenant, [TRACE], { spanIds: [SPAN], limitEach: 10 })
    assert.deepEqual(
      one.map(({ spanId, slug, output }) => [spanId, slug, output]),
      [[SPAN, 'char-count', { char_count: 7 }]],
    )
    const stranger = await createTenant(storage, 'stranger')
    assert.deepEqual(await storage.listTraceEvaluations(stranger, [TRACE], { limitEach: 10 }), [])
  })

  test('knows only the newest generation of what was evaluated again', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const { 'char-count': monitorId = '' } = await bindSetup(storage, tenant, 's', {
      evaluators: [charCount],
    })
    await admitNames(storage, tenant, ['a'], true)
    await scoreAll(storage, () => ({ status: 'scored', output: { char_count: 5 } }))
    await start(storage, tenant, rerun({ statuses: ['scored'] }))
    await carryOn(storage)
    await scoreAll(storage, () => ({ status: 'scored', output: { char_count: 7 } }))
    const [traceId] = idsOf('a')
    const { after, batches } = await storage.digest.readUndigested(10)
    const traces = [{ ...emptyTrace, traceId }]
    const digests = batches.map(({ batchId }) => ({ batchId, traces, usage: [] }))
    await storage.digest.recordDigests(after, digests, 0)
    const outputs = (await storage.listTraceEvaluations(tenant, [traceId], { limitEach: 10 })).map(
      ({ output }) => output,
    )
    assert.deepEqual(outputs, [{ char_count: 7 }])
    const annotation = {
      traceId,
      name: 'char_count',
      value: 6,
      source: 'human',
      evaluator: 'char-count',
    } as const
    await storage.addAnnotations(tenant, [annotation], AT_MS)
    const pairs = await storage.listVerdictPairs(tenant, monitorId, 10)
    assert.deepEqual(
      pairs.map(({ output }) => output),
      [{ char_count: 7 }],
    )
    const count = async (evaluation: EvaluationCondition) =>
      (await storage.listTraces(tenant, { evaluation }, { limit: 10 })).traces.length
    assert.equal(await count({ slug: 'char-count', minValue: 7, maxValue: 7, status: 'scored' }), 1)
    assert.equal(await count({ slug: 'char-count', maxValue: 5 }), 0)
    assert.equal(await count({ slug: 'word-count' }), 0)
    assert.equal(await count({ status: 'error' }), 0)
  })

  test('tells what is found and said about a session as a whole', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const { 'char-count': monitorId = '' } = await bindSetup(
      storage,
      tenant,
      's',
      { evaluators: [charCount] },
      { scope: 'session' },
    )
    await admitNames(storage, tenant, ['a'], true)
    const [traceId] = idsOf('a')
    const { after, batches } = await storage.digest.readUndigested(10)
    const traces = [{ ...emptyTrace, traceId, sessionId: 'talk' }]
    await storage.digest.recordDigests(
      after,
      batches.map(({ batchId }) => ({ batchId, traces, usage: [] })),
      0,
    )
    const [unit] = await storage.units.claimUnits(10, 60_000)
    assert.ok(unit)
    const outcome = { traceId, spanId: 'ab'.repeat(16), sessionId: 'talk', unitAtMs: AT_MS } as const
    const rest = { ordinal: 0, status: 'scored', output: { char_count: 4 }, durationUs: 1 } as const
    assert.equal(await storage.units.recordUnit(unit, { ...outcome, ...rest }), true)
    const found = await storage.listSessionEvaluations(tenant, 'talk', 10)
    assert.deepEqual(
      found.map(({ output, spanId, sessionId }) => [output, spanId, sessionId]),
      [[{ char_count: 4 }, undefined, 'talk']],
    )
    assert.deepEqual(await storage.listSessionEvaluations(tenant, 'other', 10), [])
    const stranger = await createTenant(storage, 'stranger')
    assert.deepEqual(await storage.listSessionEvaluations(stranger, 'talk', 10), [])
    const about = { name: 'n', source: 'human', evaluator: 'char-count' } as const
    await storage.addAnnotations(
      tenant,
      [
        { ...about, sessionId: 'talk', value: 1 },
        { ...about, sessionId: 'other', value: 2 },
        // The session was judged, not this trace of it.
        { ...about, traceId, value: 3 },
      ],
      AT_MS,
    )
    const pairs = await storage.listVerdictPairs(tenant, monitorId, 10)
    assert.deepEqual(
      pairs.map(({ annotation }) => annotation.value),
      [1],
    )
  })

  test('shows nobody the annotations of others and takes none for a foreign environment', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const other = await createTenant(storage, 'other')
    await storage.addAnnotations(
      tenant,
      [helpful, { sessionId: 's', name: 'n', value: 1, source: 'api' }],
      AT_MS,
    )
    assert.deepEqual(await storage.listAnnotations(other, {}, { limit: 10 }), { annotations: [] })
    assert.deepEqual(await storage.listAnnotations(other, { traceId: TRACE }, { limit: 10 }), {
      annotations: [],
    })
    const about = { traceIds: [TRACE], sessionIds: ['s'] }
    assert.deepEqual(await storage.listAnnotationsOf(other, about, 10), [])
    const foreign = { ...other, envProjectId: tenant.envProjectId }
    await assert.rejects(storage.addAnnotations(foreign, [helpful], AT_MS), /does not exist/)
    assert.equal((await storage.listAnnotations(tenant, {}, { limit: 10 })).annotations.length, 2)
  })

  test('drops annotations that are no longer kept', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await storage.addAnnotations(tenant, [{ ...helpful, name: 'old' }], AT_MS)
    await storage.addAnnotations(tenant, [{ ...helpful, name: 'new' }], AT_MS + 7_200_000)
    while (await storage.work.dropExpired(AT_MS + 7_200_000, 1));
    const { annotations } = await storage.listAnnotations(tenant, {}, { limit: 10 })
    assert.deepEqual(
      annotations.map(({ name }) => name),
      ['new'],
    )
  })
}
