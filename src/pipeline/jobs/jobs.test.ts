import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { AT_MS, charCount, nextId } from '../../../tests/contract/contract-fixtures.ts'
import { bindSetup } from '../../../tests/contract/result-fixtures.ts'
import { encodeSpans } from '../../../tests/otlp/encode-traces.ts'
import { openIngest } from '../../../tests/support/ingest-fixture.ts'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import { chatSpan, eventually } from '../../../tests/support/spans.ts'
import { PublicError } from '../../lib/public-error.ts'
import { Jobs } from './jobs.ts'

for (const [what, error, times] of [
  ['cannot be read is left out at once', new Error('cannot be read'), 1],
  ['ends its thread is tried ten times, then left out', new PublicError('unavailable', 'has ended'), 10],
] as const)
  test(`a batch that ${what}, and those behind it have their turn`, async () => {
    const { ingest, storage, tenant } = await openIngest()
    for (const name of ['first', 'broken', 'last']) {
      await ingest.receive(tenant, new Uint8Array(encodeSpans(chatSpan(name))), 'protobuf')
    }
    await bindSetup(storage, tenant, 's', { evaluators: [charCount] })
    const request = {
      ...{ kind: 'backfill' as const, externalId: 's', fromMs: 0, toMs: AT_MS + 1 },
      ...{ limit: 100, samplingRate: 1 },
    }
    const job = await storage.createJob(tenant, { id: nextId(), request, atMs: AT_MS, activeMax: 1 })
    assert.ok(typeof job === 'object')
    const lines: string[] = []
    let attempts = 0
    let wakeUps = 0
    const jobs: Jobs = new Jobs({
      storage: storage.jobs,
      match(setup, batch) {
        if (batch.batchId !== 2) return ingest.match(setup, batch)
        attempts++
        jobs.wake()
        return Promise.reject(error)
      },
      logger: recordingLogger(lines),
      onWork: () => void wakeUps++,
    })
    jobs.start()
    // One step may find them all, or several, the newest first.
    const queued = new Set<number>()
    await eventually(async () => {
      for (const { batchId } of await storage.work.claimWork('local', 10, 60_000)) queued.add(batchId)
      return queued.size === 2
    }, 'the other batches are queued')
    await jobs.close()
    assert.deepEqual(queued, new Set([1, 3]))
    assert.equal(attempts, times)
    assert.ok(wakeUps > 0, 'workers were told')
    assert.ok(lines.some((line) => line.includes('the job leaves it out')))
  })

test('a process that stood still in the middle of a step does not rest for as long afterwards', async (t) => {
  let stoodStillMs = 0
  const { now } = performance
  t.mock.method(performance, 'now', () => now.call(performance) + stoodStillMs)
  const turns = new EventEmitter()
  let taken = 0
  const jobs = new Jobs({
    storage: {
      async takeTurn() {
        if (taken++ === 0) stoodStillMs = 3_600_000
        turns.emit('turn', taken)
        return { hasWork: false, hasMore: taken < 2 }
      },
      readBackfillBatches: () => Promise.reject(new Error('nothing to read')),
      recordBackfill: () => Promise.reject(new Error('nothing to record')),
    },
    match: () => Promise.reject(new Error('nothing to match')),
    logger: recordingLogger([]),
    onWork: () => {},
  })
  const second = new Promise((resolve) => turns.on('turn', (turn) => turn === 2 && resolve(undefined)))
  jobs.start()
  await second
  await jobs.close()
})
