import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EnvironmentTenant } from '../../src/domain/tenant.ts'
import type { UsageDigest } from '../../src/domain/trace-digest.ts'
import { VERDICT_PROPERTY } from '../../src/domain/verdict.ts'
import { atLeast, judgesBy } from '../../src/evaluators/kit/verdict-rule.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { AT_MS, charCount, type StorageHarness, storeWithTenant } from './contract-fixtures.ts'
import { admitAndScore, bindSetup, type StoredSpan, type Verdict } from './result-fixtures.ts'
import { admitNamed } from './span-fixtures.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const DAY = AT_MS - (AT_MS % DAY_MS)
const LABELS = { pass: 'Long', fail: 'Short' }
const rule = (chars: number) => judgesBy(atLeast('char_count', chars), LABELS)

/** Numbers that look random and are the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}

async function foldAll(storage: Storage, nowMs: number): Promise<number> {
  let steps = 0
  while (await storage.rollups.foldRollups(nowMs)) steps++
  return steps
}

/** Everything that charts read of a range at that length of buckets, but for ids; sums of floats are rounded. */
async function charts(
  storage: Storage,
  tenant: EnvironmentTenant,
  monitorId: string,
  [fromMs, toMs, bucketMs]: readonly [number, number, number],
) {
  const span = { fromMs, toMs }
  const series = []
  for (const property of ['char_count', 'label', VERDICT_PROPERTY])
    series.push(
      await storage.readSeries(tenant, { ...span, monitorId, property, bucketMs, quantile: 0.5 }),
      await storage.readDistribution(tenant, { ...span, monitorId, property, version: 1 }),
    )
  const trends = await storage.readTrends(tenant, {
    ...{ ...span, bucketMs, monitors: [{ monitorId, property: 'char_count' }] },
  })
  const volume = await storage.readVolume(tenant, { ...span, limit: 10 })
  const usage = await storage.readUsage(tenant, { ...span, bucketMs, groupBy: ['model'] })
  return JSON.parse(
    JSON.stringify(
      [series, trends, volume, usage.map(({ models, ...rest }) => [rest, ...models])],
      (key, value) => {
        if (key === 'id' || key === 'monitorId') return undefined
        return typeof value === 'number' ? Number(value.toPrecision(9)) : value
      },
    ),
  )
}

const RANGES = [
  [DAY - DAY_MS, DAY + 3 * DAY_MS, DAY_MS],
  [DAY - 2 * DAY_MS, DAY + 2 * DAY_MS, 6 * HOUR_MS],
  [DAY, DAY + DAY_MS, 15 * MINUTE_MS],
] as const

/** Adds units at random minutes of three days, some of them late, and uses of models. */
async function write(storage: Storage, tenant: EnvironmentTenant, random: (below: number) => number) {
  const spans = Array.from({ length: 6 }, () => ({ atMs: DAY + random(3 * 1_440) * MINUTE_MS }))
  const judge = ({ atMs }: StoredSpan): Verdict =>
    (atMs / MINUTE_MS) % 5 === 0
      ? { status: 'error', errorMessage: 'no text' }
      : {
          status: 'scored',
          output: { char_count: 1 + ((atMs / MINUTE_MS) % 7), label: `label ${(atMs / MINUTE_MS) % 3}` },
        }
  const stored = await admitAndScore(storage, tenant, spans, judge)
  await use(storage, tenant, DAY + random(3 * 1_440) * MINUTE_MS, 1 + random(9))
  return stored
}

async function use(storage: Storage, tenant: EnvironmentTenant, atMs: number, tokens: number): Promise<void> {
  await admitNamed(storage, tenant, `use at ${atMs}`)
  const { after, batches } = await storage.digest.readUndigested(100)
  const usage: UsageDigest = {
    ...{ minute: atMs / MINUTE_MS, service: 'shop', model: `model ${tokens % 2}`, calls: 1, errors: 0 },
    ...{ countedCalls: 1, promptTokens: tokens, completionTokens: 1, durationsMs: [tokens * 10] },
  }
  const digests = batches.map(({ batchId }, at) => ({ batchId, traces: [], usage: at === 0 ? [usage] : [] }))
  assert.ok(await storage.digest.recordDigests(after, digests, 0))
}

/** The promises of every store about folded rollups. */
export function describeFolds(harness: StorageHarness): void {
  test('charts say the same whatever was folded, through late units, new rules, deletions and repairs', async () => {
    // The same happens to both stores, but only one of them folds.
    const [folded, plain] = [await storeWithTenant(harness), await storeWithTenant(harness)]
    const monitors: string[] = []
    for (const { storage, tenant } of [folded, plain]) {
      const bound = await bindSetup(storage, tenant, 'a', { evaluators: [charCount] }, {}, rule(3))
      monitors.push(bound['char-count'] ?? '')
    }
    const same = async (when: string) => {
      for (const range of RANGES) {
        const [one, other] = await Promise.all(
          [folded, plain].map(({ storage, tenant }, at) =>
            charts(storage, tenant, monitors[at] ?? '', range),
          ),
        )
        assert.deepEqual(one, other, `${when}, in buckets of ${range[2] / MINUTE_MS} minutes`)
      }
    }
    const random = numbers(11)
    for (let round = 0; round < 6; round++) {
      const seed = random(1_000) + 1
      const traces: StoredSpan[][] = []
      for (const { storage, tenant } of [folded, plain])
        traces.push(await write(storage, tenant, numbers(seed)))
      await same(`after round ${round}`)
      const nowMs = DAY + (1 + (round % 3)) * DAY_MS + random(DAY_MS)
      if (round % 3 === 0) await folded.storage.rollups.foldRollups(nowMs)
      else await foldAll(folded.storage, nowMs)
      await same(`after folding in round ${round}`)
      if (round === 2)
        for (const [at, { storage, tenant }] of [folded, plain].entries()) {
          await storage.deleteTrace(tenant, traces[at]?.[0]?.traceId ?? '', AT_MS)
          while (await storage.erasure.eraseDeleted(AT_MS));
        }
      if (round === 4)
        for (const { storage, tenant } of [folded, plain]) {
          await bindSetup(storage, tenant, 'a', { evaluators: [charCount] }, {}, rule(5))
          while (await storage.verdicts.deriveVerdicts(5));
        }
      if (round === 2 || round === 4) await same(`at the end of round ${round}`)
    }
    await foldAll(folded.storage, DAY + 4 * DAY_MS)
    assert.equal(await folded.storage.rollups.foldRollups(DAY + 4 * DAY_MS), false)
    await same('when everything is folded')
    const { verification } = folded.storage
    for (const { name } of verification.relations.filter((one) => one.name.startsWith('hours and'))) {
      let [checked, wrong] = [0, 0]
      for (let from: string | undefined; ; ) {
        const slice = await verification.checkRelation(name, from, false)
        checked += slice.checked
        wrong += slice.wrong
        from = slice.next
        if (from === undefined) break
      }
      assert.ok(checked > 5, `${name}: ${checked}`)
      assert.equal(wrong, 0, name)
    }
    const { storage, tenant } = folded
    await storage.deleteProjectData(tenant, AT_MS)
    while (await storage.erasure.eraseDeleted(AT_MS));
    assert.equal(await storage.rollups.foldRollups(DAY + 4 * DAY_MS), false)
  })

  test('writes and folds at the same time lose nothing', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const { 'char-count': monitorId = '' } = await bindSetup(storage, tenant, 'a', {
      evaluators: [charCount],
    })
    const random = numbers(3)
    let isWriting = true
    const folding = (async () => {
      while (isWriting) await storage.rollups.foldRollups(DAY + 5 * DAY_MS)
    })()
    for (let round = 0; round < 12; round++) {
      const spans = Array.from({ length: 4 }, () => ({ atMs: DAY + random(120) * MINUTE_MS }))
      await admitAndScore(storage, tenant, spans, () => ({ status: 'scored', output: { char_count: 1 } }))
    }
    isWriting = false
    await folding
    const query = { monitorId, property: 'char_count', fromMs: DAY, toMs: DAY + DAY_MS, bucketMs: DAY_MS }
    const sums = async () =>
      (await storage.readSeries(tenant, query)).map(({ count, sum, byStatus }) => [count, sum, byStatus])
    assert.deepEqual(await sums(), [[48, 48, { scored: 48 }]])
    await foldAll(storage, DAY + 5 * DAY_MS)
    assert.deepEqual(await sums(), [[48, 48, { scored: 48 }]])
  })

  test('what is no longer kept leaves folded periods too', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const { 'char-count': monitorId = '' } = await bindSetup(storage, tenant, 'a', {
      evaluators: [charCount],
    })
    const spans = [1, 90, 1_500].map((minute) => ({ atMs: DAY + minute * MINUTE_MS }))
    await admitAndScore(storage, tenant, spans, () => ({ status: 'scored', output: { char_count: 1 } }))
    await foldAll(storage, DAY + 5 * DAY_MS)
    const units = async () => {
      const query = {
        monitorId,
        property: 'char_count',
        fromMs: DAY,
        toMs: DAY + 2 * DAY_MS,
        bucketMs: DAY_MS,
      }
      return (await storage.readSeries(tenant, query)).map(({ count }) => count)
    }
    assert.deepEqual(await units(), [2, 1])
    while (await storage.work.dropExpired(DAY + 400 * DAY_MS + HOUR_MS, 720));
    assert.deepEqual(await units(), [1, 1])
    await foldAll(storage, DAY + 400 * DAY_MS + HOUR_MS)
    assert.deepEqual(await units(), [1, 1])
    while (await storage.work.dropExpired(DAY + 403 * DAY_MS, 720));
    await foldAll(storage, DAY + 403 * DAY_MS)
    assert.deepEqual(await units(), [])
  })
}
