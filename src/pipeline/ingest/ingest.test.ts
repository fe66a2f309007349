import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { AT_MS } from '../../../tests/contract/contract-fixtures.ts'
import { encodeSpans, testId } from '../../../tests/otlp/encode-traces.ts'
import { openIngest, span, storedSpans } from '../../../tests/support/ingest-fixture.ts'
import { startThread } from '../../lib/threads/start-thread.ts'

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

const hexIds = (...ats: number[]) => ats.map((at) => testId(8, at).toString('hex'))

test('gives back the memory of a batch once it is stored, and not before', async () => {
  const seen: Uint8Array[] = []
  const { ingest, tenant } = await openIngest({
    admitSpans(admit, to, batch) {
      assert.ok(batch.bytes.length > Buffer.poolSize)
      seen.push(batch.bytes)
      // Offered twice, so that it is still needed after the first time.
      return seen.length === 1 ? Promise.resolve('stale') : admit(to, batch)
    },
  })
  const noise = randomBytes(100_000).toString('base64')
  await ingest.receive(tenant, encodeSpans(span(1, { 'gen_ai.prompt.0.content': noise })), 'protobuf')
  assert.equal(seen.length, 2)
  assert.equal(seen.at(-1)?.length, 0)
})

test('stores the accepted spans of both encodings, and reads them again in the same places', async () => {
  const { ingest, storage, tenant, told } = await openIngest()
  const protobuf = await ingest.receive(tenant, encodeSpans(span(1), {}, span(2)), 'protobuf')
  assert.deepEqual(protobuf, {
    acceptedSpans: 2,
    rejectedSpans: 1,
    errorMessage: '1 of 3 spans rejected: span 1: trace id is 0 bytes long, not 16',
  })
  const json = await ingest.receive(tenant, jsonSpans(3, 4), 'json')
  assert.deepEqual(json, {
    acceptedSpans: 2,
    rejectedSpans: 1,
    errorMessage: '1 of 3 spans rejected: span 1: traceId must be hex digits',
  })
  const { batches, spanIds } = await storedSpans(storage, tenant)
  assert.deepEqual(spanIds, hexIds(1, 2, 3, 4))
  for (const batch of batches) {
    assert.deepEqual(batch.knownFaults, [1])
    assert.equal(batch.receivedAtMs, AT_MS)
    assert.equal(batch.envProjectId, tenant.envProjectId)
  }
  assert.deepEqual(told.counts, { accepted: 4, rejected: 2, batches: 2, stale: 0 })
  assert.deepEqual(
    told.admissions.map(({ newSpans }) => newSpans),
    [2, 2],
  )
})

test('answers after the commit and not before', async () => {
  const committed = Promise.withResolvers<void>()
  const { ingest, tenant } = await openIngest({
    async admitSpans(admit, owner, batch) {
      const admission = await admit(owner, batch)
      await committed.promise
      return admission
    },
  })
  let isAnswered = false
  const answer = ingest.receive(tenant, encodeSpans(span(1)), 'protobuf').then(() => {
    isAnswered = true
  })
  // By now a second request has gone the whole way but the commit.
  const second = ingest.receive(tenant, Buffer.from('{'), 'json')
  await assert.rejects(second, { kind: 'invalid_input' })
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(isAnswered, false)
  committed.resolve()
  await answer
})

test('stores nothing for a request without spans, or with none that can be kept', async () => {
  const { ingest, storage, tenant, told } = await openIngest()
  assert.deepEqual(await ingest.receive(tenant, Buffer.alloc(0), 'protobuf'), {
    acceptedSpans: 0,
    rejectedSpans: 0,
  })
  assert.equal((await ingest.receive(tenant, Buffer.from('{}'), 'json')).acceptedSpans, 0)
  assert.equal((await ingest.receive(tenant, encodeSpans({}, {}), 'protobuf')).rejectedSpans, 2)
  assert.deepEqual(told.admissions, [])
  assert.deepEqual((await storedSpans(storage, tenant)).spanIds, [])
})

test('refuses a body that cannot be read, and stores nothing of it', async () => {
  const { ingest, tenant, told } = await openIngest()
  const broken = encodeSpans(span(1)).subarray(0, -1)
  await assert.rejects(ingest.receive(tenant, broken, 'protobuf'), { kind: 'invalid_input' })
  await assert.rejects(ingest.receive(tenant, Buffer.from('[1]'), 'json'), { kind: 'invalid_input' })
  assert.deepEqual(told.admissions, [])
})

test('takes the same batch again and again, and new spans only once', async () => {
  const { ingest, tenant, told } = await openIngest()
  for (let time = 0; time < 5; time++) {
    const answer = await ingest.receive(tenant, encodeSpans(span(1), span(2)), 'protobuf')
    assert.equal(answer.acceptedSpans, 2)
  }
  assert.deepEqual(
    told.admissions.map(({ newSpans }) => newSpans),
    [2, 0, 0, 0, 0],
  )
})

test('refuses more requests and more bytes than may be under way, and takes them again afterwards', async () => {
  const held = Promise.withResolvers<void>()
  const { ingest, tenant } = await openIngest({
    limits: { requestsMax: 3, bytesMax: 10_000 },
    async admitSpans(admit, owner, batch) {
      await held.promise
      return admit(owner, batch)
    },
  })
  const send = (at: number, text = '') => ingest.receive(tenant, encodeSpans(span(at, { text })), 'protobuf')
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
  const { ingest, tenant, told } = await openIngest({
    admitSpans: () => Promise.reject(new Error('disk is full')),
  })
  await assert.rejects(ingest.receive(tenant, encodeSpans(span(1)), 'protobuf'), { kind: 'unavailable' })
  assert.ok(told.logLines.some((line) => line.includes('disk is full')))
  await assert.rejects(ingest.receive({ ...tenant, projectId: 'gone' }, encodeSpans(span(1)), 'protobuf'), {
    kind: 'unavailable',
  })
})

test('a thread that ends takes only the requests in it along, which can be tried again', async () => {
  let started = 0
  const { ingest, tenant, told } = await openIngest({
    startThread: (...args) =>
      ++started === 1 ? new Worker(threadSource('process.exit(1)'), { eval: true }) : startThread(...args),
  })
  const lost = await Promise.allSettled(
    [1, 2, 3].map((at) => ingest.receive(tenant, encodeSpans(span(at)), 'protobuf')),
  )
  for (const outcome of lost)
    assert.equal(outcome.status === 'rejected' && outcome.reason.kind, 'unavailable')
  assert.equal((await ingest.receive(tenant, encodeSpans(span(4)), 'protobuf')).acceptedSpans, 1)
  assert.equal(started, 2)
  assert.equal(told.counts.batches, 1)
})

test('a request that takes too long is given up with its thread', async () => {
  let started = 0
  const { ingest, tenant } = await openIngest({
    limits: { callMsMax: 300 },
    startThread: (...args) =>
      ++started === 1 ? new Worker(threadSource('for (;;) {}'), { eval: true }) : startThread(...args),
  })
  const [first, second] = await Promise.allSettled(
    [1, 2].map((at) => ingest.receive(tenant, encodeSpans(span(at)), 'protobuf')),
  )
  assert.equal(first?.status === 'rejected' && first.reason.kind, 'deadline')
  assert.equal(second?.status === 'rejected' && second.reason.kind, 'unavailable')
})

test('a request that needs too much memory is refused for good, and the next one is taken', async () => {
  let started = 0
  const { ingest, tenant } = await openIngest({
    startThread: (...args) => (++started === 1 ? greedyThread() : startThread(...args)),
  })
  const [first, second] = await Promise.allSettled(
    [1, 2].map((at) => ingest.receive(tenant, encodeSpans(span(at)), 'protobuf')),
  )
  assert.equal(first?.status === 'rejected' && first.reason.kind, 'too_large')
  assert.equal(second?.status === 'rejected' && second.reason.kind, 'unavailable')
  assert.equal((await ingest.receive(tenant, encodeSpans(span(1)), 'protobuf')).acceptedSpans, 1)
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
  const held = Promise.withResolvers<void>()
  const { ingest, tenant, told } = await openIngest({
    async admitSpans(admit, owner, batch) {
      await held.promise
      return admit(owner, batch)
    },
  })
  const underWay = ingest.receive(tenant, encodeSpans(span(1)), 'protobuf')
  const closing = ingest.close()
  await assert.rejects(ingest.receive(tenant, encodeSpans(span(2)), 'protobuf'), { kind: 'unavailable' })
  held.resolve()
  assert.equal((await underWay).acceptedSpans, 1)
  await closing
  assert.equal(told.counts.batches, 1)
})
