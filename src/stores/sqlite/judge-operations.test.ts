import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '../../../tests/support/temporary-directory.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import { DATABASE_FILE, openSqliteStorage } from './sqlite-storage.ts'

const HOUR_MS = 3_600_000

test('moves the age of a cached answer when it is read, but writes nothing for one that was just used', async () => {
  const dataDir = temporaryDirectory()
  const storage = await openSqliteStorage({ dataDir, readerThreads: 1 })
  const tenant = { orgId: 'org' }
  await storage.ledger.recordCalls(
    ['old', 'young'].map((key) => ({
      orgId: 'org',
      key,
      answer: '{}',
      promptTokens: 1,
      completionTokens: 1,
    })),
    [],
  )
  const db = SqliteDatabase.openWriter(path.join(dataDir, DATABASE_FILE))
  const age = (key: string, usedAtMs: number) =>
    db.run('UPDATE judge_cache SET used_at_ms = ? WHERE key = ?', usedAtMs, key)
  const usedAt = (key: string) =>
    db.get<{ used_at_ms: number }>('SELECT used_at_ms FROM judge_cache WHERE key = ?', key)?.used_at_ms ?? 0
  const beforeMs = Date.now()
  const youngMs = beforeMs - HOUR_MS / 2
  age('old', beforeMs - 2 * HOUR_MS)
  age('young', youngMs)
  await storage.readCachedAnswer(tenant, 'old')
  await storage.readCachedAnswer(tenant, 'young')
  assert.ok(usedAt('old') >= beforeMs)
  assert.equal(usedAt('young'), youngMs)
  db.close()
  await storage.close()
})
