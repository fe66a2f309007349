import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '../../../tests/support/temporary-directory.ts'
import { Rows } from '../shared/sql.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import { SqliteSql } from './sqlite-sql.ts'

test('rows come back as they were given, in their order', async () => {
  const db = SqliteDatabase.openWriter(path.join(temporaryDirectory(), 'test.db'))
  const sql = new SqliteSql(db)
  const columns = { text: 'text', number: 'bigint', bytes: 'bytes' } as const
  const given = [
    { text: 'a\u0000b\u0001"\\', number: 2 ** 53 - 1, bytes: Uint8Array.from([0, 1, 255]) },
    { text: '👋', number: -1, bytes: Uint8Array.from([]) },
    { text: null, number: null, bytes: null },
  ]
  const read = (rows: typeof given | { text: string }[]) =>
    sql.all<object>(
      `SELECT text, number, bytes FROM ${sql.dialect.rows('$1', 'r', columns)} ORDER BY nth`,
      new Rows(rows),
    )
  assert.deepEqual(
    (await read(given)).map((row) => ({ ...row })),
    given,
  )
  assert.deepEqual(await read([]), [])
  assert.deepEqual(
    (await read([{ text: 'half \ud800' }])).map((row) => ({ ...row })),
    [{ text: 'half \ufffd', number: null, bytes: null }],
  )
  db.close()
})
