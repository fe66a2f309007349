import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { AT_MS, charCount, create, rule, tenantScope } from '../../../tests/contract/contract-fixtures.ts'
import { encodeSpans, type TestSpan, testId } from '../../../tests/otlp/encode-traces.ts'
import { openIngest } from '../../../tests/support/ingest-fixture.ts'
import { eventually } from '../../../tests/support/spans.ts'
import type { EnvironmentScope, ProjectScope } from '../../domain/tenant.ts'
import { unpackSpans } from '../../lib/otlp/stored-spans.ts'
import { startThread } from '../../lib/threads/start-thread.ts'
import type { Storage } from '../../ports/storage.ts'
import type { Ingest } from './ingest.ts'

const openai = { evaluators: [charCount], selector: [rule] }

function span(at: number, attributes: TestSpan['attributes'] = { 'gen_ai.system': 'openai' }): TestSpan {
  const startUnixNano = 1_700_000_000_999_999_999n
  return { traceId: testId(16, at), spanId: testId(8, at), startUnixNano, attributes }
}

function jsonSpans(...ats: number[]): Buffer {
  const spans = ats.map((at) => ({
    traceId: testId(16, at).toString('hex'),
    spanId: testId(8, at).toString('hex'),
    startTimeUnixNano: '1700000000999999999',
  }))
  // The fault makes it a span that JSON cannot turn into protobuf at all.
  spans.splice(1, 0, { traceId: 'no hex', spanId: '', startTimeUnixNano: '' })
  return Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }))
}

const WHOLE_DAY = { fromSecond: 1_700_000_000, toSecond: 1_700_086_400, isDescending: false, limit: 100 }

async function storedSpans(storage: Storage, scope: ProjectScope) {
  const refs = await storage.listSpanRefs(scope, WHOLE_DAY)
  const batches = await storage.readBatches(scope, [...new Set(refs.map(({ batchId }) => batchId))])
  const unpacked = new Map(
    await Promise.all(batches.map(async (batch) => [batch.batchId, await unpackSpans(batch)] as const)),
  )
  return {
    batches,
    spanIds: refs.map(({ batchId, ordinal, spanId, second }) => {
      assert.equal(unpacked.get(batchId)?.[ordinal]?.spanId, spanId)
      assert.equal(second, 1_700_000_000)
      return spanId
    }),
  }
}

const hexIds = (...ats: number[]) => ats.map((at) => testId(8, at).toString('hex'))

/** A promise that a test resolves when it wants. */
function gate() {
  return Promise.withResolvers<void>()
}

/**
 * Lets the thread read setups, so that it has some that may be old. A request of no bytes says nothing about the time that bytes
 * take, so the next request goes to the same thread, however slow this one was.
 */
async function readSetups(ingest: Ingest, scope: EnvironmentScope): Promise<void> {
  await ingest.receive(scope, Buffer.alloc(0), 'protobuf')
}

test('gives back the memory of a batch once it is stored, and not before', async () => {
  const seen: Uint8Array[] = []
  const { ingest, scope } = await openIngest({
    admitSpans(admit, to, batch) {
      assert.ok(batch.bytes.length > Buffer.poolSize)
      seen.push(batch.bytes)
      // Offered twice, so that it is still needed after the first time.
      return seen.length === 1 ? Promise.resolve('stale') : admit(to, batch)
    },
  })
  const noise = randomBytes(100_000).toString('base64')
  await ingest.receive(scope, encodeSpans(span(1, { 'gen_ai.prompt.0.content': noise })), 'protobuf')
  assert.equal(seen.length, 2)
  assert.equal(seen.at(-1)?.length, 0)
})

test('stores the accepted spans of both encodings, and reads them again in the same places', async () => {
  const { ingest, storage, scope, told } = await openIngest()
  const protobuf = await ingest.receive(scope, encodeSpans(span(1), {}, span(2)), 'protobuf')
  assert.deepEqual(protobuf, {
    acceptedSpans: 2,
    rejectedSpans: 1,
    errorMessage: '1 of 3 spans rejected: span 1: trace id is 0 bytes long, not 16',
  })
  const json = await ingest.receive(scope, jsonSpans(3, 4), 'json')
  assert.deepEqual(json, {
    acceptedSpans: 2,
    rejectedSpans: 1,
    errorMessage: '1 of 3 spans rejected: span 1: traceId must be hex digits',
  })
  const { batches, spanIds } = await storedSpans(storage, scope)
  assert.deepEqual(spanIds, hexIds(1, 2, 3, 4))
  for (const batch of batches) {
    assert.deepEqual(batch.knownFaults, [1])
    assert.equal(batch.receivedAtMs, AT_MS)
    assert.equal(batch.envProjectId, scope.envProjectId)
  }
  assert.deepEqual(told.counts, { accepted: 4, rejected: 2, batches: 2, stale: 0 })
  assert.deepEqual(
    told.admissions.map(({ newSpans }) => newSpans),
    [2, 2],
  )
})

test('answers after the commit and not before', async () => {
  const committed = gate()
  const { ingest, scope } = await openIngest({
    async admitSpans(admit, owner, batch) {
      const admission = await admit(owner, batch)
      await committed.promise
      return admission
    },
  })
  let isAnswered = false
  const answer = ingest.receive(scope, encodeSpans(span(1)), 'protobuf').then(() => {
    isAnswered = true
  })
  // By now a second request has gone the whole way but the commit.
  const second = ingest.receive(scope, Buffer.from('{'), 'json')
  await assert.rejects(second, { kind: 'invalid_input' })
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(isAnswered, false)
  committed.resolve()
  await answer
})

test('stores nothing for a request without spans, or with none that can be kept', async () => {
  const { ingest, storage, scope, told } = await openIngest()
  assert.deepEqual(await ingest.receive(scope, Buffer.alloc(0), 'protobuf'), {
    acceptedSpans: 0,
    rejectedSpans: 0,
  })
  assert.equal((await ingest.receive(scope, Buffer.from('{}'), 'json')).acceptedSpans, 0)
  assert.equal((await ingest.receive(scope, encodeSpans({}, {}), 'protobuf')).rejectedSpans, 2)
  assert.deepEqual(told.admissions, [])
  assert.deepEqual((await storedSpans(storage, scope)).spanIds, [])
})

test('refuses a body that cannot be read, and stores nothing of it', async () => {
  const { ingest, scope, told } = await openIngest()
  const broken = encodeSpans(span(1)).subarray(0, -1)
  await assert.rejects(ingest.receive(scope, broken, 'protobuf'), { kind: 'invalid_input' })
  await assert.rejects(ingest.receive(scope, Buffer.from('[1]'), 'json'), { kind: 'invalid_input' })
  assert.deepEqual(told.admissions, [])
})

test('takes the same batch again and again, and new spans only once', async () => {
  const { ingest, scope, told } = await openIngest()
  for (let time = 0; time < 5; time++) {
    const answer = await ingest.receive(scope, encodeSpans(span(1), span(2)), 'protobuf')
    assert.equal(answer.acceptedSpans, 2)
  }
  assert.deepEqual(
    told.admissions.map(({ newSpans }) => newSpans),
    [2, 0, 0, 0, 0],
  )
})

test('matches again when setups have changed: one that came, one that went', async () => {
  const between: (() => Promise<unknown>)[] = []
  const { ingest, storage, scope, told } = await openIngest({
    async admitSpans(admit, owner, batch) {
      await between.shift()?.()
      return admit(owner, batch)
    },
  })
  await readSetups(ingest, scope)
  between.push(() => create(storage, scope, 'came', openai))
  await ingest.receive(scope, encodeSpans(span(1), span(2, {})), 'protobuf')
  const [came] = (await storage.readCatalogue(scope)).current
  assert.ok(came)
  assert.deepEqual(told.matches, [{ [came.setupVersion]: [0] }])

  between.push(() => storage.deleteSetup(scope, 'came', AT_MS))
  await ingest.receive(scope, encodeSpans(span(3)), 'protobuf')
  assert.deepEqual(told.matches[1], {})
  assert.equal(told.counts.stale, 2)
  // All of them once, then what had changed.
  assert.deepEqual(told.catalogueReads, [undefined, 0, 1])
})

test('a span that was left out stays out when its batch is matched again', async () => {
  let isFirst = true
  const { ingest, storage, scope, told } = await openIngest({
    async admitSpans(admit, owner, batch) {
      if (isFirst) await create(storage, scope, 'came', openai)
      isFirst = false
      return admit(owner, batch)
    },
  })
  await readSetups(ingest, scope)
  await ingest.receive(scope, encodeSpans({}, span(1, {}), {}, span(2), span(3)), 'protobuf')
  assert.deepEqual(Object.values(told.matches[0] ?? {}), [[1, 2]])
  assert.deepEqual((await storedSpans(storage, scope)).batches[0]?.knownFaults, [0, 2])
})

test('matches at most twice, however fast setups change, with the setups of one moment after the arrival', async () => {
  let offered = 0
  const { ingest, storage, scope, told } = await openIngest({
    async admitSpans(admit, owner, batch) {
      await create(storage, scope, `setup ${++offered}`, openai)
      return admit(owner, batch)
    },
  })
  await readSetups(ingest, scope)
  await ingest.receive(scope, encodeSpans(span(1)), 'protobuf')
  assert.equal(offered, 2)
  const [first] = (await storage.readCatalogue(scope)).current
  assert.ok(first)
  // The second setup was made after the setups had been read, and so after the span.
  assert.deepEqual(told.matches, [{ [first.setupVersion]: [0] }])
})

test('a reading that began before the spans arrived does not count as one after it', async () => {
  const reads: { readonly release: () => void }[] = []
  const { ingest, storage, scope, told } = await openIngest({
    async readCatalogue(read) {
      const change = await read()
      // The first reading is over at once; later ones have read, and wait before they tell.
      if (reads.length === 0) reads.push({ release() {} })
      else {
        const held = gate()
        reads.push({ release: held.resolve })
        await held.promise
      }
      return change
    },
  })
  const untilReads = (count: number) => eventually(async () => reads.length >= count, `${count} readings`)
  await ingest.receive(scope, encodeSpans(span(1)), 'protobuf')
  await create(storage, scope, 'first', openai)
  const early = ingest.receive(scope, encodeSpans(span(2)), 'protobuf')
  await untilReads(2)
  // Made after that reading and before the next span, which therefore must see it.
  await create(storage, scope, 'second', openai)
  const late = ingest.receive(scope, encodeSpans(span(3)), 'protobuf')
  await eventually(async () => told.counts.stale === 2, 'both requests are stale')
  reads[1]?.release()
  await untilReads(3)
  reads[2]?.release()
  await Promise.all([early, late])
  const versions = (await storage.readCatalogue(scope)).current.map(({ setupVersion }) => setupVersion)
  assert.equal(versions.length, 2)
  assert.ok(told.matches.some((matches) => Object.keys(matches).length === 2))
  assert.equal(told.matches.length, 3)
})

test('matches the spans of an environment with the setups of that environment only', async () => {
  const { ingest, storage, scope, told } = await openIngest()
  const staging = { ...scope, envProjectId: 'staging' }
  await storage.createEnvironment(scope, { envProjectId: 'staging', slug: 'stg' }, AT_MS)
  await create(storage, scope, 'in prd', openai)
  await create(storage, staging, 'in stg', openai)
  const { current } = await storage.readCatalogue(scope)
  const versionIn = (envProjectId: string) =>
    current.find((setup) => setup.envProjectId === envProjectId)?.setupVersion ?? assert.fail()
  await ingest.receive(scope, encodeSpans(span(1)), 'protobuf')
  await ingest.receive(staging, encodeSpans(span(2)), 'protobuf')
  assert.deepEqual(told.matches, [{ [versionIn(scope.envProjectId)]: [0] }, { [versionIn('staging')]: [0] }])
})

test('requests of one project that come at once share one reading of its setups', async () => {
  const { ingest, storage, scope, told } = await openIngest()
  await create(storage, scope, 'a', openai)
  await Promise.all(
    Array.from({ length: 20 }, (_, at) => ingest.receive(scope, encodeSpans(span(at)), 'protobuf')),
  )
  assert.deepEqual(told.catalogueReads, [undefined])
  assert.equal(told.matches.length, 20)
  for (const matches of told.matches) assert.deepEqual(Object.values(matches), [[0]])
})

test('a change is read once, however many requests it makes stale, at once or later', async () => {
  const REQUESTS = 20
  const firstGoes = gate()
  const restGo = gate()
  const allWait = gate()
  let offered = 0
  const { ingest, storage, scope, told } = await openIngest({
    async admitSpans(admit, owner, batch) {
      offered++
      if (offered === REQUESTS) allWait.resolve()
      if (offered <= REQUESTS) await (offered === 1 ? firstGoes : restGo).promise
      return admit(owner, batch)
    },
  })
  const [first, ...rest] = Array.from({ length: REQUESTS }, (_, at) =>
    ingest.receive(scope, encodeSpans(span(at)), 'protobuf'),
  )
  await allWait.promise
  await create(storage, scope, 'a', openai)
  firstGoes.resolve()
  await first
  restGo.resolve()
  await Promise.all(rest)
  assert.equal(told.counts.stale, REQUESTS)
  assert.deepEqual(told.catalogueReads, [undefined, 0])
})

test('refuses more requests and more bytes than may be under way, and takes them again afterwards', async () => {
  const held = gate()
  const { ingest, scope } = await openIngest({
    limits: { requestsMax: 3, bytesMax: 10_000 },
    async admitSpans(admit, owner, batch) {
      await held.promise
      return admit(owner, batch)
    },
  })
  const send = (at: number, text = '') => ingest.receive(scope, encodeSpans(span(at, { text })), 'protobuf')
  const first = send(1)
  await assert.rejects(send(2, 'x'.repeat(10_000)), { kind: 'overloaded' })
  const more = [send(3), send(4)]
  await assert.rejects(send(5), { kind: 'overloaded' })
  held.resolve()
  await Promise.all([first, ...more])
  await send(6, 'x'.repeat(10_000))
  await Promise.all([send(7, 'x'.repeat(4_000)), send(8, 'x'.repeat(4_000))])
})

test('a store that fails is told as unavailable, and in the log with its cause', async () => {
  const { ingest, scope, told } = await openIngest({
    admitSpans: () => Promise.reject(new Error('disk is full')),
  })
  await assert.rejects(ingest.receive(scope, encodeSpans(span(1)), 'protobuf'), { kind: 'unavailable' })
  assert.ok(told.logLines.some((line) => line.includes('disk is full')))
  await assert.rejects(ingest.receive({ ...scope, projectId: 'gone' }, encodeSpans(span(1)), 'protobuf'), {
    kind: 'unavailable',
  })
})

test('lets go of the setups that were not needed for longest, and reads them again when they are', async () => {
  const { ingest, storage, scope, told } = await openIngest({ limits: { setupsMax: 2 } })
  const others = [await tenantScope(storage, 'two'), await tenantScope(storage, 'three')]
  for (const owner of [scope, ...others]) await create(storage, owner, 'a', openai)
  let at = 0
  const send = (owner: typeof scope) => ingest.receive(owner, encodeSpans(span(++at)), 'protobuf')
  const [two, three] = others
  assert.ok(two && three)
  for (const owner of [scope, two, scope, three]) await send(owner)
  assert.equal(told.catalogueReads.length, 3)
  await send(scope)
  assert.equal(told.catalogueReads.length, 3, 'the one that was in use is still there')
  await send(two)
  assert.equal(told.catalogueReads.length, 4, 'the one that was not had to go')
  assert.ok(told.catalogueReads.every((since) => since === undefined))
  for (const matches of told.matches) assert.deepEqual(Object.values(matches), [[0]])
})

test('a thread that ends takes only the requests in it along, which can be tried again', async () => {
  let started = 0
  const { ingest, scope, told } = await openIngest({
    startThread: (...args) =>
      ++started === 1 ? new Worker(threadSource('process.exit(1)'), { eval: true }) : startThread(...args),
  })
  const lost = await Promise.allSettled(
    [1, 2, 3].map((at) => ingest.receive(scope, encodeSpans(span(at)), 'protobuf')),
  )
  for (const outcome of lost)
    assert.equal(outcome.status === 'rejected' && outcome.reason.kind, 'unavailable')
  assert.equal((await ingest.receive(scope, encodeSpans(span(4)), 'protobuf')).acceptedSpans, 1)
  assert.equal(started, 2)
  assert.equal(told.counts.batches, 1)
})

test('a request that takes too long is given up with its thread', async () => {
  let started = 0
  const { ingest, scope } = await openIngest({
    limits: { callMsMax: 300 },
    startThread: (...args) =>
      ++started === 1 ? new Worker(threadSource('for (;;) {}'), { eval: true }) : startThread(...args),
  })
  const [first, second] = await Promise.allSettled(
    [1, 2].map((at) => ingest.receive(scope, encodeSpans(span(at)), 'protobuf')),
  )
  assert.equal(first?.status === 'rejected' && first.reason.kind, 'deadline')
  assert.equal(second?.status === 'rejected' && second.reason.kind, 'unavailable')
})

test('a request that needs too much memory is refused for good, and the next one is taken', async () => {
  let started = 0
  const { ingest, scope } = await openIngest({
    startThread: (...args) => (++started === 1 ? greedyThread() : startThread(...args)),
  })
  const [first, second] = await Promise.allSettled(
    [1, 2].map((at) => ingest.receive(scope, encodeSpans(span(at)), 'protobuf')),
  )
  assert.equal(first?.status === 'rejected' && first.reason.kind, 'too_large')
  assert.equal(second?.status === 'rejected' && second.reason.kind, 'unavailable')
  assert.equal((await ingest.receive(scope, encodeSpans(span(1)), 'protobuf')).acceptedSpans, 1)
})

function greedyThread(): Worker {
  const eat = 'const all = []; for (;;) all.push(new Array(1e5).fill(Math.random()))'
  return new Worker(threadSource(eat), { eval: true, resourceLimits: { maxOldGenerationSizeMb: 32 } })
}

/** A thread that takes setups and does something else with spans. */
function threadSource(withSpans: string): string {
  return `const { parentPort } = require('node:worker_threads')
    parentPort.on('message', ({ id, name }) => {
      if (name === 'pack') { ${withSpans} }
      parentPort.postMessage({ id, value: 0 })
    })`
}

test('closing waits for what is under way and refuses what comes later', async () => {
  const held = gate()
  const { ingest, scope, told } = await openIngest({
    async admitSpans(admit, owner, batch) {
      await held.promise
      return admit(owner, batch)
    },
  })
  const underWay = ingest.receive(scope, encodeSpans(span(1)), 'protobuf')
  const closing = ingest.close()
  await assert.rejects(ingest.receive(scope, encodeSpans(span(2)), 'protobuf'), { kind: 'unavailable' })
  held.resolve()
  assert.equal((await underWay).acceptedSpans, 1)
  await closing
  assert.equal(told.counts.batches, 1)
})
