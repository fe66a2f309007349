import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AT_MS, charCount, createTenant } from '../../../tests/contract/contract-fixtures.ts'
import { bindSetup } from '../../../tests/contract/result-fixtures.ts'
import { admit, packed } from '../../../tests/contract/span-fixtures.ts'
import { openPair, race } from '../../../tests/support/postgres-pair.ts'
import { openRows } from '../../../tests/support/postgres-rows.ts'
import { recycledDatabase } from '../../../tests/support/postgres-store.ts'
import { untilSomebodyWaits } from '../../../tests/support/postgres-waiting.ts'
import type { UnitOutcome } from '../../domain/evaluation.ts'
import type { EnvironmentTenant } from '../../domain/tenant.ts'
import type { TraceDigest } from '../../domain/trace-digest.ts'
import { addUnit, emptyUnits } from '../../domain/unit-set.ts'
import type { Storage } from '../../ports/storage.ts'
import type { ClaimedUnit } from '../../ports/unit-storage.ts'

const LEASE_MS = 60_000

const traceIdOf = (number: number) => number.toString(16).padStart(32, '0')

/** Two processes and a monitor of whole traces, of which there are so many. */
async function storesWithUnits(count: number) {
  const url = await recycledDatabase()
  const stores = await openPair(url)
  const [one] = stores
  const tenant = await createTenant(one, 'one')
  await bindSetup(one, tenant, 's', { evaluators: [charCount] }, { scope: 'trace' })
  const traces = Array.from({ length: count }, (_, at) => at + 1)
  await arrive(one, tenant, 'spans', traces)
  return { stores, tenant, db: openRows(url) }
}

/** Stores a batch with a new span of each of these traces and sums it up. */
async function arrive(
  storage: Storage,
  tenant: EnvironmentTenant,
  name: string,
  traces: readonly number[],
  receivedAtMs = AT_MS,
): Promise<void> {
  const names = traces.map((trace) => `${name} ${trace}`)
  const batch = await packed(storage, tenant, names, true)
  const { batchId } = await admit(storage, tenant, { ...batch, receivedAtMs })
  const { after } = await storage.digest.readUndigested(10)
  const digests = traces.map((trace, ordinal) => digestOf(trace, ordinal, traces.length))
  assert.ok(await storage.digest.recordDigests(after, [{ batchId, traces: digests, usage: [] }], 0))
}

function digestOf(trace: number, ordinal: number, spanCount: number): TraceDigest {
  const units = emptyUnits(spanCount)
  addUnit(units, ordinal)
  return {
    ...{ traceId: traceIdOf(trace), units, spanCount: 1, errorCount: 0, firstMs: AT_MS, lastMs: AT_MS + 1 },
    ...{ modelCalls: 0, promptTokens: 0, completionTokens: 0, models: new Map(), isComplete: true },
  }
}

function outcomeOf(unit: ClaimedUnit, v: number): UnitOutcome {
  return {
    ...{ ordinal: 0, traceId: unit.key, spanId: '', unitAtMs: AT_MS, status: 'scored', durationUs: 1 },
    output: { v },
  }
}

test('no unit is handed out twice, however many take units at once', async () => {
  const { stores } = await storesWithUnits(30)
  const claims = await race(stores, 10, (storage) => storage.units.claimUnits(5, LEASE_MS))
  const keys = claims.flat().map(({ key }) => key)
  assert.equal(new Set(keys).size, keys.length)
  const rest = await stores[0].units.claimUnits(100, LEASE_MS)
  assert.equal(keys.length + rest.length, 30)
  assert.equal(new Set([...claims.flat(), ...rest].map(({ lease }) => lease)).size, 30)
})

test('a unit that several record with one lease is recorded once', async () => {
  const { stores, db } = await storesWithUnits(1)
  const [unit] = (await stores[0].units.claimUnits(1, LEASE_MS)) as [ClaimedUnit]
  const recorded = await race(stores, 6, (storage, index) =>
    storage.units.recordUnit(unit, outcomeOf(unit, index)),
  )
  assert.equal(recorded.filter(Boolean).length, 1)
  assert.deepEqual(await db.all('SELECT generation, is_current FROM evaluations'), [
    { generation: 1, is_current: 1 },
  ])
  assert.deepEqual(await db.all('SELECT units FROM status_totals'), [{ units: 1 }])
})

test('who records a unit that is taken over at that moment publishes nothing', async () => {
  const { stores, db } = await storesWithUnits(1)
  const [unit] = (await stores[0].units.claimUnits(1, LEASE_MS)) as [ClaimedUnit]
  let late: Promise<boolean> | undefined
  await db.transaction(async (tx) => {
    await tx.run("UPDATE units SET lease = nextval('lease_numbers')")
    late = stores[1].units.recordUnit(unit, outcomeOf(unit, 1))
    await untilSomebodyWaits(db)
  })
  assert.equal(await late, false)
  assert.deepEqual(await db.all('SELECT 1 FROM evaluations'), [])
})

test('a span that arrives while its trace is being recorded has it looked at again', async () => {
  const { stores, tenant, db } = await storesWithUnits(8)
  const [one, other] = stores
  const units = await one.units.claimUnits(8, LEASE_MS)
  const traces = units.map(({ key }) => Number.parseInt(key, 16))
  await Promise.all([
    arrive(other, tenant, 'late', traces, AT_MS + 5_000),
    ...units.map((unit) => one.units.recordUnit(unit, outcomeOf(unit, 3))),
  ])
  const states = await db.all('SELECT state, changed_at_ms FROM units')
  assert.deepEqual(states, new Array(8).fill({ state: 0, changed_at_ms: AT_MS + 5_000 }))
  const again = await other.units.claimUnits(8, LEASE_MS)
  for (const unit of again) await other.units.recordUnit(unit, outcomeOf(unit, 4))
  assert.deepEqual(await db.all('SELECT count, sum FROM value_rollups'), [{ count: 8, sum: 32 }])
  assert.deepEqual(await db.all('SELECT units FROM status_totals'), [{ units: 8 }])
})

test('a trace that is deleted while it is being recorded leaves nothing', async () => {
  const { stores, tenant, db } = await storesWithUnits(8)
  const [one, other] = stores
  const units = await one.units.claimUnits(8, LEASE_MS)
  await Promise.all([
    ...units.map((unit) => other.deleteTrace(tenant, unit.key, AT_MS)),
    ...units.map((unit) => one.units.recordUnit(unit, outcomeOf(unit, 3))),
  ])
  assert.deepEqual(await db.all('SELECT 1 FROM units'), [])
  const visible = await one.listEvaluations(tenant, {}, { order: 'newest', limit: 100 })
  assert.deepEqual(visible.evaluations, [])
})
