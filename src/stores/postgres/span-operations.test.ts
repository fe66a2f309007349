import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  AT_MS,
  charCount,
  create as createSetup,
  createTenant,
  wordCount,
} from '../../../tests/contract/contract-fixtures.ts'
import { bindSetup } from '../../../tests/contract/result-fixtures.ts'
import { admit, packed } from '../../../tests/contract/span-fixtures.ts'
import { openPair, race } from '../../../tests/support/postgres-pair.ts'
import { openRows } from '../../../tests/support/postgres-rows.ts'
import { recycledDatabase } from '../../../tests/support/postgres-store.ts'
import { listUnits } from '../../domain/unit-set.ts'
import type { Sql } from '../shared/sql.ts'
import { admitBatches } from './admit-batches.ts'

const ALL_SPANS = { fromSecond: 0, toSecond: Number.MAX_SAFE_INTEGER, isDescending: false, limit: 10_000 }

/** Batches that have spans in common with others, and the same span twice. */
function overlapping(count: number, names: number): string[][] {
  return Array.from({ length: count }, (_, batch) =>
    [1, 7, 31, 31, 101].map((stride) => `span ${(batch * stride + stride) % names}`),
  )
}

test('of overlapping batches from two processes every span is stored once and to be evaluated once', async () => {
  const stores = await openPair()
  const [storage] = stores
  const tenant = await createTenant(storage, 'one')
  await bindSetup(storage, tenant, 's', { evaluators: [charCount, wordCount] })
  const batches = overlapping(200, 300)
  const admissions = await race(stores, batches.length, async (store, index) =>
    admit(store, tenant, await packed(storage, tenant, batches[index] ?? [], true)),
  )
  const expected = new Set(batches.flat()).size
  assert.equal(
    admissions.reduce((sum, { newSpans }) => sum + newSpans, 0),
    expected,
  )
  const refs = await storage.listSpanRefs(tenant, ALL_SPANS)
  assert.equal(refs.length, expected)
  assert.equal(new Set(refs.map(({ traceId, spanId }) => `${traceId} ${spanId}`)).size, expected)
  const work = await storage.work.claimWork('local', 1_000, 60_000)
  const queued = work.map(({ batchId, monitorVersion, units }) =>
    listUnits(units).map((ordinal) => `${monitorVersion} ${batchId} ${ordinal}`),
  )
  const versions = [...new Set(work.map(({ monitorVersion }) => monitorVersion))]
  assert.equal(versions.length, 2)
  assert.deepEqual(
    queued.flat().toSorted(),
    versions
      .flatMap((version) => refs.map(({ batchId, ordinal }) => `${version} ${batchId} ${ordinal}`))
      .toSorted(),
  )
})

test('who follows the numbers of the batches of a project misses none', async () => {
  const url = await recycledDatabase()
  const stores = await openPair(url)
  const rows = openRows(url)
  const tenant = await createTenant(stores[0], 'one')
  const batch = await packed(stores[0], tenant, ['a'])
  const followed: number[] = []
  let isDone = false
  const follow = async () => {
    for (let isLast = false; !isLast; ) {
      isLast = isDone
      const found = await rows.all<{ id: number; newest: number }>(
        `SELECT b.id, p.newest FROM span_batches b JOIN digest_progress p ON p.project_number = b.project_number
         WHERE b.id > $1 ORDER BY b.id`,
        followed.at(-1) ?? 0,
      )
      followed.push(...found.map(({ id }) => id))
      if (found.length > 0) assert.equal(found.at(-1)?.id, found.at(-1)?.newest)
    }
  }
  const following = follow()
  await race(stores, 200, async (store, index) => {
    await new Promise((resolve) => setTimeout(resolve, index))
    return admit(store, tenant, { ...batch, startSeconds: new Float64Array([index]) })
  })
  isDone = true
  await following
  const all = await rows.all<{ id: number }>('SELECT id FROM span_batches ORDER BY id')
  assert.equal(all.length, 200)
  assert.deepEqual(
    followed,
    all.map(({ id }) => id),
  )
})

test('while a batch is being stored, no later one of its project overtakes it and no setup of its project changes', async () => {
  const url = await recycledDatabase()
  const [storage] = await openPair(url)
  const rows = openRows(url)
  const tenant = await createTenant(storage, 'one')
  const first = await packed(storage, tenant, ['a'])
  const second = { ...(await packed(storage, tenant, ['b'])), isDecidedAfterArrival: true }
  const pause = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  // It has its number and its spans, and stops before the batch itself.
  const slow = rows.transaction((tx) => {
    const run: Sql['run'] = async (sql, ...values) => {
      begun.resolve()
      await pause.promise
      return tx.run(sql, ...values)
    }
    return admitBatches({ ...tx, run }, tenant, [{ envProjectId: tenant.envProjectId, batch: first }])
  })
  await begun.promise
  const events: string[] = []
  const overtaking = admit(storage, tenant, second).finally(() => events.push('second'))
  const changing = createSetup(storage, tenant, 's', { evaluators: [charCount] }).finally(() =>
    events.push('setup'),
  )
  await new Promise((resolve) => setTimeout(resolve, 200))
  const early = [...events]
  pause.resolve()
  const [admission] = await slow
  assert.deepEqual(early, [])
  assert.ok(admission && admission !== 'stale')
  assert.ok(admission.batchId < (await overtaking).batchId)
  await changing
})

test('a batch is refused when a setup changes between its match and its admission, whoever changes it', async () => {
  const url = await recycledDatabase()
  const stores = await openPair(url)
  const [storage] = stores
  const tenant = await createTenant(storage, 'one')
  await createSetup(storage, tenant, 's', { evaluators: [charCount] })
  let changes = 0
  const outcomes = await race(stores, 200, async (store, index) => {
    const batch = await packed(store, tenant, [`span ${index}`], true)
    if (index % 20 > 0) return store.admitSpans(tenant, batch)
    const change = { evaluators: ++changes % 2 ? [charCount, wordCount] : [charCount] }
    return store.updateSetup(tenant, 's', change, AT_MS)
  })
  assert.ok(outcomes.includes('stale'))
  const rows = openRows(url)
  const outdated = await rows.all(
    `SELECT b.id FROM span_batches b JOIN matches t ON t.batch_id = b.id JOIN setup_versions v ON v.number = t.setup_version
     WHERE b.revision < v.revision_from OR b.revision >= v.revision_to`,
  )
  assert.deepEqual(outdated, [])
  // Each revision ends with the change that follows it, so batches of an older one cannot come behind those of a newer one.
  const batches = await rows.all<{ revision: number }>('SELECT revision FROM span_batches ORDER BY id')
  const revisions = batches.map(({ revision }) => revision)
  assert.deepEqual(
    revisions,
    revisions.toSorted((left, right) => left - right),
  )
})

test('spans of a deleted trace are left out, also when they come in one batch with others', async () => {
  const [one, other] = await openPair()
  const tenant = await createTenant(one, 'one')
  await admit(one, tenant, await packed(one, tenant, ['a']))
  const [span] = await one.listSpanRefs(tenant, ALL_SPANS)
  await one.deleteTrace(tenant, span?.traceId ?? '', AT_MS)
  const batch = { ...(await packed(other, tenant, ['a', 'b'])), startSeconds: new Float64Array([7, 8]) }
  assert.equal((await admit(other, tenant, batch)).newSpans, 1)
  const left = await other.listSpanRefs(tenant, ALL_SPANS)
  assert.deepEqual(
    left.map(({ second, ordinal }) => [second, ordinal]),
    [[8, 1]],
  )
})
