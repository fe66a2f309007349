// The reading of one answer is counted in unpacked bytes, never in time.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { AT_MS, storeWithTenant } from '../../tests/contract/contract-fixtures.ts'
import { store, sumUp } from '../../tests/contract/deletion-fixtures.ts'
import type { TestSpan } from '../../tests/otlp/encode-traces.ts'
import { temporaryDirectory } from '../../tests/support/temporary-directory.ts'
import type { Storage } from '../ports/storage.ts'
import { openSqliteStorage } from '../stores/sqlite/sqlite-storage.ts'
import { findTraces, type TraceQuery } from './find-traces.ts'
import { listWorkflowNames } from './list-workflow-names.ts'

const BATCHES = 60
const SPANS_PER_BATCH = 40
const TRACES = (BATCHES * SPANS_PER_BATCH) / 2
const BUDGET_BYTES = 33_554_432
/** So many bytes in each span that all batches together are three times what one answer may unpack. */
const FILLER = 'x'.repeat(Math.ceil((3 * BUDGET_BYTES) / (BATCHES * SPANS_PER_BATCH)))

const opened = await openSqliteStorage({ dataDir: temporaryDirectory(), readerThreads: 1 })
after(() => opened.close())
const { storage, tenant } = await storeWithTenant({ open: async () => opened } as never)

const id = (bytes: number, number: number) => {
  const buffer = Buffer.alloc(bytes, 7)
  buffer.writeUInt32BE(number, 0)
  return buffer
}

/** The two spans of each trace lie in batches that are far apart, as they do when many applications send at the same time. */
function spanOf(batch: number, place: number): TestSpan {
  const number = batch * SPANS_PER_BATCH + place
  const trace = number % TRACES
  return {
    traceId: id(16, trace * 2_654_435),
    spanId: id(8, number + 1),
    name: 'chat',
    startUnixNano: BigInt(AT_MS) * 1_000_000n,
    endUnixNano: BigInt(AT_MS + 5) * 1_000_000n,
    attributes: {
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': `${FILLER} ${trace % 100 === 7 ? 'the needle' : 'hay'}`,
      'traceloop.workflow.name': `workflow ${trace % 13}`,
    },
  }
}

for (let batch = 0; batch < BATCHES; batch++) {
  await store(
    storage,
    tenant,
    Array.from({ length: SPANS_PER_BATCH }, (_, place) => spanOf(batch, place)),
  )
}
await sumUp(storage)

/** The store, with a count of the bytes that are read from it to be unpacked. */
function counted(): { source: Storage; bytes: () => number; largest: () => number } {
  let bytes = 0
  let largest = 0
  return {
    source: {
      ...storage,
      async readBatches(...args) {
        const batches = await storage.readBatches(...args)
        bytes += batches.reduce((sum, { byteLength }) => sum + byteLength, 0)
        largest = Math.max(largest, ...batches.map(({ byteLength }) => byteLength))
        return batches
      },
    },
    bytes: () => bytes,
    largest: () => largest,
  }
}

test('a search for a text unpacks a bounded number of bytes for a page, and its pages together find everything', async () => {
  const query: TraceQuery = {
    filter: {},
    conditions: [],
    logic: 'AND',
    required: [],
    text: 'The Needle',
    limit: 100,
  }
  const found = new Set<string>()
  let next: TraceQuery['after']
  let pages = 0
  do {
    const { source, bytes, largest } = counted()
    const page = await findTraces(source, tenant, { ...query, ...(next ? { after: next } : {}) })
    // The trace that a page has begun with is looked at to its end: its two spans may need eight batches each.
    assert.ok(bytes() <= BUDGET_BYTES + 16 * largest(), `a page has unpacked ${bytes()} bytes`)
    for (const { traceId } of page.traces) found.add(traceId)
    next = page.next
    pages++
    assert.ok(pages < 200, 'the pages come to an end')
  } while (next)
  assert.equal(found.size, TRACES / 100)
})

test('the names of workflows unpack a bounded number of bytes, and answers that go on find all of them', async () => {
  const found = new Set<string>()
  let next: Awaited<ReturnType<typeof listWorkflowNames>>['next']
  let answers = 0
  do {
    const { source, bytes, largest } = counted()
    const range = { fromSecond: 0, toSecond: 253_402_300_799, ...(next ? { after: next } : {}) }
    const answer = await listWorkflowNames(source, tenant, range)
    // Batches are loaded eight at a time.
    assert.ok(bytes() <= BUDGET_BYTES + 16 * largest(), `an answer has unpacked ${bytes()} bytes`)
    for (const name of answer.names) found.add(name)
    next = answer.next
    answers++
    assert.ok(answers < 1_000, 'the answers come to an end')
  } while (next)
  assert.equal(found.size, 13)
  assert.ok(answers > 1, 'one answer did not look at everything')
})
