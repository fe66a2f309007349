import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AT_MS, charCount, create, rule } from '../../../tests/contract/contract-fixtures.ts'
import { encodeSpans, type TestSpan, testId } from '../../../tests/otlp/encode-traces.ts'
import { type IngestChanges, openIngest } from '../../../tests/support/ingest-fixture.ts'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import { PublicError } from '../../lib/public-error.ts'
import type { QueuedRequest } from '../../ports/span-stream.ts'
import type { Storage } from '../../ports/storage.ts'
import { StreamIntake } from './stream-intake.ts'

const openai = { evaluators: [charCount], selector: [rule] }

function span(at: number, attributes: TestSpan['attributes'] = { 'gen_ai.system': 'openai' }): TestSpan {
  return {
    traceId: testId(16, at),
    spanId: testId(8, at),
    startUnixNano: 1_700_000_000_000_000_000n,
    attributes,
  }
}

/** The receiving into a stream that is a list, and the intake of what is in it. */
async function openBoth(changes: IngestChanges = {}, ping?: () => Promise<void>) {
  const queued: QueuedRequest[] = []
  const opened = await openIngest({ publish: async (request) => void queued.push(request), ...changes })
  const counts = { repeated: 0, dropped: 0 }
  const storage: Pick<Storage, 'listProjects' | 'system'> = {
    listProjects: (tenant) => opened.storage.listProjects(tenant),
    system: ping ? { ...opened.storage.system, ping } : opened.storage.system,
  }
  const intake = new StreamIntake(
    {
      stream: { consume: () => async () => {} },
      ingest: opened.ingest,
      storage,
      counters: {
        countRedelivered: () => {},
        countParked: () => {},
        countRepeated: () => void counts.repeated++,
        countDropped: () => void counts.dropped++,
      },
      logger: recordingLogger(opened.told.logLines),
    },
    { messagesMax: 1, bytesMax: 1 },
  )
  const receive = (...spans: TestSpan[]) =>
    opened.ingest.receive(opened.tenant, encodeSpans(...spans), 'protobuf')
  return { ...opened, queued, counts, intake, receive }
}

const firstOf = (queued: readonly QueuedRequest[]) => {
  const [first] = queued
  assert.ok(first)
  return first
}

test('what is received goes into the stream, and the store is not asked', async () => {
  const away = async () => {
    throw new Error('away')
  }
  const { receive, queued, tenant, told } = await openBoth({ readCatalogue: away, admitSpans: away })
  assert.deepEqual(await receive(span(1)), { acceptedSpans: 1, rejectedSpans: 0 })
  assert.deepEqual(told.catalogueReads, [])
  const { bytes, byteLength, ...described } = firstOf(queued)
  assert.deepEqual(described, { tenant, receivedAtMs: AT_MS, knownFaults: [] })
  assert.ok(bytes.length > 0 && byteLength > 0)
})

test('spans that are rejected are told to the sender, and left out by whoever stores the rest', async () => {
  const { receive, queued, intake, told } = await openBoth()
  const answer = await receive({ ...span(1), traceId: Buffer.alloc(16) }, span(2))
  assert.deepEqual([answer.acceptedSpans, answer.rejectedSpans], [1, 1])
  assert.match(answer.errorMessage ?? '', /trace/i)
  assert.deepEqual(firstOf(queued).knownFaults, [0])
  assert.equal(await intake.handle(firstOf(queued)), 'done')
  assert.deepEqual(
    told.admissions.map(({ newSpans }) => newSpans),
    [1],
  )
})

test('a request without spans is not queued', async () => {
  const { receive, queued } = await openBoth()
  assert.deepEqual(await receive(), { acceptedSpans: 0, rejectedSpans: 0 })
  assert.deepEqual(queued, [])
})

test('what cannot be queued is refused', async () => {
  const { receive } = await openBoth({
    publish: async () => {
      throw new PublicError('unavailable', 'full', 10_000)
    },
  })
  await assert.rejects(receive(span(1)), { kind: 'unavailable', message: 'full', retryAfterMs: 10_000 })
})

test('what comes out is matched with the setups of that moment, and keeps when it was received', async () => {
  const { receive, queued, intake, storage, tenant, told } = await openBoth()
  await receive(span(1))
  // Made while the spans wait, and before that the thread has seen another state of the setups.
  await intake.handle(firstOf(queued))
  await receive(span(2))
  await create(storage, tenant, 'later', openai)
  const [, second] = queued
  assert.ok(second)
  assert.equal(await intake.handle(second), 'done')
  assert.deepEqual(
    told.matches.map((matches) => Object.values(matches)),
    [[], [[0]]],
  )
  const ids = told.admissions.map(({ batchId }) => batchId)
  const batches = await storage.readBatches(tenant, ids)
  assert.deepEqual(
    batches.map(({ receivedAtMs }) => receivedAtMs),
    [AT_MS, AT_MS],
  )
})

test('a message that comes again is stored once, and counted', async () => {
  const { receive, queued, intake, counts, told } = await openBoth()
  await receive(span(1), span(2))
  assert.equal(await intake.handle(firstOf(queued)), 'done')
  assert.equal(await intake.handle(firstOf(queued)), 'done')
  assert.deepEqual(
    told.admissions.map(({ newSpans }) => newSpans),
    [2, 0],
  )
  assert.equal(counts.repeated, 1)
})

test('a store that is away is no fault of the message, whatever it says', async () => {
  const faults = [new PublicError('unavailable', 'away'), new Error('disk full')]
  for (const fault of faults) {
    const ping = async () => {
      if (fault.message === 'disk full') throw fault
    }
    const { receive, queued, intake } = await openBoth(
      {
        admitSpans: async () => {
          throw fault
        },
      },
      ping,
    )
    await receive(span(1))
    assert.equal(await intake.handle(firstOf(queued)), 'unavailable')
  }
})

test('setups that cannot be read are an outage too', async () => {
  const { receive, queued, intake } = await openBoth({
    readCatalogue: async () => {
      throw new PublicError('unavailable', 'away')
    },
  })
  await receive(span(1))
  assert.equal(await intake.handle(firstOf(queued)), 'unavailable')
})

test('a message that a working store does not take has failed', async () => {
  const { receive, queued, intake } = await openBoth({
    admitSpans: async () => {
      throw new Error('a constraint')
    },
  })
  await receive(span(1))
  await assert.rejects(intake.handle(firstOf(queued)), /a constraint/)
})

test('a message of a project that is gone is dropped and counted', async () => {
  const { receive, queued, intake, counts, tenant } = await openBoth()
  await receive(span(1))
  const orphan = { ...firstOf(queued), tenant: { ...tenant, projectId: 'gone' } }
  assert.equal(await intake.handle(orphan), 'done')
  assert.equal(counts.dropped, 1)
})

test('bytes that cannot be unpacked are unreadable', async () => {
  const { receive, queued, intake } = await openBoth()
  await receive(span(1))
  const broken = { ...firstOf(queued), bytes: Buffer.from('not zstd') }
  const handled = await intake.handle(broken)
  assert.ok(typeof handled === 'object')
  assert.match(handled.unreadable, /cannot be unpacked/)
})

test('what waits in the stream while it is deleted is not taken in when it comes', async () => {
  const { receive, queued, intake, storage, tenant } = await openBoth()
  await receive(span(1))
  await receive(span(2))
  const traceId = Buffer.from(span(1).traceId as Uint8Array).toString('hex')
  await storage.deleteTrace(tenant, traceId, AT_MS, 'of the trace')
  assert.equal(await intake.handle(firstOf(queued)), 'done')
  assert.equal((await storage.getDeletion(tenant, 'of the trace'))?.lateSpans, 1)
  await storage.deleteProjectData(tenant, AT_MS, { id: 'of the project' })
  for (const request of queued) assert.equal(await intake.handle(request), 'done')
  assert.equal((await storage.getDeletion(tenant, 'of the project'))?.lateSpans, 2)
  const all = { envProjectId: tenant.envProjectId, fromMs: 0, toMs: AT_MS + 1, limit: 10 }
  assert.deepEqual(await storage.listBatches(tenant, all), [])
})

const LOG_SPAN = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }

function logsOf(...texts: string[]): Buffer {
  const logRecords = texts.map((stringValue) => ({
    ...{ ...LOG_SPAN, eventName: 'gen_ai.user.message', timeUnixNano: '5', body: { stringValue } },
  }))
  return Buffer.from(JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] }))
}

test('log events go through the stream as well, once, and equal ones of a request are several', async () => {
  const { ingest, tenant, storage, queued, intake, counts } = await openBoth()
  const answer = await ingest.receiveLogs(tenant, logsOf('one', 'one', 'two'), 'json')
  assert.deepEqual([answer.acceptedRecords, answer.droppedRecords], [3, 0])
  const request = firstOf(queued)
  assert.equal(request.isContent, true)
  assert.deepEqual([await intake.handle(request), await intake.handle(request)], ['done', 'done'])
  assert.equal(counts.repeated, 1)
  assert.equal((await storage.readContents(tenant, [LOG_SPAN])).length, 3)
})

test('log events that cannot be unpacked are put aside', async () => {
  const { ingest, tenant, queued, intake } = await openBoth()
  await ingest.receiveLogs(tenant, logsOf('one'), 'json')
  const handled = await intake.handle({ ...firstOf(queued), bytes: Buffer.from('no zstd') })
  assert.match(typeof handled === 'object' ? handled.unreadable : handled, /log events cannot be unpacked/)
})

test('a request of logs with nothing to keep puts nothing into the stream', async () => {
  const { ingest, tenant, queued } = await openBoth()
  const body = Buffer.from(logsOf('x').toString().replace('gen_ai.user.message', 'app.started'))
  assert.equal((await ingest.receiveLogs(tenant, body, 'json')).droppedRecords, 1)
  assert.deepEqual(queued, [])
})
