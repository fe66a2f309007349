// The reading of one page is counted in batches and unpacked bytes, never in time.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { AT_MS, createTenant } from '../../tests/contract/contract-fixtures.ts'
import { store, sumUp } from '../../tests/contract/deletion-fixtures.ts'
import { type TestAttributes, type TestSpan, testId } from '../../tests/otlp/encode-traces.ts'
import { temporaryDirectory } from '../../tests/support/temporary-directory.ts'
import { chat, workflow } from '../../tests/support/trace-builders.ts'
import type { Storage } from '../ports/storage.ts'
import { openSqliteStorage } from '../stores/sqlite/sqlite-storage.ts'
import { previewSessions } from './preview-sessions.ts'
import { PREVIEW_BYTES_MAX, showPreviews } from './show-previews.ts'

const storage = await openSqliteStorage({ dataDir: temporaryDirectory(), readerThreads: 1 })
after(() => storage.close())
let tenants = 0
const newTenant = () => createTenant(storage, `tenant ${++tenants}`)

const hex = (number: number) => testId(16, number).toString('hex')

/** A span of a trace; `number` names it and orders it in time. */
function spanOf(trace: number, number: number, attributes: TestAttributes, parent?: number): TestSpan {
  return {
    traceId: testId(16, trace),
    spanId: testId(8, number),
    ...(parent === undefined ? {} : { parentSpanId: testId(8, parent) }),
    name: `span ${number}`,
    startUnixNano: BigInt(AT_MS + number) * 1_000_000n,
    endUnixNano: BigInt(AT_MS + number + 1) * 1_000_000n,
    attributes,
  }
}

const said = (sample: ReturnType<typeof chat>) => sample.attributes as TestAttributes

/** The store, with the ids of the batches that are read from it. */
function counted(): { source: Storage; read: number[] } {
  const read: number[] = []
  const source: Storage = {
    ...storage,
    readBatches(tenant, ids) {
      read.push(...ids)
      return storage.readBatches(tenant, ids)
    },
  }
  return { source, read }
}

test('a page of spans and traces reads each batch once', async () => {
  const tenant = await newTenant()
  const first = await store(storage, tenant, [
    spanOf(1, 1, said(workflow('Question 1', 'Answer 1'))),
    spanOf(1, 2, said(chat('inner', 'inner')), 1),
    spanOf(2, 3, said(chat('Question 2', 'Answer 2')), 4),
  ])
  const second = await store(storage, tenant, [
    // The root comes last and says nothing itself.
    spanOf(2, 4, { 'http.method': 'POST' }),
    spanOf(3, 5, said(chat('Question 3', 'Answer 3'))),
  ])
  await sumUp(storage)
  const { source, read } = counted()
  const previews = await showPreviews(source, tenant, [
    { traceId: hex(1) },
    { traceId: hex(2) },
    { batchId: first.batchId, ordinal: 1 },
    { batchId: second.batchId, ordinal: 1 },
    { batchId: second.batchId, ordinal: 7 },
    { batchId: 1_000_000, ordinal: 0 },
  ])
  assert.deepEqual(previews, [
    { input: 'Question 1', output: 'Answer 1' },
    { input: 'Question 2', output: 'Answer 2' },
    { input: 'inner', output: 'inner' },
    { input: 'Question 3', output: 'Answer 3' },
    {},
    {},
  ])
  assert.deepEqual(read, [first.batchId, second.batchId, 1_000_000])
})

test('a session shows its first question and its latest answer', async () => {
  const tenant = await newTenant()
  const session = { 'session.id': 'talk' }
  await store(storage, tenant, [
    spanOf(11, 1, { ...said(chat('First question', 'First answer')), ...session }),
    spanOf(12, 2, { ...said(chat('Second question', 'Second answer')), ...session }),
  ])
  await sumUp(storage)
  const sessions = await storage.listSessions(tenant, {}, { limit: 10 })
  assert.deepEqual(await previewSessions(storage, tenant, sessions), [
    { input: 'First question', output: 'Second answer' },
  ])
})

test('a long trace is read at both ends', async () => {
  const tenant = await newTenant()
  const silent = Array.from({ length: 300 }, (_, at) => spanOf(21, at + 10, { 'http.method': 'GET' }, 1))
  await store(storage, tenant, [
    spanOf(21, 1, { 'http.method': 'POST' }),
    spanOf(21, 2, said(chat('Early question', 'early')), 1),
    ...silent,
    spanOf(21, 900, said(chat('Late question', 'Late answer')), 1),
  ])
  await sumUp(storage)
  assert.deepEqual(await showPreviews(storage, tenant, [{ traceId: hex(21) }]), [
    { input: 'Late question', output: 'Late answer' },
  ])
})

test('a page stops at its share of bytes, and its first items have their previews', async () => {
  const tenant = await newTenant()
  const filler = 'x'.repeat(PREVIEW_BYTES_MAX / 8)
  const places = []
  for (let at = 0; at < 10; at++) {
    const span = spanOf(31 + at, 1, { ...said(chat(`Question ${at}`, 'Answer')), filler })
    places.push({ batchId: (await store(storage, tenant, [span])).batchId, ordinal: 0 })
  }
  const previews = await showPreviews(storage, tenant, places)
  assert.deepEqual(
    previews.map(({ input }) => input),
    [...Array.from({ length: 7 }, (_, at) => `Question ${at}`), undefined, undefined, undefined],
  )
})
