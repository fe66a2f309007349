import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AT_MS, charCount, create, createTenant, rule } from '../../../tests/contract/contract-fixtures.ts'
import { encodeSpans } from '../../../tests/otlp/encode-traces.ts'
import { openIngest, span, storedSpans } from '../../../tests/support/ingest-fixture.ts'
import { eventually } from '../../../tests/support/spans.ts'
import type { EnvironmentTenant } from '../../domain/tenant.ts'
import type { Ingest } from './ingest.ts'

const openai = { evaluators: [charCount], selector: [rule] }

/**
 * Lets the thread read setups, so that it has some that may be old. A request of no bytes says nothing about the time that bytes
 * take, so the next request goes to the same thread, however slow this one was.
 */
async function readSetups(ingest: Ingest, tenant: EnvironmentTenant): Promise<void> {
  await ingest.receive(tenant, Buffer.alloc(0), 'protobuf')
}

test('matches again when setups have changed: one that came, one that went', async () => {
  const between: (() => Promise<unknown>)[] = []
  const { ingest, storage, tenant, told } = await openIngest({
    async admitSpans(admit, owner, batch) {
      await between.shift()?.()
      return admit(owner, batch)
    },
  })
  await readSetups(ingest, tenant)
  between.push(() => create(storage, tenant, 'came', openai))
  await ingest.receive(tenant, encodeSpans(span(1), span(2, {})), 'protobuf')
  const [came] = (await storage.readCatalogue(tenant)).current
  assert.ok(came)
  assert.deepEqual(told.matches, [{ [came.setupVersion]: [0] }])

  between.push(() => storage.deleteSetup(tenant, 'came', AT_MS))
  await ingest.receive(tenant, encodeSpans(span(3)), 'protobuf')
  assert.deepEqual(told.matches[1], {})
  assert.equal(told.counts.stale, 2)
  // All of them once, then what had changed.
  assert.deepEqual(told.catalogueReads, [undefined, 0, 1])
})

test('a span that was left out stays out when its batch is matched again', async () => {
  let isFirst = true
  const { ingest, storage, tenant, told } = await openIngest({
    async admitSpans(admit, owner, batch) {
      if (isFirst) await create(storage, tenant, 'came', openai)
      isFirst = false
      return admit(owner, batch)
    },
  })
  await readSetups(ingest, tenant)
  await ingest.receive(tenant, encodeSpans({}, span(1, {}), {}, span(2), span(3)), 'protobuf')
  assert.deepEqual(Object.values(told.matches[0] ?? {}), [[1, 2]])
  assert.deepEqual((await storedSpans(storage, tenant)).batches[0]?.knownFaults, [0, 2])
})

test('matches at most twice, however fast setups change, with the setups of one moment after the arrival', async () => {
  let offered = 0
  const { ingest, storage, tenant, told } = await openIngest({
    async admitSpans(admit, owner, batch) {
      await create(storage, tenant, `setup ${++offered}`, openai)
      return admit(owner, batch)
    },
  })
  await readSetups(ingest, tenant)
  await ingest.receive(tenant, encodeSpans(span(1)), 'protobuf')
  assert.equal(offered, 2)
  const [first] = (await storage.readCatalogue(tenant)).current
  assert.ok(first)
  // The second setup was made after the setups had been read, and so after the span.
  assert.deepEqual(told.matches, [{ [first.setupVersion]: [0] }])
})

test('a reading that began before the spans arrived does not count as one after it', async () => {
  const reads: { readonly release: () => void }[] = []
  const { ingest, storage, tenant, told } = await openIngest({
    async readCatalogue(read) {
      const change = await read()
      // The first reading is over at once; later ones have read, and wait before they tell.
      if (reads.length === 0) reads.push({ release() {} })
      else {
        const held = Promise.withResolvers<void>()
        reads.push({ release: held.resolve })
        await held.promise
      }
      return change
    },
  })
  const untilReads = (count: number) => eventually(async () => reads.length >= count, `${count} readings`)
  await ingest.receive(tenant, encodeSpans(span(1)), 'protobuf')
  await create(storage, tenant, 'first', openai)
  const early = ingest.receive(tenant, encodeSpans(span(2)), 'protobuf')
  await untilReads(2)
  // Made after that reading and before the next span, which therefore must see it.
  await create(storage, tenant, 'second', openai)
  const late = ingest.receive(tenant, encodeSpans(span(3)), 'protobuf')
  await eventually(async () => told.counts.stale === 2, 'both requests are stale')
  reads[1]?.release()
  await untilReads(3)
  reads[2]?.release()
  await Promise.all([early, late])
  const versions = (await storage.readCatalogue(tenant)).current.map(({ setupVersion }) => setupVersion)
  assert.equal(versions.length, 2)
  assert.ok(told.matches.some((matches) => Object.keys(matches).length === 2))
  assert.equal(told.matches.length, 3)
})

test('matches the spans of an environment with the setups of that environment only', async () => {
  const { ingest, storage, tenant, told } = await openIngest()
  const staging = { ...tenant, envProjectId: 'staging' }
  await storage.createEnvironment(tenant, { envProjectId: 'staging', slug: 'stg' }, AT_MS)
  await create(storage, tenant, 'in prd', openai)
  await create(storage, staging, 'in stg', openai)
  const { current } = await storage.readCatalogue(tenant)
  const versionIn = (envProjectId: string) =>
    current.find((setup) => setup.envProjectId === envProjectId)?.setupVersion ?? assert.fail()
  await ingest.receive(tenant, encodeSpans(span(1)), 'protobuf')
  await ingest.receive(staging, encodeSpans(span(2)), 'protobuf')
  assert.deepEqual(told.matches, [{ [versionIn(tenant.envProjectId)]: [0] }, { [versionIn('staging')]: [0] }])
})

test('requests of one project that come at once share one reading of its setups', async () => {
  const { ingest, storage, tenant, told } = await openIngest()
  await create(storage, tenant, 'a', openai)
  await Promise.all(
    Array.from({ length: 20 }, (_, at) => ingest.receive(tenant, encodeSpans(span(at)), 'protobuf')),
  )
  assert.deepEqual(told.catalogueReads, [undefined])
  assert.equal(told.matches.length, 20)
  for (const matches of told.matches) assert.deepEqual(Object.values(matches), [[0]])
})

test('a change is read once, however many requests it makes stale, at once or later', async () => {
  const REQUESTS = 20
  const firstGoes = Promise.withResolvers<void>()
  const restGo = Promise.withResolvers<void>()
  const allWait = Promise.withResolvers<void>()
  let offered = 0
  const { ingest, storage, tenant, told } = await openIngest({
    async admitSpans(admit, owner, batch) {
      offered++
      if (offered === REQUESTS) allWait.resolve()
      if (offered <= REQUESTS) await (offered === 1 ? firstGoes : restGo).promise
      return admit(owner, batch)
    },
  })
  const [first, ...rest] = Array.from({ length: REQUESTS }, (_, at) =>
    ingest.receive(tenant, encodeSpans(span(at)), 'protobuf'),
  )
  await allWait.promise
  await create(storage, tenant, 'a', openai)
  firstGoes.resolve()
  await first
  restGo.resolve()
  await Promise.all(rest)
  assert.equal(told.counts.stale, REQUESTS)
  assert.deepEqual(told.catalogueReads, [undefined, 0])
})

test('lets go of the setups that were not needed for longest, and reads them again when they are', async () => {
  const { ingest, storage, tenant, told } = await openIngest({ limits: { setupsMax: 2 } })
  const others = [await createTenant(storage, 'two'), await createTenant(storage, 'three')]
  for (const owner of [tenant, ...others]) await create(storage, owner, 'a', openai)
  let at = 0
  const send = (owner: typeof tenant) => ingest.receive(owner, encodeSpans(span(++at)), 'protobuf')
  const [two, three] = others
  assert.ok(two && three)
  for (const owner of [tenant, two, tenant, three]) await send(owner)
  assert.equal(told.catalogueReads.length, 3)
  await send(tenant)
  assert.equal(told.catalogueReads.length, 3, 'the one that was in use is still there')
  await send(two)
  assert.equal(told.catalogueReads.length, 4, 'the one that was not had to go')
  assert.ok(told.catalogueReads.every((since) => since === undefined))
  for (const matches of told.matches) assert.deepEqual(Object.values(matches), [[0]])
})
