import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '../../../tests/support/temporary-directory.ts'
import { commitGroup } from './group-commit.ts'
import type { OperationTable } from './operations.ts'
import { SqliteDatabase } from './sqlite-database.ts'

const operations: OperationTable = {
  insert: (db: SqliteDatabase, value: string) => db.run('INSERT INTO items VALUES (?)', value),
  insertThenFail(db: SqliteDatabase, value: string) {
    db.run('INSERT INTO items VALUES (?)', value)
    throw new Error('after the insert')
  },
}

function openBoth() {
  const file = path.join(temporaryDirectory(), 'test.db')
  const writer = SqliteDatabase.openWriter(file)
  writer.exec('CREATE TABLE items (value TEXT UNIQUE)')
  const other = SqliteDatabase.openReader(file)
  const stored = () => other.all<{ value: string }>('SELECT value FROM items').map(({ value }) => value)
  return { writer, stored }
}

test('hands out outcomes only when another connection can see what was written', async () => {
  const { writer, stored } = openBoth()
  const outcomes = await commitGroup(writer, operations, [
    { id: 1, operation: 'insert', args: ['a'] },
    { id: 2, operation: 'insert', args: ['b'] },
  ])
  assert.deepEqual(outcomes, [
    { id: 1, value: 1 },
    { id: 2, value: 1 },
  ])
  assert.deepEqual(stored(), ['a', 'b'])
})

test('undoes a failed call completely and keeps its neighbours', async () => {
  const { writer, stored } = openBoth()
  const outcomes = await commitGroup(writer, operations, [
    { id: 1, operation: 'insert', args: ['a'] },
    { id: 2, operation: 'insertThenFail', args: ['b'] },
    { id: 3, operation: 'insert', args: ['a'] },
    { id: 4, operation: 'insert', args: ['c'] },
  ])
  assert.deepEqual(
    outcomes.map((outcome) => 'error' in outcome),
    [false, true, true, false],
  )
  assert.deepEqual(stored(), ['a', 'c'])
})

test('fails every call of a group whose commit fails', async () => {
  const { writer, stored } = openBoth()
  writer.exec('PRAGMA foreign_keys = ON')
  writer.exec('CREATE TABLE parents (id INTEGER PRIMARY KEY)')
  // A deferred constraint is checked by the commit itself, which makes it fail like a full disk would.
  writer.exec('CREATE TABLE children (parent INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED)')
  const outcomes = await commitGroup(
    writer,
    { ...operations, orphan: (db: SqliteDatabase) => db.run('INSERT INTO children VALUES (1)') },
    [
      { id: 1, operation: 'insert', args: ['a'] },
      { id: 2, operation: 'orphan', args: [] },
    ],
  )
  assert.deepEqual(
    outcomes.map((outcome) => 'error' in outcome),
    [true, true],
  )
  assert.deepEqual(stored(), [])
  assert.deepEqual(
    await commitGroup(writer, operations, [{ id: 3, operation: 'insert', args: ['b'] }]),
    [{ id: 3, value: 1 }],
    'the connection can be used again',
  )
})

test('says that the store is to blame when its disk is full, and not when a call breaks a rule', async () => {
  const { writer, stored } = openBoth()
  writer.exec('PRAGMA max_page_count = 1')
  const outages = async (operation: string, value: string) => {
    const outcomes = await commitGroup(writer, operations, [{ id: 1, operation, args: [value] }])
    return outcomes.map((outcome) => 'error' in outcome && outcome.outage)
  }
  assert.deepEqual(await outages('insert', 'x'.repeat(100_000)), ['its disk is full'])
  assert.deepEqual(await outages('insertThenFail', 'b'), [undefined])
  writer.exec('PRAGMA max_page_count = 4294967294')
  await commitGroup(writer, operations, [{ id: 3, operation: 'insert', args: ['a'] }])
  assert.deepEqual(stored(), ['a'])
})

test('tells the cause when SQLite has ended the whole transaction by itself', async () => {
  const { writer, stored } = openBoth()
  const outcomes = await commitGroup(
    writer,
    {
      ...operations,
      endTransaction(db: SqliteDatabase) {
        db.exec('ROLLBACK')
        throw Object.assign(new Error('database or disk is full'), { errcode: 13 })
      },
    },
    [
      { id: 1, operation: 'insert', args: ['a'] },
      { id: 2, operation: 'endTransaction', args: [] },
    ],
  )
  assert.deepEqual(
    outcomes.map((outcome) => 'error' in outcome && outcome.outage),
    ['its disk is full', 'its disk is full'],
  )
  assert.deepEqual(stored(), [])
})

test('the writing connection flushes every commit to disk', async () => {
  const { writer } = openBoth()
  assert.deepEqual({ ...writer.get<object>('PRAGMA synchronous') }, { synchronous: 2 })
  assert.deepEqual({ ...writer.get<object>('PRAGMA journal_mode') }, { journal_mode: 'wal' })
  assert.deepEqual({ ...writer.get<object>('PRAGMA foreign_keys') }, { foreign_keys: 1 })
  assert.deepEqual({ ...writer.get<object>('PRAGMA busy_timeout') }, { timeout: 5_000 })
})

test('a reading connection cannot write', async () => {
  const file = path.join(temporaryDirectory(), 'test.db')
  SqliteDatabase.openWriter(file).exec('CREATE TABLE items (value TEXT)')
  assert.throws(() => SqliteDatabase.openReader(file).run("INSERT INTO items VALUES ('a')"), /readonly/)
})
