import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outageReason, storeUnavailable } from './store-outage.ts'

const sqlite = (errcode: number) => Object.assign(new Error('sqlite'), { code: 'ERR_SQLITE_ERROR', errcode })
const coded = (code: string) => Object.assign(new Error('other'), { code })

for (const [name, error, reason] of [
  ['SQLITE_FULL', sqlite(13), /full/],
  ['SQLITE_IOERR_WRITE', sqlite(778), /disk fails/],
  ['SQLITE_READONLY_DBMOVED', sqlite(1032), /read-only/],
  ['SQLITE_BUSY_SNAPSHOT', sqlite(517), /another process/],
  ['SQLITE_CORRUPT', sqlite(11), /damaged/],
  ['disk_full of PostgreSQL', coded('53100'), /full/],
  ['too_many_connections', coded('53300'), /run out/],
  ['read_only_sql_transaction', coded('25006'), /read-only/],
  ['io_error of PostgreSQL', coded('58030'), /disk fails/],
  ['admin_shutdown', coded('57P01'), /does not answer/],
  ['connection_failure', coded('08006'), /does not answer/],
  ['query_canceled', coded('57014'), /too long/],
  ['a reset connection', coded('ECONNRESET'), /does not answer/],
  ['a full file system', coded('ENOSPC'), /full/],
  ['a connection that ended', new Error('Connection terminated unexpectedly'), /does not answer/],
] as const) {
  test(`${name} is an outage of the store`, () => assert.match(outageReason(error) ?? '', reason))
}

for (const [name, error] of [
  ['SQLITE_CONSTRAINT_UNIQUE', sqlite(2067)],
  ['SQLITE_ERROR', sqlite(1)],
  ['SQLITE_TOOBIG', sqlite(18)],
  ['not_null_violation', coded('23502')],
  ['syntax_error', coded('42601')],
  ['a bug', new TypeError('undefined is not a function')],
  ['no error at all', undefined],
] as const) {
  test(`${name} is no outage`, () => assert.equal(outageReason(error), undefined))
}

test('a client reads the reason and when to try again, and the log has the cause', () => {
  const cause = sqlite(13)
  const { kind, message, retryAfterMs, cause: kept } = storeUnavailable('its disk is full', cause)
  assert.deepEqual(
    [kind, message, retryAfterMs],
    ['unavailable', 'the store is not available: its disk is full', 1_000],
  )
  assert.equal(kept, cause)
})
