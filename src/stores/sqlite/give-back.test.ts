import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { charCount, createTenant, rule } from '../../../tests/contract/contract-fixtures.ts'
import { spanWith, store } from '../../../tests/contract/deletion-fixtures.ts'
import { bindSetup } from '../../../tests/contract/result-fixtures.ts'
import { faultySqlite } from '../../../tests/support/faulty-sqlite.ts'
import { eventually } from '../../../tests/support/spans.ts'
import { temporaryDirectory } from '../../../tests/support/temporary-directory.ts'
import { openSqliteStorage } from './sqlite-storage.ts'

const LEASE_MS = 86_400_000

test('work that is given back while the disk is full is there again when there is room, before its lease ends', async () => {
  const { startThread, set } = faultySqlite()
  const storage = await openSqliteStorage({ dataDir: temporaryDirectory(), readerThreads: 1, startThread })
  after(() => storage.close())
  const tenant = await createTenant(storage, 'one')
  await bindSetup(storage, tenant, 's', { evaluators: [charCount], selector: [rule] })
  await store(storage, tenant, [spanWith('trace', 'span', Buffer.from('x'))])
  const claimed = await storage.work.claimWork('local', 10, LEASE_MS)
  assert.equal(claimed.length, 1)
  set('full')
  await storage.work.retryWork(claimed, 0)
  set('none')
  const again = await eventually(async () => {
    const found = await storage.work.claimWork('local', 10, LEASE_MS)
    return found.length > 0 && found
  }, 'the work is claimed again')
  assert.equal(again[0]?.batchId, claimed[0]?.batchId)
})
