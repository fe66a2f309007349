import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PublicError } from '../../lib/public-error.ts'
import type { Sql } from '../shared/sql.ts'
import { Claims } from './claims.ts'
import type { PostgresDatabase } from './postgres-database.ts'

const away = () => new PublicError('unavailable', 'the store is not available at the moment')
// The work inside of a transaction matters here, not that it is one.
const db = {
  transaction: (work: (tx: Sql) => Promise<unknown>) => work({} as Sql),
} as unknown as PostgresDatabase

test('gives back what an answer that got lost may have handed out, behind what is known, and only then', async () => {
  const givenBackAfter: number[] = []
  const claims = new Claims(db, async (_tx, lease) => givenBackAfter.push(lease))
  await claims.take(async () => [{ lease: 3 }, { lease: 7 }])
  await claims.take(async () => [])
  assert.deepEqual(givenBackAfter, [])
  await assert.rejects(
    claims.take(() => Promise.reject(away())),
    { kind: 'unavailable' },
  )
  assert.deepEqual(await claims.take(async () => [{ lease: 12 }]), [{ lease: 12 }])
  assert.deepEqual(givenBackAfter, [7])
  await claims.take(async () => [])
  assert.deepEqual(givenBackAfter, [7])
})

test('does not take a fault that has an answer for a lost one', async () => {
  const givenBackAfter: number[] = []
  const claims = new Claims(db, async (_tx, lease) => givenBackAfter.push(lease))
  await assert.rejects(
    claims.take(() => Promise.reject(new Error('a fault of ours'))),
    /a fault of ours/,
  )
  await claims.take(async () => [])
  assert.deepEqual(givenBackAfter, [])
})
