import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EnvironmentTenant } from '../../src/domain/tenant.ts'
import type { TraceDigest } from '../../src/domain/trace-digest.ts'
import { addUnit, emptyUnits, listUnits } from '../../src/domain/unit-set.ts'
import type { DecidedBatch } from '../../src/ports/job-storage.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { AT_MS, charCount, create, type StorageHarness, storeWithTenant } from './contract-fixtures.ts'
import { backfill, claimAll, job, LEASE_MS, nextTurn, start } from './job-fixtures.ts'
import { bindSetup } from './result-fixtures.ts'
import { admit, idsOf, packed } from './span-fixtures.ts'

/** Spans by batch, the oldest batch first: `trace:span`, with `p` for a span that monitors skip. */
const BATCHES = [['t1:a'], ['t2:a', 't2:b', 't3:a'], ['t3:b', 't4:a', 't5:p']]
const NEWEST_THREE = ['t3:b', 't4:a', 't2:a', 't2:b', 't3:a']

/** The promises of every store about backfills that count traces. */
export function describeTraceLimits(harness: StorageHarness): void {
  for (const batchesPerStep of [1, 8]) {
    test(`counts the newest traces of a backfill exactly, with a step for every ${batchesPerStep === 1 ? 'batch' : '8 batches'}`, async () => {
      const { storage, tenant } = await storeWithTenant(harness)
      const names = await arrive(storage, tenant)
      await bindSetup(storage, tenant, 's', { evaluators: [charCount] }, { skips: 'plumbing' })
      const request = { ...backfill('s'), toMs: AT_MS + 9, limit: 3, limitBy: 'traces' } as const
      const { id } = await start(storage, tenant, request)
      await carryOn(storage, tenant, names, batchesPerStep)
      const { taken, queued, isLimitReached, lookedAt } = await job(storage, tenant, id)
      assert.deepEqual([taken, queued, isLimitReached, lookedAt], [3, 5, true, 6])
      assert.deepEqual((await claimedNames(storage, names)).toSorted(), NEWEST_THREE.toSorted())
    })
  }

  test('counts traces of a setup that waits for spans, and spends nothing of the limit on spans that are skipped', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const names = await arrive(storage, tenant)
    await create(storage, tenant, 's', { evaluators: [charCount] })
    const [claim] = await storage.work.claimSetups(10, LEASE_MS, Number.MAX_SAFE_INTEGER)
    assert.ok(claim)
    const outcome = { status: 'waiting_for_spans', entries: [], lookedThrough: 0, atMs: AT_MS } as const
    await storage.work.finishSetup(claim, outcome)
    const request = { ...backfill('s'), toMs: AT_MS + 9, limit: 3, limitBy: 'traces' } as const
    const { id } = await start(storage, tenant, request)
    await step(storage, names, 1)
    await bindSetup(storage, tenant, 's', {}, { skips: 'plumbing' })
    await carryOn(storage, tenant, names, 1)
    const { taken, queued } = await job(storage, tenant, id)
    assert.deepEqual([taken, queued], [3, 5])
    assert.deepEqual((await claimedNames(storage, names)).toSorted(), NEWEST_THREE.toSorted())
  })
}

type Names = ReadonlyMap<number, readonly string[]>

/** Stores the batches, one a millisecond, and sums them up. */
async function arrive(storage: Storage, tenant: EnvironmentTenant): Promise<Names> {
  const names = new Map<number, readonly string[]>()
  for (const [at, spans] of BATCHES.entries()) {
    const batch = { ...(await packed(storage, tenant, spans)), ids: idsOfSpans(spans) }
    const { batchId } = await admit(storage, tenant, { ...batch, receivedAtMs: AT_MS + at })
    names.set(batchId, spans)
    const { after } = await storage.digest.readUndigested(10)
    const traces = [...Map.groupBy(spans.keys(), (ordinal) => traceOf(spans[ordinal] as string))]
    const digests = traces.map(([trace, ordinals]) => digestOf(trace, ordinals, spans.length))
    assert.ok(await storage.digest.recordDigests(after, [{ batchId, traces: digests, usage: [] }], 0))
  }
  return names
}

const traceOf = (span: string) => idsOf(span.split(':')[0] as string)[0]

function idsOfSpans(spans: readonly string[]): Uint8Array {
  const ids = spans.map((span) => Buffer.from(`${traceOf(span)}${idsOf(span)[1]}`, 'hex'))
  return new Uint8Array(Buffer.concat(ids))
}

function digestOf(traceId: string, ordinals: readonly number[], spanCount: number): TraceDigest {
  const units = unitsAt(ordinals, spanCount)
  return {
    ...{ traceId, units, spanCount: ordinals.length, errorCount: 0, firstMs: AT_MS, lastMs: AT_MS + 1 },
    ...{ modelCalls: 0, promptTokens: 0, completionTokens: 0, models: new Map(), isComplete: false },
  }
}

function unitsAt(ordinals: readonly number[], spanCount: number) {
  const units = emptyUnits(spanCount)
  for (const ordinal of ordinals) addUnit(units, ordinal)
  return units
}

/** One step of the backfill whose turn it is. */
async function step(storage: Storage, names: Names, batchesPerStep: number): Promise<void> {
  const turn = await nextTurn(storage)
  const batches = await storage.jobs.readBackfillBatches(turn, batchesPerStep)
  const decided = batches.map(({ batchId, receivedAtMs }): DecidedBatch => {
    const spans = names.get(batchId) ?? []
    const places = [...spans.keys()]
    const skipped = places.filter((at) => spans[at]?.endsWith('p'))
    return {
      ...{ batchId, receivedAtMs, spanCount: spans.length, ids: idsOfSpans(spans) },
      units: unitsAt(places, spans.length),
      skipped: { by: 'plumbing', units: unitsAt(skipped, spans.length) },
    }
  })
  assert.equal(await storage.jobs.recordBackfill(turn, decided), true)
}

/** Steps until the limit of the job is reached. */
async function carryOn(
  storage: Storage,
  tenant: EnvironmentTenant,
  names: Names,
  batchesPerStep: number,
): Promise<void> {
  for (let left = BATCHES.length; left > 0; left--) {
    const [newest] = await storage.listJobs(tenant, { limit: 1 })
    if (newest?.isLimitReached) return
    await step(storage, names, batchesPerStep)
  }
}

async function claimedNames(storage: Storage, names: Names): Promise<string[]> {
  return (await claimAll(storage)).flatMap(({ batchId, units }) =>
    listUnits(units).map((ordinal) => names.get(batchId)?.[ordinal] ?? ''),
  )
}
