import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EvaluationStatus } from '../../src/domain/evaluation.ts'
import type { EnvironmentTenant, ProjectTenant } from '../../src/domain/tenant.ts'
import { NEUTRAL } from '../../src/evaluators/kit/verdict-rule.ts'
import type { EvaluationFilter, SeriesBucket, StoredEvaluation } from '../../src/ports/result-storage.ts'
import type { Storage } from '../../src/ports/storage.ts'
import {
  AT_MS,
  charCount,
  createTenant,
  rule,
  type StorageHarness,
  storeWithTenant,
  wordCount,
} from './contract-fixtures.ts'
import {
  admit,
  admitAndScore,
  bindSetup,
  type GivenSpan,
  nextMillisecond,
  type StoredSpan,
  score,
  type Verdict,
} from './result-fixtures.ts'

const MINUTE_MS = 60_000
const START_MS = Math.floor(AT_MS / 3_600_000) * 3_600_000

/** The promises of every store about results. */
export function describeResults(harness: StorageHarness): void {
  describe('results', () => {
    describeEvaluations(harness)
    describeMonitors(harness)
    describeSeries(harness)
    describeProgress(harness)
    describeIsolation(harness)
  })
}

function scored(value: number): Verdict {
  return { status: 'scored', output: { char_count: value } }
}

function spansAt(...times: number[]): GivenSpan[] {
  return times.map((atMs) => ({ atMs }))
}

async function all(storage: Storage, tenant: ProjectTenant, filter: EvaluationFilter = {}) {
  return (await storage.listEvaluations(tenant, filter, { order: 'newest', limit: 1_000 })).evaluations
}

const valuesOf = (evaluations: readonly StoredEvaluation[]) =>
  evaluations.map(({ output }) => output?.['char_count'])

function describeEvaluations(harness: StorageHarness): void {
  test('lists evaluations newest first, each with what it belongs to', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const monitors = await bindSetup(storage, tenant, 'a', { evaluators: [charCount] })
    const [first, second] = await admitAndScore(storage, tenant, spansAt(AT_MS, AT_MS + 5), ({ atMs }) =>
      atMs === AT_MS
        ? { status: 'scored', output: { char_count: 4 }, sessionId: 'chat-1' }
        : { status: 'error', errorMessage: 'no text' },
    )
    const [newest, oldest, ...rest] = await all(storage, tenant)
    assert.deepEqual(rest, [])
    assert.ok(newest && oldest && newest.number > oldest.number)
    const { number: _, createdAtMs, batchId, ...told } = oldest
    assert.ok(Math.abs(createdAtMs - Date.now()) < 600_000 && batchId > 0)
    assert.deepEqual(told, {
      monitorId: monitors['char-count'],
      externalId: 'a',
      envProjectId: tenant.envProjectId,
      environment: 'prd',
      slug: 'char-count',
      scope: 'span',
      version: 1,
      traceId: first?.traceId,
      spanId: first?.spanId,
      sessionId: 'chat-1',
      status: 'scored',
      generation: 1,
      output: { char_count: 4 },
      verdict: 'neutral',
      verdictRule: NEUTRAL,
      ordinal: 0,
      unitAtMs: AT_MS,
      durationUs: 1_500,
    })
    assert.equal(newest.spanId, second?.spanId)
    assert.deepEqual(
      { status: newest.status, message: newest.errorMessage, hasOutput: 'output' in newest },
      { status: 'error', message: 'no text', hasOutput: false },
    )
  })

  test('filters by setup, monitor, evaluator, environment, status, value, start of the unit, trace, span and property', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const a = await bindSetup(storage, tenant, 'a', { evaluators: [charCount, wordCount] })
    await bindSetup(storage, tenant, 'b', { evaluators: [charCount] })
    const spans = await admitAndScore(storage, tenant, spansAt(1, 2, 3, 4), ({ atMs }, slug) => {
      if (atMs === 4) return { status: 'missing_input', errorMessage: 'no text' }
      const output = slug === 'char-count' ? { char_count: atMs * 10 } : { word_count: atMs, is_long: true }
      return { status: 'scored', output }
    })
    const count = async (filter: EvaluationFilter) => (await all(storage, tenant, filter)).length
    assert.equal(await count({}), 12)
    assert.equal(await count({ externalId: 'a' }), 8)
    assert.equal(await count({ externalId: 'b' }), 4)
    assert.equal(await count({ externalId: 'c' }), 0)
    assert.equal(await count({ monitorId: a['word-count'] as string }), 4)
    assert.equal(await count({ monitorId: 'nobody' }), 0)
    assert.equal(await count({ slug: 'char-count' }), 8)
    assert.equal(await count({ slug: 'char-count', externalId: 'a' }), 4)
    assert.equal(await count({ environments: ['prd', 'dev'] }), 12)
    assert.equal(await count({ environments: ['dev'] }), 0)
    assert.equal(await count({ environments: [] }), 0)
    assert.equal(await count({ status: 'scored' }), 9)
    assert.equal(await count({ status: 'missing_input' }), 3)
    for (const status of ['sampled_out', 'cancelled', 'superseded'] as const) {
      assert.equal(await count({ status }), 0)
    }
    assert.equal(await count({ minValue: 20, externalId: 'b' }), 2)
    assert.equal(await count({ minValue: 20, maxValue: 20, externalId: 'b' }), 1)
    assert.equal(await count({ maxValue: 2 }), 2)
    assert.equal(await count({ unitFromMs: 2 }), 9)
    assert.equal(await count({ unitFromMs: 2, unitToMs: 4 }), 6)
    assert.equal(await count({ unitFromMs: 2, unitToMs: 4, externalId: 'b' }), 2)
    const { traceId = '', spanId = '' } = spans[2] ?? {}
    assert.equal(await count({ traceId }), 3)
    assert.equal(await count({ traceId, slug: 'word-count' }), 1)
    assert.equal(await count({ traceId, spanId }), 3)
    assert.equal(await count({ spanId }), 3)
    assert.equal(await count({ traceId, spanId: spans[1]?.spanId ?? '' }), 0)
    assert.equal(await count({ property: 'is_long' }), 3)
    assert.equal(await count({ property: 'char' }), 0)
  })

  test('filters by the time of recording, the end not included', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await bindSetup(storage, tenant, 'a', { evaluators: [charCount] })
    for (const value of [1, 2, 3]) {
      await admitAndScore(storage, tenant, spansAt(value), () => scored(value))
      await nextMillisecond()
    }
    const [third, second] = await all(storage, tenant)
    assert.ok(third && second)
    assert.deepEqual(valuesOf(await all(storage, tenant, { fromMs: second.createdAtMs })), [3, 2])
    assert.deepEqual(valuesOf(await all(storage, tenant, { toMs: third.createdAtMs })), [2, 1])
    const middle = { fromMs: second.createdAtMs, toMs: second.createdAtMs + 1 }
    assert.deepEqual(valuesOf(await all(storage, tenant, middle)), [2])
    assert.deepEqual(await all(storage, tenant, { fromMs: Date.now() + 86_400_000 }), [])
    assert.deepEqual(await all(storage, tenant, { toMs: AT_MS }), [])
  })

  for (const filter of [{}, { externalId: 'a' }, { slug: 'char-count', status: 'scored' as const }]) {
    test(`pages without gap or repeat while more is recorded, filter ${JSON.stringify(filter)}`, async () => {
      const { storage, tenant } = await storeWithTenant(harness)
      await bindSetup(storage, tenant, 'a', { evaluators: [charCount] })
      const times = Array.from({ length: 23 }, (_, at) => at)
      await admitAndScore(storage, tenant, spansAt(...times), ({ atMs }) => scored(atMs))
      const before = await all(storage, tenant, filter)
      for (const order of ['newest', 'oldest'] as const) {
        const seen: StoredEvaluation[] = []
        for (let afterNumber: number | undefined; ; ) {
          const place = afterNumber === undefined ? {} : { afterNumber }
          const page = await storage.listEvaluations(tenant, filter, { order, limit: 5, ...place })
          assert.ok(page.evaluations.length <= 5)
          seen.push(...page.evaluations)
          if (order === 'newest') await admitAndScore(storage, tenant, spansAt(100), () => scored(100))
          afterNumber = page.nextAfter
          if (afterNumber === undefined) break
          assert.ok(seen.length < 200, 'the walk ends')
        }
        const numbers = seen.map(({ number }) => number)
        if (order === 'newest') assert.deepEqual(seen, before)
        else assert.deepEqual(numbers.slice(0, 23), before.map(({ number }) => number).reverse())
        assert.equal(new Set(numbers).size, numbers.length)
      }
    })
  }

  test('tells one evaluation with the version that decided it', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const plan = {
      config: { threshold: 0.5 },
      mapping: { text: { from: { source: 'span_attributes' as const, key: 'answer' }, jsonPath: '0.text' } },
      samplingRate: 0.5,
      evaluatorVersion: 3,
    }
    await bindSetup(storage, tenant, 'a', { evaluators: [charCount] }, plan)
    await admitAndScore(storage, tenant, spansAt(AT_MS), () => scored(7))
    const [listed] = await all(storage, tenant)
    assert.ok(listed)
    const detail = await storage.getEvaluation(tenant, listed.number)
    assert.ok(detail)
    const { monitorVersion, receivedAtMs, ...rest } = detail
    assert.deepEqual(rest, listed)
    assert.equal(receivedAtMs, AT_MS)
    const { number: _, ...version } = monitorVersion
    assert.deepEqual(version, { ...charCount, ...plan, scope: 'span', version: 1 })
    assert.equal(await storage.getEvaluation(tenant, listed.number + 1), undefined)
  })
}

function describeMonitors(harness: StorageHarness): void {
  test('lists monitors in order of creation, filtered and paged', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const a = await bindSetup(storage, tenant, 'a', { evaluators: [charCount, wordCount] })
    const b = await bindSetup(storage, tenant, 'b', { evaluators: [charCount] })
    await storage.deleteSetup(tenant, 'b', AT_MS + 5_000)
    const ids = async (filter: object, range = { limit: 100 }) =>
      (await storage.listMonitors(tenant, filter, range)).map(({ id }) => id)
    const everything = [a['char-count'], a['word-count'], b['char-count']]
    assert.deepEqual(await ids({}), everything)
    assert.deepEqual(await ids({ externalId: 'a' }), everything.slice(0, 2))
    assert.deepEqual(await ids({ slug: 'char-count' }), [a['char-count'], b['char-count']])
    assert.deepEqual(await ids({ isActive: true }), everything.slice(0, 2))
    assert.deepEqual(await ids({ isActive: false }), everything.slice(2))
    const [first] = await storage.listMonitors(tenant, {}, { limit: 1 })
    const range = { afterNumber: first?.number ?? 0, limit: 1 }
    assert.deepEqual(await ids({}, range), everything.slice(1, 2))
  })

  test('tells counts by status, the last run and the most frequent errors of a monitor', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const { 'char-count': id = '' } = await bindSetup(storage, tenant, 'a', { evaluators: [charCount] })
    const fresh = await storage.getMonitor(tenant, id)
    assert.deepEqual(fresh?.counts, {})
    assert.equal(fresh?.lastRunAtMs, undefined)
    assert.deepEqual(fresh?.errors, [])
    const times = Array.from({ length: 10 }, (_, at) => AT_MS + at * MINUTE_MS)
    const verdicts: Verdict[] = [
      scored(1),
      scored(2),
      scored(3),
      'sampled_out',
      'sampled_out',
      { status: 'error', errorMessage: 'often' },
      { status: 'error', errorMessage: 'often' },
      { status: 'error', errorMessage: 'once' },
      { status: 'missing_input', errorMessage: 'often' },
      { status: 'abstained' },
    ]
    await admitAndScore(
      storage,
      tenant,
      spansAt(...times),
      ({ atMs }) => verdicts[times.indexOf(atMs)] as Verdict,
    )
    // Once more in a minute that has counts already.
    await admitAndScore(storage, tenant, spansAt(AT_MS), () => scored(4))
    const monitor = await storage.getMonitor(tenant, id)
    assert.deepEqual(monitor?.counts, { abstained: 1, error: 3, missing_input: 1, sampled_out: 2, scored: 4 })
    const [newest] = await all(storage, tenant)
    assert.equal(monitor?.lastRunAtMs, newest?.createdAtMs)
    const errors = (monitor?.errors ?? []).map(
      ({ status, message, count }) => `${count} ${status} ${message}`,
    )
    assert.equal(errors[0], '2 error often')
    assert.deepEqual(errors.slice(1).sort(), ['1 error once', '1 missing_input often'])
    const failed = await all(storage, tenant, { status: 'error' })
    assert.ok(monitor?.errors.every(({ lastAtMs }) => lastAtMs === failed[0]?.createdAtMs))
    assert.deepEqual(await storage.listMonitors(tenant, {}, { limit: 5 }), [monitor])
  })

  test('keeps the id and tells the versions when the setup changes', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const first = await bindSetup(storage, tenant, 'a', { evaluators: [charCount] })
    const id = first['char-count'] ?? ''
    await admitAndScore(storage, tenant, spansAt(AT_MS), () => scored(1))
    const second = await bindSetup(storage, tenant, 'a', { selector: [rule] }, { samplingRate: 0.5 })
    assert.deepEqual(second, first)
    await admitAndScore(storage, tenant, spansAt(AT_MS), () => scored(2))
    const monitor = await storage.getMonitor(tenant, id)
    assert.deepEqual(
      monitor?.versions.map(({ version, samplingRate }) => ({ version, samplingRate })),
      [
        { version: 2, samplingRate: 0.5 },
        { version: 1, samplingRate: 1 },
      ],
    )
    assert.equal(monitor?.current.version, 2)
    assert.equal(monitor?.isActive, true)
    assert.deepEqual(monitor?.counts, { scored: 2 })
    assert.deepEqual(
      (await all(storage, tenant, { monitorId: id })).map(({ version }) => version),
      [2, 1],
    )
    assert.equal(await storage.getMonitor(tenant, 'nobody'), undefined)
  })
}

/** A bucket as one would compute it from the values themselves. */
interface NaiveBucket {
  readonly startMs: number
  readonly values: number[]
  readonly byStatus: Partial<Record<EvaluationStatus, number>>
}

function naiveBuckets(
  spans: readonly StoredSpan[],
  verdictOf: (span: StoredSpan) => Verdict,
  bucketMs: number,
): NaiveBucket[] {
  const buckets = new Map<number, NaiveBucket>()
  for (const span of spans) {
    const startMs = span.atMs - (span.atMs % bucketMs)
    const bucket = buckets.get(startMs) ?? { startMs, values: [], byStatus: {} }
    buckets.set(startMs, bucket)
    const verdict = verdictOf(span)
    const status = verdict === 'sampled_out' ? verdict : verdict.status
    bucket.byStatus[status] = (bucket.byStatus[status] ?? 0) + 1
    if (verdict !== 'sampled_out' && verdict.status === 'scored') {
      bucket.values.push(Number(verdict.output?.['char_count']))
    }
  }
  return [...buckets.values()].sort((left, right) => left.startMs - right.startMs)
}

function describeSeries(harness: StorageHarness): void {
  test('gives buckets that equal those computed from the values', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const { 'char-count': monitorId = '' } = await bindSetup(storage, tenant, 'a', {
      evaluators: [charCount],
    })
    const times = Array.from({ length: 200 }, (_, at) => START_MS + ((at * 7_919) % 180) * MINUTE_MS + at)
    const verdictOf = ({ atMs }: StoredSpan): Verdict => {
      const at = atMs % MINUTE_MS
      // The third hour has nothing that was scored.
      if (atMs >= START_MS + 120 * MINUTE_MS || at % 5 === 0) {
        return { status: 'error', errorMessage: 'no' }
      }
      return scored((at % 13) - 4)
    }
    const spans = await admitAndScore(storage, tenant, spansAt(...times), verdictOf)
    for (const bucketMs of [MINUTE_MS, 15 * MINUTE_MS, 60 * MINUTE_MS]) {
      const range = { fromMs: START_MS, toMs: START_MS + 180 * MINUTE_MS, bucketMs }
      const query = { monitorId, property: 'char_count', ...range }
      const naive = naiveBuckets(spans, verdictOf, bucketMs)
      const series = await storage.readSeries(tenant, { ...query, quantile: 0.5 })
      assert.deepEqual(
        series,
        naive.map(({ startMs, values, byStatus }) => ({
          startMs,
          version: 1,
          count: values.length,
          ...(values.length === 0
            ? {}
            : {
                sum: values.reduce((sum, value) => sum + value, 0),
                min: Math.min(...values),
                max: Math.max(...values),
                quantile: median(values),
              }),
          byStatus,
        })),
      )
      const bare = await storage.readSeries(tenant, query)
      assert.ok(bare.every((bucket) => !('quantile' in bucket)))
    }
  })

  test('leaves out what lies outside the range, another property and another monitor', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const monitors = await bindSetup(storage, tenant, 'a', { evaluators: [charCount, wordCount] })
    const times = [START_MS - 1, START_MS, START_MS + MINUTE_MS, START_MS + 2 * MINUTE_MS]
    await admitAndScore(storage, tenant, spansAt(...times), (_span, slug) => ({
      status: 'scored',
      output: slug === 'char-count' ? { char_count: 5, score: 1 } : { word_count: 2 },
    }))
    const query = {
      monitorId: monitors['char-count'] ?? '',
      property: 'char_count',
      fromMs: START_MS,
      toMs: START_MS + 2 * MINUTE_MS,
      bucketMs: MINUTE_MS,
    }
    const sums = (series: readonly SeriesBucket[]) => series.map(({ sum }) => sum)
    assert.deepEqual(sums(await storage.readSeries(tenant, query)), [5, 5])
    assert.deepEqual(sums(await storage.readSeries(tenant, { ...query, property: 'score' })), [1, 1])
    // Nothing was scored for such a property, but the units are still there.
    const other = await storage.readSeries(tenant, { ...query, property: 'word_count' })
    assert.deepEqual(
      other.map(({ count, sum, byStatus }) => ({ count, sum, byStatus })),
      [
        { count: 0, sum: undefined, byStatus: { scored: 1 } },
        { count: 0, sum: undefined, byStatus: { scored: 1 } },
      ],
    )
  })

  test('never merges two versions into one value', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const { 'char-count': monitorId = '' } = await bindSetup(storage, tenant, 'a', {
      evaluators: [charCount],
    })
    await admitAndScore(storage, tenant, spansAt(START_MS, START_MS + 1), () => scored(10))
    await bindSetup(storage, tenant, 'a', { selector: [rule] })
    await admitAndScore(storage, tenant, spansAt(START_MS + 2), () => scored(100))
    const query = {
      ...{ monitorId, property: 'char_count', bucketMs: MINUTE_MS },
      ...{ fromMs: START_MS, toMs: START_MS + MINUTE_MS },
    }
    const told = (series: readonly SeriesBucket[]) => series.map(({ version, sum }) => ({ version, sum }))
    assert.deepEqual(told(await storage.readSeries(tenant, query)), [
      { version: 1, sum: 20 },
      { version: 2, sum: 100 },
    ])
    assert.deepEqual(told(await storage.readSeries(tenant, { ...query, version: 2 })), [
      { version: 2, sum: 100 },
    ])
    assert.deepEqual(await storage.readSeries(tenant, { ...query, version: 3 }), [])
  })

  test('counts texts by label', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const { 'char-count': monitorId = '' } = await bindSetup(storage, tenant, 'a', {
      evaluators: [charCount],
    })
    const tones = ['joy', 'anger', 'joy']
    await admitAndScore(storage, tenant, spansAt(0, 1, MINUTE_MS), ({ atMs }) => ({
      status: 'scored',
      output: { tone: tones[atMs === MINUTE_MS ? 2 : atMs] },
    }))
    const series = await storage.readSeries(tenant, {
      ...{ monitorId, property: 'tone', fromMs: 0, toMs: 5 * MINUTE_MS, bucketMs: 5 * MINUTE_MS },
    })
    assert.deepEqual(series, [
      { startMs: 0, version: 1, count: 0, labels: { anger: 1, joy: 2 }, byStatus: { scored: 3 } },
    ])
  })
}

function describeProgress(harness: StorageHarness): void {
  test('tells how many spans wait, each once however many monitors want it', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    assert.deepEqual(await storage.readProgress(tenant), { waitingSpans: 0 })
    await admit(storage, tenant, spansAt(1, 2), AT_MS)
    assert.deepEqual(await storage.readProgress(tenant), { waitingSpans: 0, latestSpanMs: AT_MS })
    await bindSetup(storage, tenant, 'a', { evaluators: [charCount, wordCount] })
    const first = await admit(storage, tenant, spansAt(3, 4, 5), AT_MS + 1_000)
    await score(storage, first, () => scored(1))
    const [newest] = await all(storage, tenant)
    await admit(storage, tenant, spansAt(6, 7), AT_MS + 2_000)
    await admit(storage, tenant, spansAt(8), AT_MS + 3_000)
    const waiting = {
      waitingSpans: 3,
      oldestWaitingMs: AT_MS + 2_000,
      latestSpanMs: AT_MS + 3_000,
      latestEvaluationMs: newest?.createdAtMs,
    }
    assert.deepEqual(await storage.readProgress(tenant), waiting)
    assert.deepEqual(await storage.readProgress(tenant, tenant.envProjectId), waiting)
    assert.deepEqual(await storage.readProgress(tenant, 'another'), { waitingSpans: 0 })
    // Under a lease a span still waits; for a monitor that was stopped nothing does.
    await storage.work.claimWork('local', 1, 60_000)
    assert.deepEqual(await storage.readProgress(tenant), waiting)
    await storage.deleteSetup(tenant, 'a', AT_MS)
    assert.equal((await storage.readProgress(tenant)).waitingSpans, 0)
  })
}

function describeIsolation(harness: StorageHarness): void {
  test('shows nothing of it to another project', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const { 'char-count': monitorId = '' } = await bindSetup(storage, tenant, 'a', {
      evaluators: [charCount],
    })
    const [span] = await admitAndScore(storage, tenant, spansAt(START_MS), () => scored(1))
    await admit(storage, tenant, spansAt(START_MS))
    const [evaluation] = await all(storage, tenant)
    const other = await createTenant(storage, 'two')
    const sister: EnvironmentTenant = { ...tenant, projectId: 'sister', envProjectId: 'sister' }
    await storage.createProject(tenant, {
      ...{ id: 'sister', name: 'Sister', slug: 'sister', createdAtMs: AT_MS },
      environments: [{ envProjectId: 'sister', slug: 'prd' }],
    })
    const query = {
      ...{ monitorId, property: 'char_count', bucketMs: MINUTE_MS },
      ...{ fromMs: START_MS, toMs: START_MS + MINUTE_MS },
    }
    const traceId = span?.traceId ?? ''
    const spanRange = { fromSecond: 0, toSecond: Number.MAX_SAFE_INTEGER, isDescending: false, limit: 10 }
    for (const stranger of [other, sister]) {
      for (const filter of [{}, { externalId: 'a' }, { monitorId }, { traceId }, { slug: 'char-count' }]) {
        assert.deepEqual(await all(storage, stranger, filter), [])
      }
      assert.equal(await storage.getEvaluation(stranger, evaluation?.number ?? 0), undefined)
      assert.deepEqual(await storage.listMonitors(stranger, {}, { limit: 10 }), [])
      assert.equal(await storage.getMonitor(stranger, monitorId), undefined)
      assert.deepEqual(await storage.readSeries(stranger, query), [])
      assert.deepEqual(await storage.readProgress(stranger), { waitingSpans: 0 })
      assert.deepEqual(await storage.listSpanRefs(stranger, spanRange), [])
      assert.deepEqual(await storage.readBatches(stranger, [evaluation?.batchId ?? 0]), [])
    }
    assert.equal((await all(storage, tenant)).length, 1)
    assert.equal((await storage.readSeries(tenant, query)).length, 1)
    assert.equal((await storage.readProgress(tenant)).waitingSpans, 1)
    assert.equal((await storage.listSpanRefs(tenant, spanRange)).length, 2)
    assert.equal((await storage.readBatches(tenant, [evaluation?.batchId ?? 0])).length, 1)
  })
}

function median(values: readonly number[]): number {
  const line = values.toSorted((left, right) => left - right)
  const low = line[Math.floor((line.length - 1) / 2)] as number
  const high = line[Math.ceil((line.length - 1) / 2)] as number
  return (low + high) / 2
}
