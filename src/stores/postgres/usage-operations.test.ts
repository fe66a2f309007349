import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sql } from '../shared/sql.ts'
import { readSessionUsage, readUsage } from '../shared/usage-operations.ts'
import { POSTGRES_DIALECT } from './postgres-dialect.ts'

const SCOPE = { orgId: 'org', projectId: 'project' }

/** Statements are kept prepared, so that one with a number of the caller in it would be another one for each caller. */
test('buckets of any length are read with the same statements', async () => {
  const texts = new Set<string>()
  const db: Pick<Sql, 'dialect' | 'all' | 'get' | 'run'> = {
    dialect: POSTGRES_DIALECT,
    all: async (sql) => {
      texts.add(sql)
      return []
    },
    get: async <T>() => ({ number: 1, catalogue_revision: 1 }) as T,
    run: async () => 0,
  }
  for (const bucketMs of [60_000, 3_600_000, 7_140_000, 86_400_000]) {
    const query = { fromMs: 0, toMs: 86_400_000, bucketMs, groupBy: [] }
    await readUsage(db as Sql, SCOPE, query)
    await readSessionUsage(db as Sql, SCOPE, query, 10)
  }
  // The two that answer, and two that tell which hours and days are folded.
  assert.equal(texts.size, 4)
})
