import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { deleteTrace, getDeletion } from '../../src/control/deletions.ts'
import { startThread } from '../../src/lib/threads/start-thread.ts'
import { Digest } from '../../src/pipeline/digest/digest.ts'
import { Ingest } from '../../src/pipeline/ingest/ingest.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { explainSpan } from '../../src/query/explain/explain-span.ts'
import { AT_MS, createTenant, nextId } from '../contract/contract-fixtures.ts'
import { eraseAll, LATER_MS } from '../contract/deletion-fixtures.ts'
import { encodeSpans } from '../otlp/encode-traces.ts'
import { rawPostgres, rawSqlite } from '../support/raw-stores.ts'
import { recordingLogger } from '../support/recording-logger.ts'
import { eventually } from '../support/spans.ts'

/** Room for some requests. */
const SOME_PAGES = 400

function open(storage: Storage) {
  const logger = recordingLogger([])
  const clock = { nowMs: () => AT_MS }
  const counters = { countSpans() {}, countBatch() {}, countStale() {}, countLogs() {} }
  const limits = {
    ...{ requestsMax: 100, bytesMax: 100_000_000, projectsMax: 10, setupsMax: 1_000 },
    ...{ heapMbMax: 512, callMsMax: 600_000 },
  }
  const ingest = new Ingest({ storage, clock, logger, startThread, counters }, limits)
  let failures = 0
  const digest = new Digest({
    storage: {
      ...storage.digest,
      recordDigests: (...args) => storage.digest.recordDigests(...args).catch(failing),
      recordOverdue: (...args) => storage.digest.recordOverdue(...args).catch(failing),
    },
    read: (batch) => ingest.digest(batch),
    ...{ clock, logger, isBusy: () => false, quietMsMin: 0 },
  })
  function failing(error: unknown): never {
    failures++
    throw error
  }
  return {
    ...{ ingest, digest, countFailures: () => failures },
    async close() {
      await digest.close()
      await ingest.close()
    },
  }
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** A request of some spans of one trace each, with text that cannot be compressed. */
function request() {
  const ids = Array.from({ length: 20 }, () => ({ traceId: randomBytes(16), spanId: randomBytes(8) }))
  const secret = randomBytes(64)
  const spans = ids.map((id) => ({
    ...id,
    startUnixNano: BigInt(AT_MS) * 1_000_000n,
    attributes: { secret, filler: randomBytes(200).toString('base64') },
  }))
  return { ids, secret, bytes: encodeSpans(...spans) }
}

for (const [name, make] of [
  ['sqlite', async () => rawSqlite(SOME_PAGES)],
  ['postgres', rawPostgres],
] as const) {
  describe(`a full store, ${name}`, () => {
    test('everything acknowledged becomes visible when there is room again, and can be deleted', async () => {
      const store = await make()
      let storage = await store.open()
      after(() => storage.close())
      const tenant = await createTenant(storage, 'one')
      const acknowledged: ReturnType<typeof request>[] = []
      let { ingest, digest, countFailures, close } = open(storage)
      const send = async () => {
        const next = request()
        await ingest.receive(tenant, next.bytes, 'protobuf')
        acknowledged.push(next)
      }
      for (let count = 0; count < 10; count++) await send()
      if (name === 'postgres') await store.fill()
      await assert.rejects(
        (async () => {
          while (acknowledged.length < 10_000) await send()
        })(),
        { kind: 'unavailable' },
      )
      digest.start()
      await untilFailedOften()

      // A restart while there is no room.
      await close()
      await storage.close()
      storage = await store.open()
      ;({ ingest, digest, countFailures, close } = open(storage))
      digest.start()
      await untilFailedOften()
      const { digest: lag, givenUpBatches } = await storage.system.readBacklog()
      assert.ok(lag.pieces > 0, 'the lag says that something waits')
      assert.equal(givenUpBatches, 0)
      const last = acknowledged.at(-1)?.ids[0]
      assert.ok(last)
      const ids = { traceId: hex(last.traceId), spanId: hex(last.spanId) }
      assert.equal((await explainSpan(storage, tenant, ids, { limit: 1 }, AT_MS)).view.traceId, ids.traceId)

      await close()
      await storage.close()
      await store.enlarge()
      storage = await store.open()
      ;({ ingest, digest, countFailures, close } = open(storage))
      digest.start()
      await eventually(async () => (await storage.system.readBacklog()).digest.pieces === 0, 'no lag')
      for (const { traceId } of acknowledged.flatMap((one) => one.ids))
        assert.ok(await storage.getTrace(tenant, hex(traceId)), `trace ${hex(traceId)}`)

      const deps = { storage, clock: { nowMs: () => AT_MS }, ids: { newId: nextId } }
      const gone = acknowledged.at(-1)
      assert.ok(gone)
      const deletions = []
      for (const { traceId } of gone.ids) deletions.push(await deleteTrace(deps, tenant, hex(traceId)))
      assert.deepEqual(
        deletions.map(({ spans, erasedAtMs }) => [spans, erasedAtMs]),
        gone.ids.map(() => [1, undefined]),
      )
      await eraseAll(storage)
      assert.ok(!(await store.contents()).some((file) => file.includes(gone.secret)), 'the bytes are gone')
      for (const { id } of deletions) {
        const { erasedAtMs } = await getDeletion(deps, { ...tenant, isAdmin: false }, id)
        assert.equal(erasedAtMs, LATER_MS)
      }
      await close()

      /** More often than the digest of earlier versions was tried. */
      function untilFailedOften() {
        return eventually(async () => {
          digest.wake()
          return countFailures() >= 5
        }, 'the store has failed often')
      }
    })

    test('what an earlier version left out is found by the migration and summed up', async () => {
      const store = await make()
      await store.enlarge()
      const storage = await store.open()
      after(() => storage.close())
      const tenant = await createTenant(storage, 'one')
      const { ingest, digest, close } = open(storage)
      const sent = [request(), request(), request()]
      for (const { bytes } of sent) await ingest.receive(tenant, bytes, 'protobuf')
      const [first] = sent
      assert.ok(first)
      digest.start()
      const traceOf = (index: number) =>
        storage.getTrace(tenant, hex(sent[index]?.ids[0]?.traceId ?? new Uint8Array()))
      await eventually(async () => (await traceOf(2)) !== undefined, 'all is summed up')
      // The state that the earlier version left behind: the batch counts as digested and is in no trace.
      const batches = 'SELECT min(id) FROM span_batches'
      await store.run(`
        DELETE FROM traces WHERE trace_id IN (SELECT trace_id FROM trace_places WHERE batch_id = (${batches}));
        DELETE FROM trace_places WHERE batch_id = (${batches});`)
      assert.equal(await traceOf(0), undefined)
      const file = readdirSync(store.migrations).find((each) => each.endsWith('-undigested-batches.sql'))
      const sql = readFileSync(path.join(store.migrations, file ?? ''), 'utf8')
      const heal = /^INSERT INTO undigested_batches[^;]*;/m.exec(sql)?.[0]
      assert.ok(heal)
      await store.run(heal)
      digest.wake()
      await eventually(async () => (await traceOf(0)) !== undefined, 'it is summed up')
      assert.equal((await traceOf(1))?.spanCount, 1, 'the others are not counted twice')
      await close()
    })
  })
}
