import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { EnvironmentTenant, ProjectTenant } from '../../src/domain/tenant.ts'
import { listUnits } from '../../src/domain/unit-set.ts'
import { unpackSpans } from '../../src/lib/otlp/stored-spans.ts'
import { startThread } from '../../src/lib/threads/start-thread.ts'
import { Ingest, type IngestDeps, type IngestLimits } from '../../src/pipeline/ingest/ingest.ts'
import type { Admission, CatalogueChange, PackedBatch, SpanStorage } from '../../src/ports/span-storage.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { openSqliteStorage } from '../../src/stores/sqlite/sqlite-storage.ts'
import { AT_MS, createTenant } from '../contract/contract-fixtures.ts'
import { type TestSpan, testId } from '../otlp/encode-traces.ts'
import { recordingLogger } from './recording-logger.ts'
import { startInProcess } from './storage-in-process.ts'
import { temporaryDirectory } from './temporary-directory.ts'

const LIMITS: IngestLimits = {
  requestsMax: 100,
  bytesMax: 10_000_000,
  projectsMax: 10,
  setupsMax: 1_000,
  heapMbMax: 512,
  callMsMax: 600_000,
}

/** A test's changes to the receiving of spans. */
export interface IngestChanges {
  readonly limits?: Partial<IngestLimits>
  readonly startThread?: IngestDeps['startThread']
  readonly publish?: IngestDeps['publish']
  /** Comes between the receiving and the reading of setups. */
  readonly readCatalogue?: (read: () => Promise<CatalogueChange>) => Promise<CatalogueChange>
  /** Comes between the receiving and the store. */
  readonly admitSpans?: (
    admit: SpanStorage['admitSpans'],
    tenant: EnvironmentTenant,
    batch: PackedBatch,
  ) => Promise<Admission>
}

/** The receiving of spans in front of a real store with one tenant, and everything it told. */
export async function openIngest(changes: IngestChanges = {}) {
  const storage = await openSqliteStorage({
    dataDir: temporaryDirectory(),
    readerThreads: 1,
    startThread: startInProcess,
  })
  const tenant = await createTenant(storage, 'one')
  const told = {
    admissions: [] as Exclude<Admission, 'stale'>[],
    /** The matches of each admitted batch: ordinals of spans by setup version. */
    matches: [] as Record<number, number[]>[],
    catalogueReads: [] as (number | undefined)[],
    counts: { accepted: 0, rejected: 0, batches: 0, stale: 0 },
    logLines: [] as string[],
  }
  const ingest = new Ingest(
    {
      storage: watchedStorage(storage, told, changes),
      clock: { nowMs: () => AT_MS },
      logger: recordingLogger(told.logLines),
      startThread: changes.startThread ?? startThread,
      ...(changes.publish ? { publish: changes.publish } : {}),
      counters: {
        countSpans(accepted, rejected) {
          told.counts.accepted += accepted
          told.counts.rejected += rejected
        },
        countBatch: () => void told.counts.batches++,
        countStale: () => void told.counts.stale++,
        countLogs: () => {},
      },
      onAdmitted: (admission) => void told.admissions.push(admission),
    },
    { ...LIMITS, ...changes.limits },
  )
  after(async () => {
    await ingest.close()
    await storage.close()
  })
  return { ingest, storage, tenant, told }
}

interface Told {
  readonly matches: Record<number, number[]>[]
  readonly catalogueReads: (number | undefined)[]
}

function watchedStorage(storage: Storage, told: Told, changes: IngestChanges): IngestDeps['storage'] {
  const admit: SpanStorage['admitSpans'] = async (tenant, batch) => {
    const matches = batch.matches.map(({ setupVersion, units }) => [setupVersion, listUnits(units)])
    const admission = await storage.admitSpans(tenant, batch)
    if (admission !== 'stale') told.matches.push(Object.fromEntries(matches))
    return admission
  }
  return {
    readCatalogue(tenant, sinceRevision) {
      told.catalogueReads.push(sinceRevision)
      const read = () => storage.readCatalogue(tenant, sinceRevision)
      return changes.readCatalogue ? changes.readCatalogue(read) : read()
    },
    addContents: (tenant, batch) => storage.addContents(tenant, batch),
    admitSpans: (tenant, batch) =>
      changes.admitSpans ? changes.admitSpans(admit, tenant, batch) : admit(tenant, batch),
  }
}

/** A span of a known system; its ids are made of the number. */
export function span(
  at: number,
  attributes: TestSpan['attributes'] = { 'gen_ai.system': 'openai' },
): TestSpan {
  const startUnixNano = 1_700_000_000_999_999_999n
  return { traceId: testId(16, at), spanId: testId(8, at), startUnixNano, attributes }
}

const WHOLE_DAY = { fromSecond: 1_700_000_000, toSecond: 1_700_086_400, isDescending: false, limit: 100 }

/** Everything that is stored, read through the places that the list gives. */
export async function storedSpans(storage: Storage, tenant: ProjectTenant) {
  const refs = await storage.listSpanRefs(tenant, WHOLE_DAY)
  const batches = await storage.readBatches(tenant, [...new Set(refs.map(({ batchId }) => batchId))])
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
