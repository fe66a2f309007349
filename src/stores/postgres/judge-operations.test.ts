import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AT_MS, createTenant } from '../../../tests/contract/contract-fixtures.ts'
import { openPair, race } from '../../../tests/support/postgres-pair.ts'
import { recycledDatabase } from '../../../tests/support/postgres-store.ts'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import type { JudgeSpend, NewCachedAnswer } from '../../ports/judge-storage.ts'
import { PostgresDatabase } from './postgres-database.ts'
import { openPostgresStorage } from './postgres-storage.ts'

const HOUR_MS = 3_600_000
const KEYS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']

test('what two processes record at once, in whatever order, adds up', async () => {
  const pair = await openPair()
  const tenant = await createTenant(pair[0], 'one')
  const answers = KEYS.map((key) => answer(tenant.orgId, key))
  const spends = KEYS.map((model) => spend(tenant.projectId, model, 5))
  // The first of a group is there twice: both of it count, and of its answers the last one stays.
  const [first] = spends as [JudgeSpend, ...JudgeSpend[]]
  await race(pair, 20, (storage, index) =>
    storage.ledger.recordCalls(
      index % 3 === 0 ? [...answers, answer(tenant.orgId, 'a')] : answers.toReversed(),
      index % 3 === 0 ? [first, ...spends] : [...spends.toReversed(), first],
    ),
  )
  const { dayMicros } = await pair[1].readSpend(tenant, undefined, AT_MS)
  assert.equal(dayMicros, 20 * 5 * (KEYS.length + 1))
  const lines = await pair[0].listSpend(tenant, AT_MS, AT_MS)
  assert.deepEqual(
    lines.map(({ model, calls }) => [model, calls]),
    KEYS.map((model) => [model, model === 'a' ? 40 : 20]),
  )
})

test('processes that drop answers at once leave as many as may be kept', async () => {
  const pair = await openPair()
  const tenant = await createTenant(pair[0], 'one')
  for (const key of KEYS) await pair[0].ledger.recordCalls([answer(tenant.orgId, key)], [])
  await race(pair, 6, (storage) => storage.ledger.dropCachedAnswers(0, 3))
  const kept = await Promise.all(KEYS.map((key) => pair[1].readCachedAnswer(tenant, key)))
  assert.equal(kept.filter((item) => item !== undefined).length, 3)
})

test('a budget that is put by two processes at once is one budget', async () => {
  const pair = await openPair()
  const tenant = await createTenant(pair[0], 'one')
  const results = await race(pair, 8, (storage, index) =>
    storage.putBudget(tenant, { dayMicros: index, updatedAtMs: AT_MS }),
  )
  assert.deepEqual(new Set(results), new Set([true]))
  assert.equal((await pair[1].listBudgets(tenant)).length, 1)
})

test('moves the age of a cached answer when it is read, but writes nothing for one that was just used', async () => {
  const url = await recycledDatabase()
  const options = {
    url,
    connectionsMax: 2,
    statementMsMax: 300_000,
    connectMsMax: 300_000,
    logger: recordingLogger([]),
  }
  const storage = await openPostgresStorage(options)
  await storage.ledger.recordCalls(
    ['old', 'young'].map((key) => answer('org', key)),
    [],
  )
  const db = new PostgresDatabase(options)
  const age = (key: string, usedAtMs: number) =>
    db.run('UPDATE judge_cache SET used_at_ms = $1 WHERE key = $2', usedAtMs, key)
  const usedAt = async (key: string) =>
    (await db.get<{ used_at_ms: number }>('SELECT used_at_ms FROM judge_cache WHERE key = $1', key))
      ?.used_at_ms ?? 0
  const beforeMs = Date.now()
  const youngMs = beforeMs - HOUR_MS / 2
  await age('old', beforeMs - 2 * HOUR_MS)
  await age('young', youngMs)
  for (const key of ['old', 'young']) await storage.readCachedAnswer({ orgId: 'org' }, key)
  assert.ok((await usedAt('old')) >= beforeMs)
  assert.equal(await usedAt('young'), youngMs)
  await db.close()
  await storage.close()
})

function answer(orgId: string, key: string): NewCachedAnswer {
  return { orgId, key, answer: '{}', promptTokens: 1, completionTokens: 1 }
}

function spend(projectId: string, model: string, costMicros: number): JudgeSpend {
  return {
    projectId,
    atMs: AT_MS,
    model,
    calls: 1,
    promptTokens: 1,
    completionTokens: 1,
    costMicros,
    unpricedCalls: 0,
  }
}
