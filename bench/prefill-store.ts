// Gives a store a history, through the service's own reading, matching and storage operations; only without HTTP and
// without waiting for the disk. The service must not run meanwhile.

import type { EvaluationOutput } from '../src/domain/evaluation.ts'
import type { EnvironmentTenant } from '../src/domain/tenant.ts'
import { listUnits } from '../src/domain/unit-set.ts'
import { finish } from '../src/lib/sliced.ts'
import { BatchPacker } from '../src/pipeline/ingest/batch-packer.ts'
import type { ClaimedWork, WorkRecord } from '../src/ports/work-storage.ts'
import { digestedThrough, recordDigests } from '../src/stores/sqlite/digest-operations.ts'
import { recordWork } from '../src/stores/sqlite/record-operations.ts'
import { admitSpans, readCatalogue } from '../src/stores/sqlite/span-operations.ts'
import { SqliteDatabase } from '../src/stores/sqlite/sqlite-database.ts'
import { claimWork, readMonitorVersions } from '../src/stores/sqlite/work-operations.ts'
import type { SpanRequest, SpanWorkload } from './span-workload.ts'

/** Large commits, so that a page of an index with random keys is written once for many rows. */
export const SPANS_PER_COMMIT_OF_PREFILL = 250_000
/** The history looks as if so many spans had arrived in a second. */
const SPANS_PER_SECOND = 1_000
const LEASE_MS = 600_000

/** Adds spans, what they matched, the work that followed and its scores, as if they had arrived over the last hours. */
export async function prefillStore(
  file: string,
  tenant: EnvironmentTenant,
  workload: SpanWorkload,
  spanCount: number,
  onProgress: (spans: number) => void,
): Promise<void> {
  const db = SqliteDatabase.openWriter(file)
  db.exec('PRAGMA synchronous = OFF')
  db.exec('PRAGMA cache_size = -4000000')
  const packer = new BatchPacker()
  packer.follow(tenant.projectId, readCatalogue(db, tenant), true)
  const endMs = Date.now()
  for (let done = 0; done < spanCount; ) {
    db.exec('BEGIN IMMEDIATE')
    const end = Math.min(done + SPANS_PER_COMMIT_OF_PREFILL, spanCount)
    while (done < end) {
      const receivedAtMs = endMs - Math.ceil(((spanCount - done) * 1_000) / SPANS_PER_SECOND)
      const request = workload.nextRequest(receivedAtMs)
      const { batch } = finish(packer.pack(tenant, request.body, 'protobuf'))
      if (!batch) throw new Error('the workload made a request without spans')
      const admission = admitSpans(db, tenant, { ...batch, receivedAtMs })
      if (admission === 'stale') throw new Error('the setups changed')
      const digest = packer.digest(admission.batchId, batch, [])
      if (!(await recordDigests(db, digestedThrough(db), [digest], 0)))
        throw new Error('somebody else sums up')
      await recordWork(db, scoreAll(db, request))
      done += request.spans.length
    }
    db.exec('COMMIT')
    onProgress(done)
  }
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
}

function scoreAll(db: SqliteDatabase, request: SpanRequest): WorkRecord[] {
  const claimed = claimWork(db, 'local', 1, LEASE_MS)
  const versions = readMonitorVersions(
    db,
    claimed.map((work) => work.monitorVersion),
  )
  const slugs = new Map(versions.map(({ number, slug }) => [number, slug]))
  return claimed.map((work) => recordOf(work, slugs.get(work.monitorVersion) ?? '', request))
}

function recordOf(work: ClaimedWork, slug: string, { spans }: SpanRequest): WorkRecord {
  const outcomes = listUnits(work.units).map((ordinal) => {
    const span = spans[ordinal]
    if (!span) throw new Error(`the batch has no span ${ordinal}`)
    return {
      ordinal,
      traceId: span.traceId.toString('hex'),
      spanId: span.spanId.toString('hex'),
      unitAtMs: span.startMs,
      status: 'scored' as const,
      output: outputOf(slug, ordinal),
      durationUs: 20,
    }
  })
  return { work, outcomes, sampledOut: 0 }
}

/** Of the size and kind that the evaluators of the workload answer with. */
function outputOf(slug: string, ordinal: number): EvaluationOutput {
  if (slug === 'char-count') return { char_count: 380 + (ordinal % 7) }
  if (slug === 'word-count') return { word_count: 55 + (ordinal % 3) }
  return { is_valid_json: false }
}
