import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AT_MS, charCount } from '../../../tests/contract/contract-fixtures.ts'
import { bindSetup, score } from '../../../tests/contract/result-fixtures.ts'
import { encodeSpans, testId } from '../../../tests/otlp/encode-traces.ts'
import { openIngest } from '../../../tests/support/ingest-fixture.ts'
import { digestSpans } from '../../domain/digest-spans.ts'
import { unpackSpansSync } from '../../lib/otlp/stored-spans.ts'
import { explainSpan } from './explain-span.ts'
import { findSpan } from './find-span.ts'

const HOUR_MS = 3_600_000
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const idsOf = (number: number) => ({ traceId: hex(testId(16, 1)), spanId: hex(testId(8, number)) })
const spanOf = (number: number) => ({ traceId: testId(16, 1), spanId: testId(8, number) })

type Opened = Awaited<ReturnType<typeof openIngest>>

async function digestAll({ storage }: Opened): Promise<void> {
  const { after, batches } = await storage.digest.readUndigested(10)
  const digests = batches.map((batch) =>
    digestSpans(batch.batchId, unpackSpansSync(batch), new Set(batch.repeated)),
  )
  assert.ok(await storage.digest.recordDigests(after, digests, 0))
}

test('finds a span before and after its batch was summed up, and not another one', async () => {
  const opened = await openIngest()
  const { ingest, storage, tenant } = opened
  await ingest.receive(tenant, encodeSpans(spanOf(1), spanOf(2)), 'protobuf')
  const find = (number: number) => findSpan(storage, tenant, idsOf(1).traceId, idsOf(number).spanId)
  const place = async (number: number) => {
    const found = await find(number)
    return [found?.batchId, found?.ordinal]
  }
  const first = await find(2)
  assert.equal(first?.ordinal, 1)
  // The second request brings a span again, and another one.
  await ingest.receive(tenant, encodeSpans(spanOf(2), spanOf(3)), 'protobuf')
  assert.deepEqual(await place(2), [first.batchId, 1])
  assert.deepEqual(await place(3), [first.batchId + 1, 1])
  await digestAll(opened)
  assert.deepEqual(await storage.listUndigestedBatches(tenant, 10), [])
  assert.deepEqual(await place(2), [first.batchId, 1])
  assert.deepEqual(await place(3), [first.batchId + 1, 1])
  assert.equal(await find(4), undefined)
})

test('says of a span that is gone when it was evaluated', async () => {
  const opened = await openIngest()
  const { ingest, storage, tenant } = opened
  await bindSetup(storage, tenant, 'a', { evaluators: [charCount] })
  await ingest.receive(tenant, encodeSpans(spanOf(1)), 'protobuf')
  await score(storage, [{ ...idsOf(1), atMs: AT_MS }], () => ({
    status: 'scored',
    output: { char_count: 1 },
  }))
  const explained = () => explainSpan(storage, tenant, idsOf(1), { limit: 10 }, AT_MS)
  assert.equal((await explained()).setups[0]?.entries[0]?.outcome, 'scored')
  // Its batch arrived long ago, its evaluation was recorded by the clock of the store, which is later.
  while (await storage.work.dropExpired(AT_MS + 721 * HOUR_MS, 720));
  await assert.rejects(explained(), /span not found: the span is no longer kept; it was last evaluated at 20/)
})

test('does not say of a span that is kept that it is not', async () => {
  const opened = await openIngest()
  const { ingest, storage, tenant } = opened
  await ingest.receive(tenant, encodeSpans(spanOf(1)), 'protobuf')
  const { after, batches } = await storage.digest.readUndigested(10)
  const batchId = batches[0]?.batchId ?? 0
  const explained = () => explainSpan(storage, tenant, idsOf(1), { limit: 10 }, AT_MS)
  const passedOver = { reason: 'took too long', isGivenUp: false, retryAtMs: AT_MS }
  await storage.digest.recordDigests(after, [{ batchId, passedOver }], 0)
  assert.equal((await explained()).view.spanId, idsOf(1).spanId, 'it is found in the batch that waits')
  await storage.digest.recordOverdue({ batchId, passedOver: { ...passedOver, isGivenUp: true } }, 0)
  await assert.rejects(
    explained(),
    /span not found: this trace is not known yet: it may be in a stored batch that cannot be read \(batch \d+ of 2026-01-02T03:04:05.000Z: took too long\); otherwise/,
  )
})
