import assert from 'node:assert/strict'
import { test } from 'node:test'
import { zstdCompressSync } from 'node:zlib'
import { encodeSpans } from '../../tests/otlp/encode-traces.ts'
import { chatSpan } from '../../tests/support/spans.ts'
import type { SpanRange, SpanRef, StoredBatch } from '../ports/span-storage.ts'
import { sampleSpans } from './sample-spans.ts'

const SCOPE = { orgId: 'org', projectId: 'project', envProjectId: 'own' }
const LIMITS = { spansMax: 10, examinedMax: 3_000, bytesMax: 1_000 }

/** A store of batches with one span each, newest first; `envOf` tells where each belongs. */
function storeOf(count: number, byteLength: number, envOf: (batchId: number) => string) {
  const packed = encodeSpans(chatSpan('one'))
  const bytes = zstdCompressSync(packed)
  const read: number[] = []
  return {
    read,
    async listSpanRefs(_scope: unknown, { after, limit }: SpanRange): Promise<SpanRef[]> {
      const first = after ? Number(after.spanId) + 1 : 0
      return Array.from({ length: Math.min(limit, count - first) }, (_, at) => ({
        ...{ second: 0, traceId: '', spanId: String(first + at), batchId: first + at, ordinal: 0 },
      }))
    },
    async readBatches(_scope: unknown, batchIds: readonly number[]): Promise<StoredBatch[]> {
      read.push(...batchIds)
      const rest = {
        receivedAtMs: 0,
        bytes,
        byteLength: Math.max(byteLength, packed.length),
        knownFaults: [],
      }
      return batchIds.map((batchId) => ({ batchId, envProjectId: envOf(batchId), ...rest }))
    },
  }
}

async function sampled(store: ReturnType<typeof storeOf>, limits: Partial<typeof LIMITS> = {}) {
  let spans = 0
  await sampleSpans(store, SCOPE, { ...LIMITS, ...limits }, () => spans++)
  return spans
}

test('it ends with the spans it may look at', async () => {
  const store = storeOf(100, 0, () => 'own')
  assert.equal(await sampled(store, { bytesMax: 1_000_000 }), 10)
  assert.ok(store.read.length <= 16)
})

test('it ends with the bytes it may unpack, and unpacks one batch at least', async () => {
  assert.equal(
    await sampled(
      storeOf(100, 300_000, () => 'own'),
      { bytesMax: 1_000_000 },
    ),
    4,
  )
  assert.equal(
    await sampled(
      storeOf(100, 300_000, () => 'own'),
      { bytesMax: 1 },
    ),
    1,
  )
})

test('it looks past the spans of other environments, but not for ever', async () => {
  const limits = { bytesMax: 100_000_000 }
  assert.equal(
    await sampled(
      storeOf(2_500, 0, (id) => (id < 2_400 ? 'other' : 'own')),
      limits,
    ),
    10,
  )
  const others = storeOf(100_000, 0, () => 'other')
  assert.equal(await sampled(others, limits), 0)
  assert.equal(others.read.length, 3_000)
})

test('it ends when there is nothing more', async () => {
  assert.equal(await sampled(storeOf(0, 0, () => 'own')), 0)
  assert.equal(
    await sampled(
      storeOf(3, 0, () => 'own'),
      { bytesMax: 1_000_000 },
    ),
    3,
  )
})
