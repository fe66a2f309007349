import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EnvironmentTenant } from '../../src/domain/tenant.ts'
import { ValueSketch } from '../../src/lib/value-sketch.ts'
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
import { admitAndScore, bindSetup, type Verdict } from './result-fixtures.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const START_MS = Math.floor(AT_MS / HOUR_MS) * HOUR_MS
const SPAN = { fromMs: START_MS, toMs: START_MS + HOUR_MS }
const BUCKETS = { ...SPAN, bucketMs: 10 * MINUTE_MS }

/** The promises of every store about looking at many monitors at once. */
export function describeOverview(harness: StorageHarness): void {
  describe('overview', () => {
    describeVolume(harness)
    describeTrends(harness)
    describeDistribution(harness)
    describeIsolation(harness)
  })
}

function scoreAt(
  storage: Storage,
  tenant: EnvironmentTenant,
  verdicts: readonly (readonly [number, Verdict])[],
) {
  const times = verdicts.map(([atMs]) => ({ atMs }))
  const byTime = new Map(verdicts)
  return admitAndScore(storage, tenant, times, ({ atMs }) => byTime.get(atMs) as Verdict)
}

const scored = (value: number | boolean): Verdict => ({ status: 'scored', output: { char_count: value } })
const failed: Verdict = { status: 'error', errorMessage: 'no text' }

function describeVolume(harness: StorageHarness): void {
  test('tells the monitors with the most units first, with what came of them in the span of time', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const idle = await bindSetup(storage, tenant, 'idle', { evaluators: [wordCount] })
    await storage.deleteSetup(tenant, 'idle', AT_MS)
    const quiet = await bindSetup(storage, tenant, 'quiet', { evaluators: [wordCount] })
    await scoreAt(storage, tenant, [[START_MS, failed]])
    const busy = await bindSetup(storage, tenant, 'busy', { evaluators: [charCount] })
    await scoreAt(storage, tenant, [
      [START_MS - 1, scored(1)],
      [START_MS + 1, scored(2)],
      [START_MS + 2, failed],
      [START_MS + 3, scored(4)],
      [START_MS + HOUR_MS, scored(5)],
    ])
    const volume = await storage.readVolume(tenant, { ...SPAN, limit: 10 })
    // Both setups match every span; the stopped monitor got none.
    const of = (id: string | undefined) => volume.monitors.find((monitor) => monitor.id === id)
    assert.equal(of(idle['word-count']), undefined)
    assert.deepEqual(of(busy['char-count']), {
      id: busy['char-count'],
      externalId: 'busy',
      slug: 'char-count',
      scope: 'span',
      isActive: true,
      counts: { scored: 2, error: 1 },
    })
    assert.deepEqual(of(quiet['word-count'])?.counts, { scored: 2, error: 2 })
    assert.deepEqual(
      volume.monitors.map(({ externalId }) => externalId),
      ['quiet', 'busy'],
    )
    assert.deepEqual(volume.counts, { scored: 4, error: 3 })
    const first = await storage.readVolume(tenant, { ...SPAN, limit: 1 })
    assert.deepEqual([first.monitors.length, first.counts], [1, volume.counts])
  })

  test('tells monitors that are active without any unit, and of those that stopped the ones with units', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await bindSetup(storage, tenant, 'a', { evaluators: [charCount] })
    const before = await storage.readVolume(tenant, { ...SPAN, limit: 10 })
    assert.deepEqual([before.monitors[0]?.isActive, before.monitors[0]?.counts], [true, {}])
    assert.deepEqual(before.counts, {})
    await scoreAt(storage, tenant, [[START_MS, scored(1)]])
    await storage.deleteSetup(tenant, 'a', AT_MS)
    const { monitors } = await storage.readVolume(tenant, { ...SPAN, limit: 10 })
    assert.deepEqual([monitors[0]?.isActive, monitors[0]?.counts], [false, { scored: 1 }])
    const later = { fromMs: SPAN.toMs, toMs: SPAN.toMs + HOUR_MS, limit: 10 }
    assert.deepEqual(await storage.readVolume(tenant, later), { monitors: [], counts: {} })
  })
}

function describeTrends(harness: StorageHarness): void {
  test('adds up numbers by bucket, and those of the same time before', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const { 'char-count': monitorId = '' } = await bindSetup(storage, tenant, 'a', {
      evaluators: [charCount],
    })
    await scoreAt(storage, tenant, [
      [START_MS - HOUR_MS - 1, scored(1_000)],
      [START_MS - HOUR_MS, scored(10)],
      [START_MS - 1, scored(30)],
      [START_MS, scored(4)],
      [START_MS + 10 * MINUTE_MS - 1, scored(8)],
      [START_MS + 15 * MINUTE_MS, failed],
      [START_MS + 20 * MINUTE_MS, scored(true)],
      [START_MS + HOUR_MS, scored(2_000)],
    ])
    const monitors = [
      { monitorId: 'nobody', property: 'char_count' },
      { monitorId, property: 'char_count' },
    ]
    assert.deepEqual(await storage.readTrends(tenant, { ...BUCKETS, monitors }), [
      {
        monitorId,
        previous: { count: 2, sum: 40, min: 10, max: 30 },
        buckets: [
          { startMs: START_MS, count: 2, sum: 12, min: 4, max: 8 },
          { startMs: START_MS + 20 * MINUTE_MS, count: 1, sum: 1, min: 1, max: 1 },
        ],
      },
    ])
    const another = [{ monitorId, property: 'another' }]
    assert.deepEqual(await storage.readTrends(tenant, { ...BUCKETS, monitors: another }), [
      { monitorId, previous: { count: 0 }, buckets: [] },
    ])
  })

  test('keeps the order of the query and tells the current version only', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const a = await bindSetup(storage, tenant, 'a', { evaluators: [charCount] })
    const b = await bindSetup(storage, tenant, 'b', { evaluators: [charCount] })
    await scoreAt(storage, tenant, [[START_MS, scored(10)]])
    await bindSetup(storage, tenant, 'a', { selector: [rule] }, { evaluatorVersion: 2 })
    await scoreAt(storage, tenant, [
      [START_MS + 1, scored(20)],
      [START_MS + 2, scored(30)],
    ])
    const monitors = [b, a].map((ids) => ({ monitorId: ids['char-count'] ?? '', property: 'char_count' }))
    const trends = await storage.readTrends(tenant, { ...BUCKETS, monitors })
    assert.deepEqual(
      trends.map(({ monitorId, buckets }) => [monitorId, buckets[0]?.sum]),
      [
        [b['char-count'], 60],
        [a['char-count'], 50],
      ],
    )
    const { monitors: volumes, counts } = await storage.readVolume(tenant, { ...SPAN, limit: 10 })
    assert.deepEqual(volumes.find(({ externalId }) => externalId === 'a')?.counts, { scored: 2 })
    assert.deepEqual(counts, { scored: 6 })
  })
}

function describeDistribution(harness: StorageHarness): void {
  test('tells how the values of one version are spread', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const { 'char-count': monitorId = '' } = await bindSetup(storage, tenant, 'a', {
      evaluators: [charCount],
    })
    await scoreAt(storage, tenant, [
      [START_MS - 1, scored(7)],
      [START_MS, scored(4)],
      [START_MS + 30 * MINUTE_MS, scored(8)],
      [START_MS + 31 * MINUTE_MS, scored(4)],
      [START_MS + 32 * MINUTE_MS, failed],
      [START_MS + HOUR_MS, scored(9)],
    ])
    await bindSetup(storage, tenant, 'a', { selector: [rule] }, { evaluatorVersion: 2 })
    await scoreAt(storage, tenant, [[START_MS + 1, scored(1_000)]])
    const query = { ...SPAN, monitorId, property: 'char_count', version: 1 }
    const { sketch, ...told } = await storage.readDistribution(tenant, query)
    assert.deepEqual(told, { count: 3, sum: 16, min: 4, max: 8 })
    assert.deepEqual(ValueSketch.decode(sketch ?? new Uint8Array()).values(), [
      [4, 2],
      [8, 1],
    ])
    assert.equal((await storage.readDistribution(tenant, { ...query, version: 2 })).sum, 1_000)
    const nothing = { count: 0 }
    assert.deepEqual(await storage.readDistribution(tenant, { ...query, version: 3 }), nothing)
    assert.deepEqual(await storage.readDistribution(tenant, { ...query, property: 'another' }), nothing)
    const stranger = await createTenant(storage, 'two')
    assert.deepEqual(await storage.readDistribution(stranger, query), nothing)
  })

  test('tells how often texts occur', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const { 'char-count': monitorId = '' } = await bindSetup(storage, tenant, 'a', {
      evaluators: [charCount],
    })
    const toned = (tone: string): Verdict => ({ status: 'scored', output: { tone } })
    await scoreAt(storage, tenant, [
      [START_MS, toned('joy')],
      [START_MS + 1, toned('anger')],
      [START_MS + MINUTE_MS, toned('joy')],
    ])
    const query = { ...SPAN, monitorId, property: 'tone', version: 1 }
    assert.deepEqual(await storage.readDistribution(tenant, query), {
      count: 0,
      labels: { joy: 2, anger: 1 },
    })
  })
}

function describeIsolation(harness: StorageHarness): void {
  test('shows nothing of many monitors to another project', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const { 'char-count': monitorId = '' } = await bindSetup(storage, tenant, 'a', {
      evaluators: [charCount],
    })
    await scoreAt(storage, tenant, [[START_MS, scored(1)]])
    const stranger = await createTenant(storage, 'two')
    assert.deepEqual(await storage.readVolume(stranger, { ...SPAN, limit: 10 }), { monitors: [], counts: {} })
    const monitors = [{ monitorId, property: 'char_count' }]
    assert.deepEqual(await storage.readTrends(stranger, { ...BUCKETS, monitors }), [])
    assert.equal((await storage.readTrends(tenant, { ...BUCKETS, monitors })).length, 1)
  })
}
