import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  AT_MS,
  charCount,
  create,
  createTenant,
  nextId,
  wordCount,
} from '../../../tests/contract/contract-fixtures.ts'
import { admit, packed } from '../../../tests/contract/span-fixtures.ts'
import { openPair, race } from '../../../tests/support/postgres-pair.ts'
import { listUnits } from '../../domain/unit-set.ts'
import { NEUTRAL } from '../../evaluators/kit/verdict-rule.ts'
import type { Storage } from '../../ports/storage.ts'
import type { ClaimedSetup, SetupOutcome } from '../../ports/work-storage.ts'

const claimSetups = (storage: Storage, limit: number) =>
  storage.work.claimSetups(limit, 60_000, Number.MAX_SAFE_INTEGER)

/** Every entry of a claimed setup bound. */
const bound = ({ setup }: ClaimedSetup): SetupOutcome => ({
  status: 'completed',
  entries: setup.entries.map(({ slug, evaluatorId }) => ({
    slug,
    newMonitorId: nextId(),
    verdictRule: NEUTRAL,
    plan: {
      slug,
      evaluatorId,
      evaluatorVersion: 1,
      scope: 'span',
      config: {},
      mapping: { text: { from: { field: 'completion' } } },
      samplingRate: 1,
    },
  })),
  lookedThrough: 0,
  atMs: AT_MS,
})

test('a setup is handed to one process only', async () => {
  const stores = await openPair()
  const tenant = await createTenant(stores[0], 'one')
  const change = { evaluators: [charCount] }
  await stores[0].upsertSetups(
    tenant,
    Array.from({ length: 40 }, (_, index) => ({ id: nextId(), externalId: `s${index}`, change })),
    AT_MS,
  )
  const claims: ClaimedSetup[] = []
  await race(stores, 8, async (store) => {
    for (;;) {
      const some = await claimSetups(store, 3)
      if (some.length === 0) return
      claims.push(...some)
    }
  })
  assert.equal(claims.length, 40)
  assert.equal(new Set(claims.map(({ setup }) => setup.id)).size, 40)
  assert.equal(new Set(claims.map(({ lease }) => lease)).size, 40)
})

test('a setup is finished once, whoever says it is', async () => {
  const stores = await openPair()
  const tenant = await createTenant(stores[0], 'one')
  await create(stores[0], tenant, 's', { evaluators: [charCount, wordCount] })
  const [claim] = await claimSetups(stores[0], 1)
  assert.ok(claim)
  const outcomes = await race(stores, 8, (store) => store.work.finishSetup(claim, bound(claim)))
  assert.equal(outcomes.filter((isDone) => isDone).length, 1)
  assert.equal((await stores[1].listMonitors(tenant, {}, { limit: 10 })).length, 2)
})

test('spans that come in while their setup is being bound are to be evaluated once each', async () => {
  const stores = await openPair()
  const [storage, other] = stores
  const tenant = await createTenant(storage, 'one')
  await create(storage, tenant, 's', { evaluators: [charCount] })
  const batch = (index: number) => packed(storage, tenant, [`span ${index}`], true)
  for (let index = 0; index < 5; index++) await admit(storage, tenant, await batch(index))
  const [claim] = await claimSetups(storage, 1)
  assert.ok(claim)
  const [isDone] = await Promise.all([
    storage.work.finishSetup(claim, bound(claim)),
    ...Array.from({ length: 60 }, async (_, index) =>
      admit(index % 2 ? storage : other, tenant, await batch(5 + index)),
    ),
  ])
  assert.ok(isDone)
  while (await other.work.fillWork());
  const work = await other.work.claimWork('local', 1_000, 60_000)
  assert.equal(work.flatMap(({ units }) => listUnits(units)).length, 65)
  assert.equal(new Set(work.map(({ batchId }) => batchId)).size, 65)
  assert.deepEqual(await storage.work.sweep(), { missingWork: 0, staleLeases: 0 })
})
