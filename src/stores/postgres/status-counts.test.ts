import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { recycledDatabase } from '../../../tests/support/postgres-store.ts'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import { PostgresDatabase } from './postgres-database.ts'
import { addStatusCounts } from './status-counts.ts'

test('units are added to and taken from minutes and totals alike, and what is empty is dropped', async () => {
  const db = await open()
  await db.transaction((tx) =>
    addStatusCounts(tx, [
      { monitorVersion: 1, minute: 10, status: 'scored', units: 2 },
      { monitorVersion: 1, minute: 11, status: 'scored', units: 3 },
      { monitorVersion: 1, minute: 10, status: 'error', units: 1 },
      { monitorVersion: 1, minute: 10, status: 'scored', units: 1 },
    ]),
  )
  assert.deepEqual(await counted(db), {
    minutes: ['10 error 1', '10 scored 3', '11 scored 3'],
    totals: ['error 1', 'scored 6'],
  })
  await db.transaction((tx) =>
    addStatusCounts(tx, [
      { monitorVersion: 1, minute: 10, status: 'error', units: -1 },
      { monitorVersion: 1, minute: 10, status: 'scored', units: 1 },
      { monitorVersion: 1, minute: 11, status: 'scored', units: -2 },
    ]),
  )
  assert.deepEqual(await counted(db), { minutes: ['10 scored 4', '11 scored 1'], totals: ['scored 5'] })
})

test('a minute that is no longer kept loses nothing, its total does', async () => {
  const db = await open()
  await addStatusCounts(db, [{ monitorVersion: 1, minute: 10, status: 'scored', units: 2 }])
  await db.run('DELETE FROM status_rollups')
  await addStatusCounts(db, [{ monitorVersion: 1, minute: 10, status: 'scored', units: -1 }])
  assert.deepEqual(await counted(db), { minutes: [], totals: ['scored 1'] })
  await addStatusCounts(db, [{ monitorVersion: 1, minute: 10, status: 'scored', units: -5 }])
  assert.deepEqual(await counted(db), { minutes: [], totals: [] })
})

test('those who count at the same time, in whatever order, lose nothing', async () => {
  const db = await open()
  const keys = [1, 2, 3, 4, 5].flatMap((monitorVersion) =>
    [10, 11].map((minute) => ({ monitorVersion, minute, status: 'scored', units: 1 })),
  )
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      db.transaction((tx) => addStatusCounts(tx, index % 2 ? keys : keys.toReversed())),
    ),
  )
  const rows = await db.all('SELECT 1 FROM status_rollups WHERE units = 20')
  assert.equal(rows.length, 10)
  const totals = await db.all('SELECT 1 FROM status_totals WHERE units = 40')
  assert.equal(totals.length, 5)
})

async function counted(db: PostgresDatabase) {
  const minutes = await db.all<{ line: string }>(
    "SELECT concat_ws(' ', minute, status, units) AS line FROM status_rollups ORDER BY minute, status",
  )
  const totals = await db.all<{ line: string }>(
    "SELECT concat_ws(' ', status, units) AS line FROM status_totals ORDER BY status",
  )
  return { minutes: minutes.map(({ line }) => line), totals: totals.map(({ line }) => line) }
}

async function open(): Promise<PostgresDatabase> {
  const db = new PostgresDatabase({
    url: await recycledDatabase(),
    connectionsMax: 4,
    statementMsMax: 300_000,
    connectMsMax: 300_000,
    logger: recordingLogger([]),
  })
  after(() => db.close())
  return db
}
