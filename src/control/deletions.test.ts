import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { AT_MS, createTenant } from '../../tests/contract/contract-fixtures.ts'
import { namesOf, spanWith, store, sumUp, traceIdOf } from '../../tests/contract/deletion-fixtures.ts'
import { startInProcess } from '../../tests/support/storage-in-process.ts'
import { temporaryDirectory } from '../../tests/support/temporary-directory.ts'
import { openSqliteStorage } from '../stores/sqlite/sqlite-storage.ts'
import { deleteSession, deleteTrace } from './deletions.ts'

/** A store in which nothing is summed up unless a test does it. */
async function openStore() {
  const storage = await openSqliteStorage({
    dataDir: temporaryDirectory(),
    readerThreads: 1,
    startThread: startInProcess,
  })
  after(() => storage.close())
  const tenant = await createTenant(storage, 'one')
  const spans = [spanWith('gone', 'gone 1', randomBytes(4), 's'), spanWith('kept', 'kept 1', randomBytes(4))]
  await store(storage, tenant, spans)
  return { storage, tenant, deps: { storage, clock: { nowMs: () => AT_MS }, ids: { newId: () => 'id' } } }
}

test('a deletion is answered when what had arrived is summed up, and not before', async () => {
  const { storage, tenant, deps } = await openStore()
  const deletion = deleteSession(deps, tenant, 's')
  const first = await Promise.race([deletion, setTimeout(300, 'waits')])
  assert.equal(first, 'waits')
  await sumUp(storage)
  const { erasedByMs, spans, evaluations } = await deletion
  assert.deepEqual([erasedByMs, spans, evaluations], [AT_MS + 86_400_000, 1, 0])
  assert.deepEqual(await namesOf(storage, tenant), ['kept 1'])
})

test('a deletion that waits for too long says so, and is carried out all the same', async () => {
  const { storage, tenant, deps } = await openStore()
  await assert.rejects(deleteSession(deps, tenant, 's', 1), { kind: 'unavailable', message: /is stored/ })
  await assert.rejects(deleteTrace(deps, tenant, traceIdOf('kept'), 1), { kind: 'unavailable' })
  await sumUp(storage)
  assert.deepEqual(await namesOf(storage, tenant), [])
})
