import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { AT_MS, charCount, createTenant, nextId } from '../../../tests/contract/contract-fixtures.ts'
import { packed } from '../../../tests/contract/span-fixtures.ts'
import { openPair, race } from '../../../tests/support/postgres-pair.ts'
import { bareDatabase, emptyDatabase } from '../../../tests/support/postgres-store.ts'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import { temporaryDirectory } from '../../../tests/support/temporary-directory.ts'
import { migrate } from './migrate.ts'
import { BATCH_TABLES, BATCHES_EACH, makePartition } from './partitions.ts'
import { PostgresDatabase } from './postgres-database.ts'

const MIGRATIONS = path.join(import.meta.dirname, 'migrations')
const [BATCHES] = BATCH_TABLES

function connect(url: string): PostgresDatabase {
  const db = new PostgresDatabase({
    ...{ url, connectionsMax: 2, statementMsMax: 30_000, logger: recordingLogger([]) },
  })
  after(() => db.close())
  return db
}

async function addBatch(db: PostgresDatabase, id: number, project: number, bytes: number): Promise<void> {
  await db.run(
    `INSERT INTO span_batches (id, project_number, env_project_id, revision, received_at_ms, span_count, byte_length, bytes)
     VALUES ($1, $2, 'e', 1, 1, 1, 1, $3)`,
    id,
    project,
    Buffer.alloc(bytes),
  )
}

const bytesIn = (db: PostgresDatabase) =>
  db.all('SELECT project_number AS project, bytes FROM stored_bytes ORDER BY project_number')

describe('limits of two processes', () => {
  test('on things that are counted hold exactly', async () => {
    const stores = await openPair()
    const tenant = await createTenant(stores[0], 'one')
    const created = await race(stores, 40, (storage, at) =>
      storage.createSetup(
        tenant,
        { id: nextId(), externalId: `s${at}`, change: { evaluators: [charCount] } },
        AT_MS,
        7,
      ),
    )
    assert.equal(created.filter((setup) => setup !== 'full').length, 7)
    assert.equal((await stores[0].listSetups(tenant, {})).length, 7)
  })

  test('tell each other what keys have used, and nothing of other keys', async () => {
    const [one, two] = await openPair()
    assert.deepEqual(await one.system.exchangeRateUse('one', [{ keyId: 'a', requests: 5, spans: 7 }]), [])
    assert.deepEqual(await two.system.exchangeRateUse('two', [{ keyId: 'b', requests: 1, spans: 1 }]), [])
    assert.deepEqual(await two.system.exchangeRateUse('two', [{ keyId: 'a', requests: 1, spans: 1 }]), [
      { keyId: 'a', processId: 'one', requests: 5, spans: 7 },
    ])
    await one.system.exchangeRateUse('one', [{ keyId: 'a', requests: 9, spans: 8 }])
    assert.deepEqual(await two.system.exchangeRateUse('two', [{ keyId: 'a', requests: 1, spans: 1 }]), [
      { keyId: 'a', processId: 'one', requests: 9, spans: 8 },
    ])
  })
})

test('a process that is gone is forgotten after a while', async () => {
  const url = await emptyDatabase()
  const [one, two] = await openPair(url)
  await one.system.exchangeRateUse('one', [{ keyId: 'a', requests: 5, spans: 7 }])
  const db = connect(url)
  await db.run('UPDATE rate_use SET updated_at_ms = updated_at_ms - 700000')
  await two.system.exchangeRateUse('two', [{ keyId: 'b', requests: 1, spans: 1 }])
  assert.deepEqual(await db.all('SELECT process_id FROM rate_use'), [{ process_id: 'two' }])
})

describe('stored bytes', () => {
  test('do not change when a partition is made for batches that lie in the default one', async () => {
    const db = connect(await emptyDatabase())
    await addBatch(db, 5 * BATCHES_EACH + 1, 1, 100)
    await db.transaction((tx) => makePartition(tx, BATCHES, 5))
    const moved = await db.get('SELECT count(*) AS rows FROM span_batches_r5')
    assert.deepEqual(moved, { rows: 1 })
    assert.deepEqual(await bytesIn(db), [{ project: 1, bytes: 100 }])
    await db.run('DELETE FROM span_batches')
    assert.deepEqual(await bytesIn(db), [{ project: 1, bytes: 0 }])
  })

  test('of a database that the previous version has written are counted by the migration', async () => {
    const db = connect(await bareDatabase())
    const before = temporaryDirectory()
    copyFileSync(path.join(MIGRATIONS, '0001-schema.sql'), path.join(before, '0001-schema.sql'))
    await migrate(db, before)
    await addBatch(db, 1, 1, 100)
    await addBatch(db, 2, 1, 20)
    await addBatch(db, 3, 2, 3)
    await migrate(db)
    assert.deepEqual(await bytesIn(db), [
      { project: 1, bytes: 120 },
      { project: 2, bytes: 3 },
    ])
  })

  test('take no statement of their own when batches are stored', async () => {
    const [storage] = await openPair()
    const tenant = await createTenant(storage, 'one')
    const statements: string[] = []
    const told = (sql: string) => {
      statements.push(sql)
      return sql
    }
    const { transaction } = PostgresDatabase.prototype
    PostgresDatabase.prototype.transaction = function (work) {
      return transaction.call(this, (tx) =>
        work({
          ...tx,
          all: (sql, ...values) => tx.all(told(sql), ...values),
          get: (sql, ...values) => tx.get(told(sql), ...values),
          run: (sql, ...values) => tx.run(told(sql), ...values),
        }),
      ) as never
    }
    try {
      await storage.admitSpans(tenant, await packed(storage, tenant, ['a']))
    } finally {
      PostgresDatabase.prototype.transaction = transaction
    }
    // The project, the index of spans, the batch itself; decisions where there are any.
    assert.equal(statements.length, 3, statements.join('\n'))
    assert.equal((await storage.readResourceUse(tenant)).storedBytes, 5)
  })
})
