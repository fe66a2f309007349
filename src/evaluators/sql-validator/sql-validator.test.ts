import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isValidSql } from './is-valid-sql.ts'

for (const sql of [
  'SELECT 1',
  'select * from "Users" u left join lateral (select 1) x on true where u.data @> \'{"a":1}\'::jsonb;',
  'INSERT INTO t (a) VALUES ($1) ON CONFLICT (a) DO UPDATE SET a = excluded.a RETURNING *',
  'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT * FROM r',
  'SELECT 1; -- comment\nSELECT 2',
  'CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ anything here is a text $$',
  "SELECT E'it\\'s', 'ünïcödé 👋'",
  'SELECT no_such_column FROM no_such_table',
]) {
  test(`is valid: ${sql.slice(0, 60)}`, async () => assert.equal(await isValidSql(sql), true))
}

for (const sql of [
  '',
  '   \n',
  '-- only a comment',
  ';;',
  'SELEC 1',
  'SELECT FROM WHERE',
  "SELECT 'unterminated",
  '/* unterminated',
  'SELECT 1; SELEC 2',
  'SELECT `id` FROM t',
  'SELECT TOP 10 * FROM t',
  'SELECT 1\0; DROP TABLE t',
  '```sql\nSELECT 1\n```',
  'Here is your query: SELECT 1',
]) {
  test(`is not valid: ${JSON.stringify(sql.slice(0, 60))}`, async () =>
    assert.equal(await isValidSql(sql), false))
}

test('gives an answer to nesting that no parser can hold, and works afterwards', async () => {
  assert.equal(await isValidSql(`SELECT ${'('.repeat(100_000)}`), false)
  assert.equal(await isValidSql('SELECT 1'), true)
})

test('refuses a text that would use up the memory of the parser', async () => {
  await assert.rejects(isValidSql('select 1;'.repeat(120_000)), {
    message: 'invalid input: input.text must be at most 1000000 characters',
  })
  assert.equal(await isValidSql('select 1;'.repeat(20_000)), true)
})

test('refuses an expression that would overflow the parser, and gives up the thread', async () => {
  const terms = Array.from({ length: 100_000 }, () => 1).join(' + ')
  await assert.rejects(isValidSql(`SELECT ${terms}`), {
    name: 'TaintedThread',
    message: 'invalid input: input.text is too large or nested too deeply to be checked',
  })
})
