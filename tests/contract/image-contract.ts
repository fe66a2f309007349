import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { SpanImage } from '../../src/domain/span-image.ts'
import type { EnvironmentTenant } from '../../src/domain/tenant.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { AT_MS, createTenant, type StorageHarness, storeWithTenant } from './contract-fixtures.ts'
import { eraseAll, LATER_MS, spanIdOf, spanWith, store, sumUp, traceIdOf } from './deletion-fixtures.ts'

const COUNTS_MAX = { perSpan: 2, perTrace: 3 }

const imageOf = (
  trace: string,
  span: string,
  name: string,
  bytes: Uint8Array = randomBytes(64),
): SpanImage => ({
  ...{ traceId: traceIdOf(trace), spanId: spanIdOf(span), name, type: 'image/png', bytes },
})

function add(storage: Storage, tenant: EnvironmentTenant, image: SpanImage, atMs = AT_MS) {
  return storage.addImage(tenant, image, COUNTS_MAX, atMs)
}

async function namesIn(storage: Storage, tenant: EnvironmentTenant, trace: string): Promise<string[]> {
  return (await storage.listImages(tenant, traceIdOf(trace))).map(({ name }) => name)
}

const isIn = async (harness: StorageHarness, storage: Storage, secret: Uint8Array) =>
  (await harness.files(storage)).some((file) => file.includes(secret))

/** The promises of every store about images of spans. */
export function describeImages(harness: StorageHarness): void {
  describeKeeping(harness)
  describeGoing(harness)
}

function describeKeeping(harness: StorageHarness): void {
  test('keeps an image as it came, once, also after a restart', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const image = imageOf('t', 's', 'a.png')
    assert.equal(await add(storage, tenant, image), 'kept')
    assert.equal(await add(storage, tenant, { ...image, bytes: randomBytes(8) }, LATER_MS), 'kept')
    await add(storage, tenant, imageOf('t', 'other', 'b.png'))
    const again = await harness.reopen(storage)
    const found = await again.readImage(tenant, image)
    assert.deepEqual([found?.type, Buffer.from(found?.bytes ?? [])], ['image/png', Buffer.from(image.bytes)])
    const { bytes: _, ...told } = image
    assert.deepEqual((await again.listImages(tenant, image.traceId))[0], {
      ...{ ...told, byteLength: 64, createdAtMs: AT_MS },
    })
    assert.deepEqual(await namesIn(again, tenant, 't'), ['a.png', 'b.png'])
    assert.equal(await again.readImage(tenant, { ...image, name: 'c.png' }), undefined)
  })

  test('shows an image to its own project only', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const other = await createTenant(storage, 'two')
    const image = imageOf('t', 's', 'a.png')
    await add(storage, tenant, image)
    assert.deepEqual(await namesIn(storage, other, 't'), [])
    assert.equal(await storage.readImage(other, image), undefined)
  })

  test('keeps no more images of a span and of a trace than they may have', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    for (const name of ['a', 'b']) assert.equal(await add(storage, tenant, imageOf('t', 's', name)), 'kept')
    assert.equal(await add(storage, tenant, imageOf('t', 's', 'c')), 'full')
    assert.equal(await add(storage, tenant, imageOf('t', 's', 'a')), 'kept', 'what is there needs no room')
    assert.equal(await add(storage, tenant, imageOf('t', 'other', 'a')), 'kept')
    assert.equal(await add(storage, tenant, imageOf('t', 'third', 'a')), 'full')
    assert.equal(await add(storage, tenant, imageOf('another', 's', 'a')), 'kept')
  })

  test('counts images among the stored bytes for as long as they are there', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const stored = async () => (await storage.readResourceUse(tenant)).storedBytes
    await add(storage, tenant, imageOf('t', 's', 'a'))
    await add(storage, tenant, imageOf('u', 's', 'a', randomBytes(36)))
    assert.equal(await stored(), 100)
    await storage.deleteTrace(tenant, traceIdOf('t'), AT_MS)
    await eraseAll(storage)
    assert.equal(await stored(), 36)
    while (await storage.work.dropExpired(AT_MS + 800 * 3_600_000, 720));
    assert.equal(await stored(), 0)
  })
}

function describeGoing(harness: StorageHarness): void {
  test('hides the images of a deleted trace at once, erases them, and takes no late ones', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const [gone, kept] = [imageOf('gone', 's', 'a'), imageOf('kept', 's', 'a')]
    for (const image of [gone, kept, imageOf('gone', 's', 'b')]) await add(storage, tenant, image)
    await storage.deleteTrace(tenant, gone.traceId, AT_MS)
    assert.deepEqual(
      [await namesIn(storage, tenant, 'gone'), await storage.readImage(tenant, gone)],
      [[], undefined],
    )
    assert.equal(await add(storage, tenant, imageOf('gone', 's', 'late')), 'deleted')
    await eraseAll(storage)
    assert.equal(await isIn(harness, storage, gone.bytes), false)
    assert.equal(await isIn(harness, storage, kept.bytes), true)
    assert.deepEqual(await namesIn(storage, tenant, 'kept'), ['a'])
  })

  test('erases the images of the traces of a deleted session', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await store(storage, tenant, [
      spanWith('gone', 'gone 1', randomBytes(8), 'talk'),
      spanWith('kept', 'kept 1', randomBytes(8), 'other'),
    ])
    await sumUp(storage)
    const gone = imageOf('gone', 'gone 1', 'a')
    await add(storage, tenant, gone)
    await add(storage, tenant, imageOf('kept', 'kept 1', 'a'))
    await storage.deleteSession(tenant, 'talk', AT_MS)
    assert.deepEqual(
      [await namesIn(storage, tenant, 'gone'), await namesIn(storage, tenant, 'kept')],
      [[], ['a']],
    )
    await eraseAll(storage)
    assert.equal(await isIn(harness, storage, gone.bytes), false)
  })

  test('erases the images of a project whose data are deleted, and takes new ones', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const images = Array.from({ length: 20 }, (_, at) => imageOf(`t${at}`, 's', 'a'))
    for (const image of images) await add(storage, tenant, image)
    await storage.deleteProjectData(tenant, AT_MS)
    assert.deepEqual(await namesIn(storage, tenant, 't0'), [])
    assert.equal(await add(storage, tenant, imageOf('t0', 's', 'new')), 'kept')
    await eraseAll(storage)
    for (const { bytes } of images) assert.equal(await isIn(harness, storage, bytes), false)
    assert.deepEqual(await namesIn(storage, tenant, 't0'), ['new'])
  })

  test('drops images that are no longer kept', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    for (let at = 0; at < 20; at++) await add(storage, tenant, imageOf(`t${at}`, 's', 'old'), AT_MS)
    await add(storage, tenant, imageOf('t0', 's', 'new'), AT_MS + 7_000_000)
    while (await storage.work.dropExpired(AT_MS + 7_200_000, 1));
    assert.deepEqual(
      [await namesIn(storage, tenant, 't0'), await namesIn(storage, tenant, 't19')],
      [['new'], []],
    )
  })
}
