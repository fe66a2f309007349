import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { digestSpans } from '../../src/domain/digest-spans.ts'
import { RefusedData } from '../../src/domain/errors.ts'
import { unpackSpansSync } from '../../src/lib/otlp/stored-spans.ts'
import type { Storage } from '../../src/ports/storage.ts'
import type { PassedOverBatch, UndigestedBatch } from '../../src/ports/trace-storage.ts'
import { AT_MS, createTenant, nextId, type StorageHarness, storeWithTenant } from './contract-fixtures.ts'
import { eraseAll, LATER_MS, namesOf, spanWith, store, sumUp, traceIdOf } from './deletion-fixtures.ts'
import { boundStore, claim, countIn, outcomesOf } from './deletion-store.ts'

const passedOver = (batchId: number, isGivenUp: boolean, retryAtMs = 0): PassedOverBatch => ({
  batchId,
  passedOver: { reason: 'the test says so', isGivenUp, retryAtMs },
})

const digestOf = (batch: UndigestedBatch) =>
  digestSpans(batch.batchId, unpackSpansSync(batch), new Set(batch.repeated))

/** Sums up everything but the first batch, which is passed over. */
async function passFirst(storage: Storage, isGivenUp: boolean, retryAtMs = 0): Promise<number> {
  const { after, batches } = await storage.digest.readUndigested(100)
  const [first, ...rest] = batches
  assert.ok(first)
  const outcomes = [passedOver(first.batchId, isGivenUp, retryAtMs), ...rest.map(digestOf)]
  assert.equal(await storage.digest.recordDigests(after, outcomes, 0), true)
  return first.batchId
}

const secret = () => randomBytes(32)

/** The promises of every store about batches that the digest passes over. */
export function describeUndigested(harness: StorageHarness): void {
  test('a batch that is passed over is due again, is summed up later, and is counted once', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await store(storage, tenant, [spanWith('late', 'late 1', secret())])
    await store(storage, tenant, [
      spanWith('early', 'early 1', secret()),
      spanWith('late', 'late 2', secret()),
    ])
    const batchId = await passFirst(storage, false, AT_MS)
    assert.equal((await storage.getTrace(tenant, traceIdOf('late')))?.spanCount, 1)
    assert.deepEqual((await storage.digest.readUndigested(10)).batches, [], 'those behind it are summed up')
    assert.deepEqual(await storage.digest.readOverdue(AT_MS - 1, 10), [], 'it is not due yet')
    const [due, ...others] = await storage.digest.readOverdue(AT_MS, 10)
    assert.ok(due)
    assert.deepEqual([due.batchId, due.attempts, others.length], [batchId, 1, 0])
    const { digest } = await storage.system.readBacklog()
    assert.deepEqual([digest.pieces, digest.spans, digest.oldestAtMs], [1, 1, AT_MS])

    assert.equal(await storage.digest.recordOverdue(passedOver(batchId, false, AT_MS + 5), 0), true)
    assert.deepEqual(await storage.digest.readOverdue(AT_MS, 10), [], 'it was passed over again')
    const [again] = await storage.digest.readOverdue(AT_MS + 5, 10)
    assert.equal(again?.attempts, 2)
    assert.equal(await storage.digest.recordOverdue(digestOf(due), 0), true)
    assert.equal(await storage.digest.recordOverdue(digestOf(due), 0), false, 'somebody has summed it up')
    assert.equal((await storage.getTrace(tenant, traceIdOf('late')))?.spanCount, 2)
    assert.equal((await storage.system.readBacklog()).digest.pieces, 0)
  })

  test('a batch that is given up is shown to its project, is not in the lag, and is due after a start', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const other = await createTenant(storage, 'other')
    const { batchId } = await store(storage, tenant, [spanWith('lost', 'lost 1', secret())])
    await passFirst(storage, true, LATER_MS)
    const [found, ...others] = await storage.listPassedOver(tenant, 10)
    assert.deepEqual(found, { batchId, receivedAtMs: AT_MS, isGivenUp: true, reason: 'the test says so' })
    assert.deepEqual([others, await storage.listPassedOver(other, 10)], [[], []])
    assert.deepEqual(await storage.listUndigestedBatches(tenant, 10), [])
    const { digest, givenUpBatches } = await storage.system.readBacklog()
    assert.deepEqual([digest.pieces, givenUpBatches], [0, 1])
    assert.deepEqual(await storage.digest.readOverdue(AT_MS, 10), [])
    await storage.digest.retryGivenUp()
    assert.equal((await storage.digest.readOverdue(AT_MS, 10)).length, 1)
  })

  test('who waits for the digest waits for what is passed over, and not for what is given up', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const { batchId } = await store(storage, tenant, [spanWith('late', 'late 1', secret())])
    await passFirst(storage, false)
    assert.equal(await storage.digest.isDigested(tenant, batchId), false)
    assert.equal((await storage.listUndigestedBatches(tenant, 10))[0]?.batchId, batchId)
    await storage.digest.recordOverdue(passedOver(batchId, true), 0)
    assert.equal(await storage.digest.isDigested(tenant, batchId), true)
  })

  test('tells values that it cannot hold from a fault of its own, and writes nothing of them', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await store(storage, tenant, [spanWith('odd', 'odd 1', secret())])
    const { after, batches } = await storage.digest.readUndigested(10)
    const [batch] = batches
    assert.ok(batch)
    const digest = digestOf(batch)
    const odd = digest.traces.map((trace) => ({ ...trace, spanCount: Number.NaN }))
    await assert.rejects(storage.digest.recordDigests(after, [{ ...digest, traces: odd }], 0), RefusedData)
    assert.equal(await storage.getTrace(tenant, traceIdOf('odd')), undefined)
    assert.equal(await storage.digest.recordDigests(after, [digest], 0), true)
  })

  test('a batch that is no longer kept is not passed over any more', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await store(storage, tenant, [spanWith('old', 'old 1', secret())])
    await passFirst(storage, true)
    while (await storage.work.dropExpired(AT_MS + 800 * 3_600_000, 720));
    assert.deepEqual(await storage.listPassedOver(tenant, 10), [])
    assert.equal((await storage.system.readBacklog()).givenUpBatches, 0)
  })

  describeDeletionCounts(harness)
  describeQueuedDeletion(harness)
}

function describeDeletionCounts(harness: StorageHarness): void {
  test('erases a trace from batches that are in no trace, and nothing else', async () => {
    for (const isGivenUp of [true, false]) {
      const { storage, tenant } = await storeWithTenant(harness)
      const secrets = { gone: secret(), kept: secret() }
      await store(storage, tenant, [
        spanWith('gone', 'gone 1', secrets.gone),
        spanWith('kept', 'kept 1', secrets.kept),
      ])
      await passFirst(storage, isGivenUp, LATER_MS)
      const id = nextId()
      await storage.deleteTrace(tenant, traceIdOf('gone'), AT_MS, id)
      await eraseAll(storage)
      assert.equal(await countIn(harness, storage, secrets.gone), 0, 'its bytes are gone')
      assert.ok((await countIn(harness, storage, secrets.kept)) > 0)
      assert.deepEqual(await namesOf(storage, tenant), ['kept 1'])
      assert.equal((await storage.getDeletion(tenant, id))?.spans, 1)
      await storage.digest.retryGivenUp()
      const [due] = await storage.digest.readOverdue(LATER_MS, 10)
      assert.ok(due)
      await storage.digest.recordOverdue(digestOf(due), 0)
      assert.equal(await storage.getTrace(tenant, traceIdOf('gone')), undefined)
      assert.equal((await storage.getTrace(tenant, traceIdOf('kept')))?.spanCount, 1)
    }
  })

  test('erases a batch that cannot be read as a whole when it holds a span of a deleted trace', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const [damaged, other] = [randomBytes(200), randomBytes(200)]
    await store(storage, tenant, [spanWith('gone', 'gone 1', secret())], { bytes: damaged })
    await store(storage, tenant, [spanWith('else', 'else 1', secret())], { bytes: other })
    const { after, batches } = await storage.digest.readUndigested(10)
    const outcomes = batches.map(({ batchId }) => passedOver(batchId, true, LATER_MS))
    await storage.digest.recordDigests(after, outcomes, 0)
    const id = nextId()
    await storage.deleteTrace(tenant, traceIdOf('gone'), AT_MS, id)
    await eraseAll(storage)
    assert.equal(await countIn(harness, storage, damaged), 0)
    assert.ok((await countIn(harness, storage, other)) > 0, 'another one that cannot be read stays')
    const deletion = await storage.getDeletion(tenant, id)
    assert.deepEqual([deletion?.spans, deletion?.erasedAtMs], [1, LATER_MS])
    assert.equal((await storage.listPassedOver(tenant, 10)).length, 1)
  })

  test('erases a trace from a batch that is given up after the deletion', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const bytes = secret()
    await store(storage, tenant, [spanWith('gone', 'gone 1', bytes), spanWith('kept', 'kept 1', secret())])
    const id = nextId()
    await storage.deleteTrace(tenant, traceIdOf('gone'), AT_MS, id)
    await eraseAll(storage)
    assert.equal(
      (await storage.getDeletion(tenant, id))?.erasedAtMs,
      undefined,
      'a batch waits to be summed up',
    )
    await passFirst(storage, true, LATER_MS)
    await eraseAll(storage)
    assert.equal(await countIn(harness, storage, bytes), 0)
    const deletion = await storage.getDeletion(tenant, id)
    assert.deepEqual([deletion?.spans, deletion?.erasedAtMs], [1, LATER_MS])
  })

  test('tells what a deletion erases, and when it has', async () => {
    const { storage, tenant } = await boundStore(harness)
    const other = await createTenant(storage, 'other')
    const spans = [spanWith('gone', 'gone 1', secret(), 'talk'), spanWith('gone', 'gone 2', secret())]
    await store(storage, tenant, spans)
    await sumUp(storage)
    for (const work of await claim(storage)) {
      const names = [
        ['gone', 'gone 1'],
        ['gone', 'gone 2'],
      ] as const
      await storage.work.recordWork([{ work, outcomes: outcomesOf(work, names, 'said'), sampledOut: 0 }])
    }
    const ids = { trace: nextId(), session: nextId(), project: nextId() }
    await storage.deleteTrace(tenant, traceIdOf('gone'), AT_MS, ids.trace)
    const first = await storage.getDeletion(tenant, ids.trace)
    const { erasedAtMs, ...counted } = first ?? {}
    assert.deepEqual(counted, {
      ...{ id: ids.trace, projectId: tenant.projectId, kind: 'trace', requestedAtMs: AT_MS },
      ...{ spans: 2, evaluations: 2, lateSpans: 0 },
    })
    assert.equal(erasedAtMs, undefined)
    assert.equal(await storage.getDeletion(other, ids.trace), undefined, 'another organization cannot see it')
    await store(storage, tenant, [...spans, spanWith('next', 'next 1', secret(), 'talk')])
    await sumUp(storage)
    await storage.deleteSession(tenant, 'talk', AT_MS, ids.session)
    await eraseAll(storage)
    await store(storage, tenant, [spanWith('last', 'last 1', secret())])
    assert.deepEqual(await storage.countProjectData(tenant), { spans: 1, evaluations: 0 })
    await storage.deleteProjectData(tenant, AT_MS, { id: ids.project, spans: 1 })
    await eraseAll(storage)
    const found = await Promise.all(Object.values(ids).map((id) => storage.getDeletion(tenant, id)))
    assert.deepEqual(
      found.map((one) => [one?.kind, one?.spans, one?.evaluations, one?.lateSpans, one?.erasedAtMs]),
      [
        ['trace', 2, 2, 2, LATER_MS],
        ['session', 1, 0, 0, LATER_MS],
        ['project', 1, undefined, 0, LATER_MS],
      ],
    )
    const muchLaterMs = LATER_MS + 40 * 86_400_000
    while (await storage.erasure.eraseDeleted(muchLaterMs));
    assert.equal(await storage.getDeletion(tenant, ids.trace), undefined, 'it is not remembered for ever')
  })
}

/** Spans that a stream received before a deletion and brings after it. */
function describeQueuedDeletion(harness: StorageHarness): void {
  test('deletes spans of a session that a stream brings later, and not what was received later', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await storage.deleteSession(tenant, 'talk', AT_MS)
    await eraseAll(storage)
    const bytes = secret()
    await store(storage, tenant, [spanWith('before', 'before 1', bytes, 'talk')], { isQueued: true })
    await store(storage, tenant, [spanWith('other', 'other 1', secret(), 'walk')], { isQueued: true })
    const after = { isQueued: true, receivedAtMs: AT_MS + 1 }
    await store(storage, tenant, [spanWith('after', 'after 1', secret(), 'talk')], after)
    // Received over HTTP: the clock may have gone back, and whatever arrives after a deletion is new.
    await store(storage, tenant, [spanWith('direct', 'direct 1', secret(), 'talk')])
    await sumUp(storage)
    await eraseAll(storage)
    assert.deepEqual(await namesOf(storage, tenant), ['after 1', 'direct 1', 'other 1'])
    assert.equal(await countIn(harness, storage, bytes), 0)
    assert.equal((await countIn(harness, storage, 'walk')) > 0, true)
  })

  test('does not keep the name of a deleted session', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    await storage.deleteSession(tenant, 'a name that nobody may keep', AT_MS)
    await eraseAll(storage)
    assert.equal(await countIn(harness, storage, 'a name that nobody may keep'), 0)
  })

  test('does not take in what a stream received before all data of the project was deleted', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const id = nextId()
    await storage.deleteProjectData(tenant, AT_MS, { id })
    const queued = await store(storage, tenant, [spanWith('before', 'before 1', secret())], {
      isQueued: true,
    })
    assert.equal(queued.newSpans, 0)
    const later = { isQueued: true, receivedAtMs: AT_MS + 1 }
    await store(storage, tenant, [spanWith('after', 'after 1', secret())], later)
    await store(storage, tenant, [spanWith('direct', 'direct 1', secret())])
    assert.deepEqual(await namesOf(storage, tenant), ['after 1', 'direct 1'])
    assert.equal((await storage.getDeletion(tenant, id))?.lateSpans, 1)
  })
}
