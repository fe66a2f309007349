import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { faultySqlite } from '../../../tests/support/faulty-sqlite.ts'
import { temporaryDirectory } from '../../../tests/support/temporary-directory.ts'
import { openSqliteStorage } from './sqlite-storage.ts'

const { startThread, set } = faultySqlite()
const storage = await openSqliteStorage({ dataDir: temporaryDirectory(), readerThreads: 1, startThread })
after(() => storage.close())

for (const [fault, reason] of [
  ['full', /disk is full/],
  ['read-only', /read-only/],
  ['broken', /disk fails/],
] as const) {
  test(`a store that is ${fault} is found out by its probe, before anybody writes`, async () => {
    await storage.system.ping()
    set(fault)
    await assert.rejects(storage.system.ping(), reason)
    set('none')
    await storage.system.ping()
  })
}
