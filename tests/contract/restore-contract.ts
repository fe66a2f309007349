import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EnvironmentTenant } from '../../src/domain/tenant.ts'
import type { Storage } from '../../src/ports/storage.ts'
import {
  AT_MS,
  charCount,
  create,
  createTenant,
  rule,
  type StorageHarness,
  storeWithTenant,
  wordCount,
} from './contract-fixtures.ts'
import { admit, admitAndScore, bindSetup, score } from './result-fixtures.ts'

const HOUR_MS = 3_600_000
const scored = () => ({ status: 'scored' as const, output: { char_count: 1 } })
const when = { deletedFromMs: AT_MS, atMs: AT_MS + HOUR_MS }

const evaluationsOf = async (storage: Storage, tenant: EnvironmentTenant) =>
  (await storage.listEvaluations(tenant, {}, { order: 'oldest', limit: 100 })).evaluations

/** The promises about setups that are deleted and brought back. */
export function describeRestoring(harness: StorageHarness): void {
  describe('restoring a setup', () => {
    test('brings back its entries and its monitors, with their versions and results', async () => {
      const { storage, tenant } = await storeWithTenant(harness)
      const monitors = await bindSetup(storage, tenant, 's', {
        evaluators: [charCount, wordCount],
        selector: [rule],
      })
      const before = await storage.getSetup(tenant, 's')
      await admitAndScore(storage, tenant, [{ atMs: AT_MS }], scored)
      const [version] = (await storage.getMonitor(tenant, monitors['char-count'] ?? ''))?.versions ?? []
      await storage.deleteSetup(tenant, 's', AT_MS)
      assert.equal((await storage.getMonitor(tenant, monitors['char-count'] ?? ''))?.isActive, false)

      const restored = await storage.restoreSetup(tenant, 's', when)
      assert.ok(restored && typeof restored === 'object')
      assert.deepEqual(restored, { ...before, version: 2, updatedAtMs: when.atMs })
      assert.deepEqual(await storage.getSetup(tenant, 's'), restored)
      const monitor = await storage.getMonitor(tenant, monitors['char-count'] ?? '')
      assert.deepEqual([monitor?.isActive, monitor?.counts], [true, { scored: 1 }])
      assert.deepEqual(monitor?.versions, [version], 'no new version of the monitor')
      assert.equal((await evaluationsOf(storage, tenant)).length, 2)

      await admitAndScore(storage, tenant, [{ atMs: AT_MS + 2 * HOUR_MS }], scored)
      const [, , third, fourth] = await evaluationsOf(storage, tenant)
      assert.deepEqual(
        [third?.monitorId, fourth?.monitorId].toSorted(),
        Object.values(monitors).toSorted(),
        'the same monitors go on',
      )
    })

    test('leaves out what waited when it was deleted and what arrived in between', async () => {
      const { storage, tenant } = await storeWithTenant(harness)
      const { 'char-count': id = '' } = await bindSetup(storage, tenant, 's', { evaluators: [charCount] })
      const waiting = await admit(storage, tenant, [{ atMs: AT_MS }])
      await storage.deleteSetup(tenant, 's', AT_MS)
      const between = await admit(storage, tenant, [{ atMs: AT_MS + 1_000 }])
      await storage.restoreSetup(tenant, 's', when)
      await storage.work.fillWork()
      await storage.work.sweep()
      await score(storage, [...waiting, ...between], scored)
      assert.deepEqual(await evaluationsOf(storage, tenant), [])
      assert.deepEqual((await storage.getMonitor(tenant, id))?.counts, { cancelled: 1 })
    })

    test('tells a span of the time in between that the setup was gone', async () => {
      const { storage, tenant } = await storeWithTenant(harness)
      await bindSetup(storage, tenant, 's', { evaluators: [charCount] })
      const [before] = await admit(storage, tenant, [{ atMs: AT_MS }])
      await storage.deleteSetup(tenant, 's', AT_MS)
      const [between] = await admit(storage, tenant, [{ atMs: AT_MS + 1_000 }])
      await storage.restoreSetup(tenant, 's', when)
      const [after] = await admit(storage, tenant, [{ atMs: AT_MS + 2_000 }])
      const refs = await storage.listSpanRefs(tenant, {
        ...{ fromSecond: 0, toSecond: Number.MAX_SAFE_INTEGER, isDescending: false, limit: 10 },
      })
      const explain = async (span: { traceId: string; spanId: string } | undefined) => {
        const ref = refs.find(({ spanId }) => spanId === span?.spanId)
        assert.ok(ref)
        const found = await storage.readDecisions(tenant, ref, { externalId: 's', limit: 10 })
        return found?.setups.map(({ decidedBy, isGone, isMatched }) => [
          decidedBy?.version,
          isGone,
          isMatched,
        ])
      }
      assert.deepEqual(await explain(before), [[1, false, true]])
      assert.deepEqual(await explain(between), [[undefined, true, false]])
      assert.deepEqual(await explain(after), [[2, false, true]])
    })

    test('lets a setup that was being bound be bound again', async () => {
      const { storage, tenant } = await storeWithTenant(harness)
      await create(storage, tenant, 's', { evaluators: [charCount] })
      const [claim] = await storage.work.claimSetups(10, 60_000, Number.MAX_SAFE_INTEGER)
      assert.ok(claim)
      await storage.deleteSetup(tenant, 's', AT_MS)
      const restored = await storage.restoreSetup(tenant, 's', when)
      assert.ok(restored && typeof restored === 'object')
      assert.deepEqual([restored.status, restored.entries[0]?.status], ['pending', 'pending'])
      const entry = { slug: 'char-count', errorMessage: 'late', canHeal: false }
      const outcome = { status: 'failed' as const, entries: [entry], lookedThrough: 0, atMs: AT_MS }
      assert.equal(await storage.work.finishSetup(claim, outcome), false, 'the old claim is over')
      assert.equal((await storage.work.claimSetups(10, 60_000, Number.MAX_SAFE_INTEGER)).length, 1)
    })

    test('is refused when it is too late, when the name is taken, and when the organization is full', async () => {
      const { storage, tenant } = await storeWithTenant(harness)
      const first = await create(storage, tenant, 's', { evaluators: [charCount] })
      assert.equal(await storage.restoreSetup(tenant, 's', when), undefined, 'it is not deleted')
      await storage.deleteSetup(tenant, 's', AT_MS)
      assert.equal(await storage.restoreSetup(tenant, 's', { ...when, deletedFromMs: AT_MS + 1 }), undefined)
      const second = await create(storage, tenant, 's', { evaluators: [wordCount] })
      assert.equal(await storage.restoreSetup(tenant, 's', when), 'exists')
      assert.equal((await storage.getSetup(tenant, 's'))?.id, second.id)
      await storage.deleteSetup(tenant, 's', AT_MS + 1)
      await create(storage, tenant, 'other', { evaluators: [charCount] })
      assert.equal(await storage.restoreSetup(tenant, 's', { ...when, setupsMax: 1 }), 'full')
      const restored = await storage.restoreSetup(tenant, 's', { ...when, setupsMax: 2 })
      assert.ok(restored && typeof restored === 'object')
      assert.equal(restored.id, second.id, 'the one that was deleted last')
      assert.notEqual(restored.id, first.id)
    })

    test('is of no use to other tenants', async () => {
      const { storage, tenant } = await storeWithTenant(harness)
      const stranger = await createTenant(storage, 'stranger')
      await create(storage, tenant, 's', { evaluators: [charCount] })
      await storage.deleteSetup(tenant, 's', AT_MS)
      assert.equal(await storage.restoreSetup(stranger, 's', when), undefined)
      assert.equal(await storage.restoreSetup({ ...tenant, orgId: stranger.orgId }, 's', when), undefined)
    })
  })
}
