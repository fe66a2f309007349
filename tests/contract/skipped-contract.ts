import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addUnit, emptyUnits } from '../../src/domain/unit-set.ts'
import { AT_MS, charCount, type StorageHarness, storeWithTenant } from './contract-fixtures.ts'
import {
  admitNames,
  backfill,
  carryOn,
  claimAll,
  decide,
  job,
  nextTurn,
  outcomeOf,
  scoreAll,
  start,
} from './job-fixtures.ts'
import { bindSetup } from './result-fixtures.ts'
import { idsOf } from './span-fixtures.ts'

/** The promises of every store about spans that monitors skip. */
export function describeSkipped(harness: StorageHarness): void {
  test('keeps what a version of a monitor skips, and tells it to workers, to binding and to explanations', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await bindSetup(storage, tenant, 'all', { evaluators: [charCount] })
    await bindSetup(storage, tenant, 'calls', { evaluators: [charCount] }, { skips: 'plumbing' })
    await admitNames(storage, tenant, ['a'], true)
    const works = await claimAll(storage)
    const versions = await storage.work.readMonitorVersions(works.map(({ monitorVersion }) => monitorVersion))
    assert.deepEqual(
      versions.map((version) => version.skips),
      [undefined, 'plumbing'],
    )
    const [traceId, spanId] = idsOf('a')
    const batchId = works[0]?.batchId ?? 0
    const decisions = await storage.readDecisions(
      tenant,
      { batchId, ordinal: 0, traceId, spanId },
      { limit: 10 },
    )
    assert.deepEqual(
      decisions?.setups.map(({ externalId, monitors }) => [externalId, monitors[0]?.skips]),
      [
        ['all', undefined],
        ['calls', 'plumbing'],
      ],
    )
    // Applied again, binding is told what it was bound to.
    await storage.upsertSetups(tenant, [{ id: 'x', externalId: 'calls', change: {} }], AT_MS)
    const [claim] = await storage.work.claimSetups(10, 60_000, Number.MAX_SAFE_INTEGER)
    assert.equal(claim?.knownPlans.get('char-count')?.skips, 'plumbing')
  })

  test('makes another version of the monitor where it skips other spans', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const change = { evaluators: [charCount] }
    const { 'char-count': id = '' } = await bindSetup(storage, tenant, 's', change)
    await bindSetup(storage, tenant, 's', change, { skips: 'wrappers' })
    await bindSetup(storage, tenant, 's', change)
    const monitor = await storage.getMonitor(tenant, id)
    assert.deepEqual(
      monitor?.versions.map(({ version }) => version),
      [2, 1],
    )
  })

  test('counts spans that were skipped when they came; those of a job are counted by the job, which ends', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const { 'char-count': id = '' } = await bindSetup(
      storage,
      tenant,
      's',
      { evaluators: [charCount] },
      { skips: 'plumbing' },
    )
    await admitNames(storage, tenant, ['scored', 'skipped'], true)
    const [work] = await claimAll(storage)
    assert.ok(work)
    const outcomes = [outcomeOf('scored', 0)]
    await storage.work.recordWork([{ work, outcomes, sampledOut: 0, skipped: 1 }])
    const counts = async () => (await storage.getMonitor(tenant, id))?.counts
    assert.deepEqual(await counts(), { scored: 1, skipped: 1 })

    const { id: jobId } = await start(storage, tenant, backfill('s'))
    await carryOn(storage)
    const [again] = await claimAll(storage)
    assert.ok(again)
    await storage.work.recordWork([{ work: again, outcomes: [], sampledOut: 0, skipped: 1 }])
    await storage.jobs.takeTurn()
    const { state, queued, evaluated, skipped } = await job(storage, tenant, jobId)
    assert.deepEqual([state, queued, evaluated, skipped], ['done', 1, 0, 1])
    assert.deepEqual(await counts(), { scored: 1, skipped: 1 })
  })

  test('makes no work of a backfill for spans that a monitor skips, and none of its limit is theirs', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await admitNames(storage, tenant, ['old call', 'old workflow'])
    await bindSetup(storage, tenant, 'skipping', { evaluators: [charCount] }, { skips: 'plumbing' })
    await bindSetup(storage, tenant, 'scoring', { evaluators: [charCount] })
    for (const externalId of ['skipping', 'scoring']) {
      const { id } = await start(storage, tenant, { ...backfill(externalId), limit: 2 })
      const turn = await nextTurn(storage)
      const [batch] = await storage.jobs.readBackfillBatches(turn, 2)
      assert.ok(batch)
      const decided = decide(batch.batchId, ['old call', 'old workflow'])
      const skipped = emptyUnits(2)
      addUnit(skipped, 1)
      await storage.jobs.recordBackfill(turn, [{ ...decided, skipped: { by: 'plumbing', units: skipped } }])
      const { queued, isLimitReached } = await job(storage, tenant, id)
      assert.deepEqual([queued, isLimitReached], externalId === 'skipping' ? [1, false] : [2, true])
      await carryOn(storage)
      await scoreAll(storage)
      const [traceId, spanId] = idsOf('old workflow')
      const place = { batchId: batch.batchId, ordinal: 1, traceId, spanId }
      const decisions = await storage.readDecisions(tenant, place, { limit: 10, externalId })
      assert.equal(decisions?.setups[0]?.isMatched, true, 'it is explained as matched')
    }
  })

  test('decides about a batch whose spans are all skipped, once', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await admitNames(storage, tenant, ['old workflow'])
    await bindSetup(storage, tenant, 's', { evaluators: [charCount] }, { skips: 'wrappers' })
    for (const by of ['wrappers', 'plumbing'] as const) {
      const { id } = await start(storage, tenant, backfill('s'))
      const turn = await nextTurn(storage)
      const [batch] = await storage.jobs.readBackfillBatches(turn, 2)
      assert.ok(batch)
      const decided = decide(batch.batchId, ['old workflow'])
      await storage.jobs.recordBackfill(turn, [{ ...decided, skipped: { by, units: decided.units } }])
      const { queued } = await job(storage, tenant, id)
      // A monitor that was bound by other rules skips other spans: those are left to its worker.
      assert.equal(queued, by === 'wrappers' ? 0 : 1)
      const [traceId, spanId] = idsOf('old workflow')
      const place = { batchId: batch.batchId, ordinal: 0, traceId, spanId }
      const decisions = await storage.readDecisions(tenant, place, { limit: 10 })
      assert.equal(decisions?.setups[0]?.isMatched, true)
      await carryOn(storage)
    }
  })

  test('shows what the monitor of an entry looks at', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await bindSetup(storage, tenant, 's', { evaluators: [charCount] }, { scope: 'trace' })
    const scopes = async () =>
      (await storage.getSetup(tenant, 's'))?.entries.map(({ boundScope }) => boundScope)
    assert.deepEqual(await scopes(), ['trace'])
    await storage.upsertSetups(tenant, [{ id: 'x', externalId: 's', change: {} }], AT_MS)
    assert.deepEqual(await scopes(), [undefined], 'it is not bound while it waits')
  })
}
