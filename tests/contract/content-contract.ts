import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { NewContent, SpanKey } from '../../src/ports/content-storage.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { AT_MS, createTenant, type StorageHarness, storeWithTenant } from './contract-fixtures.ts'
import { eraseAll } from './deletion-fixtures.ts'
import { countIn } from './deletion-store.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'
const KEY = { traceId: TRACE, spanId: SPAN }
const HOUR_MS = 3_600_000

function content(text: string, key = KEY): NewContent {
  return {
    ...key,
    eventKey: createHash('sha256').update(text).digest().subarray(0, 16),
    bytes: Buffer.from(text),
    byteLength: 100,
  }
}

const batch = (...texts: string[]) => ({ receivedAtMs: AT_MS, contents: texts.map((text) => content(text)) })

async function texts(storage: Storage, tenant: Parameters<Storage['readContents']>[0], ...keys: SpanKey[]) {
  const found = await storage.readContents(tenant, keys.length > 0 ? keys : [KEY])
  return found.map(({ bytes }) => Buffer.from(bytes).toString())
}

/** The promises of every store about events that came as logs. */
export function describeContents(harness: StorageHarness): void {
  test('keeps events of spans once, in the order of their arrival', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    assert.equal(await storage.addContents(tenant, batch('first', 'second')), 2)
    assert.equal(await storage.addContents(tenant, batch('second', 'third')), 1)
    assert.deepEqual(await texts(storage, tenant), ['first', 'second', 'third'])
    const [first] = await storage.readContents(tenant, [KEY])
    assert.deepEqual([first?.traceId, first?.spanId, first?.byteLength], [TRACE, SPAN, 100])
  })

  test('tells events of the spans that are asked for, and no others', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const other = { traceId: TRACE, spanId: '1'.repeat(16) }
    const third = { traceId: '2'.repeat(32), spanId: SPAN }
    const contents = [content('one'), content('two', other), content('three', third)]
    await storage.addContents(tenant, { receivedAtMs: AT_MS, contents })
    assert.deepEqual(await texts(storage, tenant, other), ['two'])
    assert.deepEqual(await texts(storage, tenant, third, KEY), ['one', 'three'])
    assert.deepEqual(await texts(storage, tenant, { traceId: TRACE }), ['one', 'two'])
    assert.deepEqual(await storage.readContents(tenant, []), [])
  })

  test('keeps the events of two tenants apart', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const stranger = await createTenant(storage, 'stranger')
    await storage.addContents(tenant, batch('mine'))
    assert.deepEqual(await texts(storage, stranger), [])
    assert.equal(await storage.addContents(stranger, batch('mine')), 1)
    const forged = { ...tenant, orgId: stranger.orgId }
    await assert.rejects(storage.readContents(forged, [KEY]), /does not exist/)
    await assert.rejects(storage.addContents(forged, batch('x')), /does not exist/)
  })

  test('reads at most 64 MiB of events', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const contents = ['a', 'b', 'c'].map((text) => ({ ...content(text), byteLength: 30 * 1024 * 1024 }))
    await storage.addContents(tenant, { receivedAtMs: AT_MS, contents })
    assert.deepEqual(await texts(storage, tenant), ['a', 'b'])
  })

  test('counts events towards the stored bytes of their organization', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const stored = async () => (await storage.readResourceUse(tenant)).storedBytes
    const before = await stored()
    await storage.addContents(tenant, batch('12345', '1234567'))
    assert.equal(await stored(), before + 12)
    await storage.deleteTrace(tenant, TRACE, AT_MS)
    await eraseAll(storage)
    assert.equal(await stored(), before)
  })

  test('deletes events with their trace, and takes none of it afterwards', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const kept = { traceId: '3'.repeat(32), spanId: SPAN }
    const contents = [content('a secret of the trace'), content('something else', kept)]
    await storage.addContents(tenant, { receivedAtMs: AT_MS, contents })
    assert.ok((await countIn(harness, storage, 'a secret of the trace')) > 0)
    await storage.deleteTrace(tenant, TRACE, AT_MS)
    assert.deepEqual(await texts(storage, tenant, KEY, kept), ['something else'])
    assert.equal(await storage.addContents(tenant, batch('later')), 0)
    await eraseAll(storage)
    assert.equal(await countIn(harness, storage, 'a secret of the trace'), 0)
  })

  test('deletes events with all data of their project, also those that a stream had received before', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await storage.addContents(tenant, batch('a secret of the project'))
    await storage.deleteProjectData(tenant, AT_MS + 10)
    assert.deepEqual(await texts(storage, tenant), [])
    await eraseAll(storage)
    assert.equal(await countIn(harness, storage, 'a secret of the project'), 0)
    assert.equal(await storage.addContents(tenant, { ...batch('queued'), isQueued: true }), 0)
    const later = { ...batch('queued later'), receivedAtMs: AT_MS + 11, isQueued: true }
    assert.equal(await storage.addContents(tenant, later), 1)
  })

  test('drops events that are no longer kept, whether their span has come or not', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await storage.addContents(tenant, batch('old'))
    await storage.addContents(tenant, { ...batch('new'), receivedAtMs: AT_MS + 2 * HOUR_MS })
    while (await storage.work.dropExpired(AT_MS + 2 * HOUR_MS, 1));
    assert.deepEqual(await texts(storage, tenant), ['new'])
  })
}
