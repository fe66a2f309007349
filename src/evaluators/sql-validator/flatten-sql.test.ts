import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parse } from 'libpg-query'
import { flattenSql } from './flatten-sql.ts'

const PIECES = [
  ...[
    '/*',
    '*/',
    '*',
    '/',
    '--',
    '-',
    '+',
    '<',
    '=',
    '@',
    '\n',
    ' ',
    "'",
    '"',
    '\\',
    '$',
    '$a$',
    '$1',
    'E',
    "E'",
  ],
  ...[
    'select ',
    '1',
    'a',
    ';',
    '(',
    ')',
    ',',
    '/**/',
    '/* x */',
    "'b'",
    '+'.repeat(70),
    '<+'.repeat(40),
    '*'.repeat(80),
  ],
  ...["U&'", '@-+', 'é', '👋', "x'1f'", '::int', '.'],
]

async function isParsed(sql: string): Promise<boolean> {
  try {
    return ((await parse(sql)).stmts ?? []).length > 0
  } catch {
    return false
  }
}

test('the parser says the same of a flattened text as of the text itself', async () => {
  const sql = fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }).map((pieces) => pieces.join(''))
  await fc.assert(
    fc.asyncProperty(
      sql,
      fc.constantFrom('', 'select 1 ', "select 'a' ", 'select /* a */ '),
      async (text, start) => {
        const flat = flattenSql(start + text)
        const isValid = flat !== undefined && (await isParsed(flat))
        assert.equal(isValid, await isParsed(start + text))
      },
    ),
    { numRuns: 3_000 },
  )
})

test('a comment between two strings stays one, and two strings on two lines stay joined', async () => {
  for (const sql of [
    "select 'a' /* x */\n'b'",
    "select 'a' -- x\n'b'",
    'select 1 /* /* nested */ still */ + 1',
  ]) {
    assert.equal(await isParsed(flattenSql(sql) ?? ''), await isParsed(sql), sql)
  }
})

test('a comment banner and a long chain of signs leave runs that the lexer reads once', () => {
  assert.equal(flattenSql(`/*${'*'.repeat(5_000)}*/ select 1`), ' /**/  select 1')
  assert.equal(flattenSql(`${'/*'.repeat(3)}x${'*/'.repeat(3)};`), ' /**/ ;')
  const longest = (text: string) => Math.max(...text.split(/[^~!@#^&|`?+\-*/%<>=]+/).map((run) => run.length))
  assert.ok(longest(flattenSql(`select ${'+-'.repeat(5_000)}1`) ?? '') <= 64)
})

test('a comment, a string or a name without an end is told apart', () => {
  for (const sql of ['/*'.repeat(1_000), "select 'a", 'select "a', "select E'a\\'", 'select $a$ $b$']) {
    assert.equal(flattenSql(sql), undefined, sql.slice(0, 20))
  }
})
