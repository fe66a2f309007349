import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openRows } from '../../../tests/support/postgres-rows.ts'
import { recycledDatabase } from '../../../tests/support/postgres-store.ts'
import { untilSomebodyWaits } from '../../../tests/support/postgres-waiting.ts'
import { RollupChanges } from '../shared/rollup-changes.ts'
import { writeRollups } from './write-rollups.ts'

const MINUTE_MS = 60_000

const scored = (v: number, unitAtMs = 0) => ({
  ...{ ordinal: 0, traceId: '', spanId: '', unitAtMs, durationUs: 1 },
  status: 'scored' as const,
  output: { v },
})
const stored = (v: number) => ({
  status: 'scored',
  output: JSON.stringify({ v }),
  unit_at_ms: 0,
  verdict: null,
  application: null,
})

/** A unit that had one value and has another: no status counts differently, only values do. */
function replaced(before: number, now: number): RollupChanges {
  const changes = new RollupChanges()
  changes.remove(1, stored(before))
  changes.add(1, scored(now), null, null)
  return changes
}

function added(...values: readonly number[]): RollupChanges {
  const changes = new RollupChanges()
  for (const value of values) changes.add(1, scored(value), null, null)
  return changes
}

test('values that many replace at the same time are all replaced', async () => {
  const db = openRows(await recycledDatabase())
  await db.transaction((tx) => writeRollups(tx, added(...new Array(20).fill(1))))
  await Promise.all(
    Array.from({ length: 20 }, () => db.transaction((tx) => writeRollups(tx, replaced(1, 5)))),
  )
  assert.deepEqual(await db.all('SELECT count, sum, min, max FROM value_rollups'), [
    { count: 20, sum: 100, min: 5, max: 5 },
  ])
})

test('a row that one empties while another adds to it keeps what was added', async () => {
  const db = openRows(await recycledDatabase())
  await db.transaction((tx) => writeRollups(tx, added(1)))
  let adding: Promise<void> | undefined
  await db.transaction(async (tx) => {
    const changes = new RollupChanges()
    changes.remove(1, stored(1))
    changes.count(1, 0, 'scored', 1)
    await writeRollups(tx, changes)
    const more = added(3)
    more.count(1, 0, 'scored', -1)
    adding = db.transaction((other) => writeRollups(other, more))
    await untilSomebodyWaits(db)
  })
  await adding
  assert.deepEqual(await db.all('SELECT count, sum FROM value_rollups'), [{ count: 1, sum: 3 }])
})

test('rows that two make at the same time, in whatever order, are made once', async () => {
  const db = openRows(await recycledDatabase())
  const minutes = Array.from({ length: 10 }, (_, at) => at * MINUTE_MS)
  await Promise.all(
    Array.from({ length: 12 }, (_, index) => {
      const changes = new RollupChanges()
      for (const atMs of index % 2 ? minutes : minutes.toReversed()) {
        changes.add(1, scored(index, atMs), null, null)
        changes.count(1, atMs / MINUTE_MS, 'scored', -1)
      }
      return db.transaction((tx) => writeRollups(tx, changes))
    }),
  )
  const rows = await db.all('SELECT count, sum FROM value_rollups')
  assert.deepEqual(rows, new Array(10).fill({ count: 12, sum: 66 }))
})
