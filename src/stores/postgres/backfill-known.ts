import type { BackfillRequest } from '../../domain/job.ts'
import { intersects, listUnits } from '../../domain/unit-set.ts'
import type { DecidedBatch } from '../../ports/job-storage.ts'
import { type BackfillMonitor, idsAt, type KnownMatch, type KnownWork } from '../shared/backfill-plan.ts'
import type { JobRow } from '../shared/job-rows.ts'
import type { Sql } from '../shared/sql.ts'

/** The stored facts about the batches that a backfill has looked at. */
export interface KnownBatches {
  isKept(batchId: number): boolean
  isDeleted(batchId: number, ordinal: number): boolean
  matchOf(batchId: number): KnownMatch | undefined
  worksOf(batchId: number, monitorVersion: number): readonly KnownWork[]
  /** Only for monitors that there is work of; the others have evaluated nothing. */
  isEvaluated(batchId: number, ordinal: number, monitorVersion: number): boolean
  /** Whether the job has decided about a trace, in hex, in a step before; only where it counts traces. */
  isCounted(traceId: string): boolean
}

/** Matched spans of some batches, to be looked up at once: `ids` has 24 bytes for each. */
interface Spans {
  readonly places: readonly { readonly batchId: number; readonly ordinal: number }[]
  readonly ids: Uint8Array
}

/** Reads it in a few statements. Work is read before evaluations: what ends in between was evaluated then. */
export async function readKnown(
  tx: Sql,
  job: JobRow,
  batches: readonly DecidedBatch[],
  monitors: readonly BackfillMonitor[],
): Promise<KnownBatches> {
  const { project_number: project, setup_version: setupVersion } = job
  const batchIds = batches.map(({ batchId }) => batchId)
  const kept = await tx.all<{ id: number }>(
    'SELECT id FROM span_batches WHERE id = ANY($1) AND project_number = $2',
    batchIds,
    project,
  )
  const matches = await tx.all<KnownMatch & { batch_id: number }>(
    'SELECT batch_id, units, job_number FROM matches WHERE batch_id = ANY($1) AND setup_version = $2',
    batchIds,
    setupVersion,
  )
  const works = await tx.all<KnownWork & { batch_id: number; monitor_version: number }>(
    'SELECT batch_id, monitor_version, state, units FROM work WHERE batch_id = ANY($1) AND monitor_version = ANY($2)',
    batchIds,
    monitors.map((monitor) => monitor.version_number),
  )
  const spans = matchedSpans(batches)
  const deleted = await deletedSpans(tx, project, spans)
  const evaluated = await evaluatedSpans(tx, [...new Set(works.map((work) => work.monitor_version))], spans)
  const counted = await countedTraces(tx, job, spans)
  const keptIds = new Set(kept.map(({ id }) => id))
  const matchByBatch = new Map(matches.map((match) => [match.batch_id, match]))
  const worksByPlace = Map.groupBy(works, (work) => `${work.batch_id} ${work.monitor_version}`)
  return {
    isKept: (batchId) => keptIds.has(batchId),
    isDeleted: (batchId, ordinal) => deleted.has(`${batchId} ${ordinal}`),
    matchOf: (batchId) => matchByBatch.get(batchId),
    worksOf: (batchId, version) => worksByPlace.get(`${batchId} ${version}`) ?? [],
    isEvaluated: (batchId, ordinal, version) => evaluated.has(`${batchId} ${ordinal} ${version}`),
    isCounted: (traceId) => counted.has(traceId),
  }
}

function matchedSpans(batches: readonly DecidedBatch[]): Spans {
  const places = batches.flatMap(({ batchId, units }) =>
    listUnits(units).map((ordinal) => ({ batchId, ordinal })),
  )
  const ids = batches.flatMap((batch) =>
    listUnits(batch.units).flatMap((ordinal) => {
      const { traceId, spanId } = idsAt(batch, ordinal)
      return [traceId, spanId]
    }),
  )
  return { places, ids: Buffer.concat(ids) }
}

async function deletedSpans(tx: Sql, project: number, { places, ids }: Spans): Promise<Set<string>> {
  const rows = await tx.all<{ at: number }>(
    `SELECT k.at FROM generate_series(0, $2::int - 1) AS k (at)
     JOIN deleted_traces d ON d.project_number = $3 AND d.trace_id = substr($1::bytea, k.at * 24 + 1, 16)`,
    ids,
    places.length,
    project,
  )
  return new Set(rows.map(({ at }) => `${places[at]?.batchId} ${places[at]?.ordinal}`))
}

async function countedTraces(tx: Sql, job: JobRow, { places, ids }: Spans): Promise<Set<string>> {
  const { limitBy }: BackfillRequest = JSON.parse(job.request)
  if (limitBy !== 'traces') return new Set()
  const rows = await tx.all<{ at: number; matched: Uint8Array; placed: Uint8Array }>(
    `SELECT k.at, t.units AS matched, p.units AS placed FROM generate_series(0, $2::int - 1) AS k (at)
     JOIN trace_places p ON p.project_number = $3 AND p.trace_id = substr($1::bytea, k.at * 24 + 1, 16)
     JOIN matches t ON t.batch_id = p.batch_id AND t.setup_version = $4 AND t.job_number = $5`,
    ids,
    places.length,
    job.project_number,
    job.setup_version,
    job.number,
  )
  const isDecided = rows.filter(({ matched, placed }) => intersects(matched, placed))
  return new Set(isDecided.map(({ at }) => Buffer.from(ids.subarray(at * 24, at * 24 + 16)).toString('hex')))
}

async function evaluatedSpans(
  tx: Sql,
  monitorVersions: readonly number[],
  { places, ids }: Spans,
): Promise<Set<string>> {
  if (monitorVersions.length === 0) return new Set()
  const rows = await tx.all<{ at: number; monitor_version: number }>(
    `SELECT k.at, e.monitor_version FROM generate_series(0, $2::int - 1) AS k (at)
     JOIN evaluations e ON e.monitor_version = ANY($3) AND e.trace_id = substr($1::bytea, k.at * 24 + 1, 16)
       AND e.span_id = substr($1::bytea, k.at * 24 + 17, 8)`,
    ids,
    places.length,
    monitorVersions,
  )
  return new Set(
    rows.map(
      ({ at, monitor_version: version }) => `${places[at]?.batchId} ${places[at]?.ordinal} ${version}`,
    ),
  )
}
