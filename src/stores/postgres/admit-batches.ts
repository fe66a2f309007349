import { crc32 } from 'node:zlib'
import type { ProjectTenant } from '../../domain/tenant.ts'
import { addUnit, countUnits, emptyUnits, removeUnits, type UnitSet } from '../../domain/unit-set.ts'
import type { Admission, PackedBatch } from '../../ports/span-storage.ts'
import type { Sql } from '../shared/sql.ts'
import { countLateOf } from './deletion-counts.ts'
import { lockProject } from './lock-project.ts'

/** A batch on its way into the store, with the environment that its spans came from. */
export interface ArrivingBatch {
  readonly envProjectId: string
  readonly batch: PackedBatch
}

interface NumberedBatch extends ArrivingBatch {
  readonly id: number
  /** Spans that are stored already, stand twice, or belong to a deleted trace; absent when there is none. */
  readonly repeated?: UnitSet
  readonly newSpans: number
}

/**
 * Stores batches of one project in one transaction, in the order in which they stand, with as many statements for many as for
 * one. Numbers are drawn while the project is held, so that batches become visible in their order.
 */
export async function admitBatches(
  tx: Sql,
  tenant: ProjectTenant,
  arriving: readonly ArrivingBatch[],
): Promise<Admission[]> {
  const project = await lockProject(tx, tenant)
  const isDeleted = ({ batch }: ArrivingBatch) =>
    batch.isQueued === true && batch.receivedAtMs <= (project.data_deleted_at_ms ?? 0)
  const current = arriving.filter(
    (item) =>
      (item.batch.revision === project.catalogue_revision || item.batch.isDecidedAfterArrival === true) &&
      !isDeleted(item),
  )
  const late = arriving.filter(isDeleted).reduce((count, { batch }) => count + batch.startSeconds.length, 0)
  if (late > 0) await countLateOf(tx, tenant, late)
  const numbered = current.length > 0 ? await insertSpans(tx, project.number, current) : []
  const stored = numbered.filter(({ newSpans }) => newSpans > 0)
  // Of a batch in which everything was here before nothing stays; a sender that repeats itself must not fill the disk.
  if (stored.length > 0) await insertBatches(tx, project.number, stored)
  const decided = await insertDecisions(tx, stored)
  const byBatch = new Map(numbered.map((item) => [item.batch, item]))
  return arriving.map((given) => {
    const item = byBatch.get(given.batch)
    if (!item && isDeleted(given)) return { batchId: 0, newSpans: 0, hasWork: false, hasUnbound: false }
    if (!item) return 'stale'
    const { id: batchId, newSpans } = item
    return {
      batchId,
      newSpans,
      hasWork: decided.withWork.has(batchId),
      hasUnbound: decided.withNews.has(batchId),
    }
  })
}

/** The index of spans. Ids travel as one value, and only what was left out comes back. */
async function insertSpans(
  tx: Sql,
  projectNumber: number,
  arriving: readonly ArrivingBatch[],
): Promise<NumberedBatch[]> {
  const rows = await tx.all<{ id: number; repeated: number[] | null }>(
    `WITH arriving AS MATERIALIZED (
       SELECT nextval('batch_numbers') AS id, spans, spans_before
       FROM unnest($2::bigint[], $3::bigint[]) WITH ORDINALITY AS a (spans, spans_before, place) ORDER BY place),
     given AS MATERIALIZED (
       SELECT a.id AS batch_id, o.ordinal, ($4::bigint[])[a.spans_before + o.ordinal + 1] AS second,
         substr($5::bytea, ((a.spans_before + o.ordinal) * 24 + 1)::int, 16) AS trace_id,
         substr($5::bytea, ((a.spans_before + o.ordinal) * 24 + 17)::int, 8) AS span_id
       FROM arriving a CROSS JOIN LATERAL generate_series(0, a.spans - 1) AS o (ordinal)),
     stored AS (
       INSERT INTO spans (project_number, second, trace_id, span_id, batch_id, ordinal)
       SELECT $1, second, trace_id, span_id, batch_id, ordinal FROM given g
       WHERE NOT EXISTS (SELECT 1 FROM deleted_traces d WHERE d.project_number = $1 AND d.trace_id = g.trace_id)
       ORDER BY batch_id, ordinal
       ON CONFLICT DO NOTHING RETURNING batch_id, ordinal),
     late AS (
       UPDATE deletions SET late_spans = late_spans + l.spans FROM (
         SELECT d.deletion_id, count(*) AS spans
         FROM given g JOIN deleted_traces d ON d.project_number = $1 AND d.trace_id = g.trace_id
         WHERE d.deletion_id IS NOT NULL GROUP BY d.deletion_id) l
       WHERE id = l.deletion_id),
     repeated AS (
       SELECT g.batch_id, array_agg(g.ordinal::int) AS ordinals
       FROM given g LEFT JOIN stored s ON s.batch_id = g.batch_id AND s.ordinal = g.ordinal
       WHERE s.ordinal IS NULL GROUP BY g.batch_id)
     SELECT a.id, r.ordinals AS repeated FROM arriving a LEFT JOIN repeated r ON r.batch_id = a.id ORDER BY a.id`,
    projectNumber,
    arriving.map(({ batch }) => batch.startSeconds.length),
    startsOf(arriving.map(({ batch }) => batch.startSeconds.length)),
    arriving.flatMap(({ batch }) => Array.from(batch.startSeconds)),
    Buffer.concat(arriving.map(({ batch }) => batch.ids)),
  )
  return arriving.map((item, at) => {
    const { id, repeated } = rows[at] as { id: number; repeated: number[] | null }
    const spanCount = item.batch.startSeconds.length
    if (repeated === null) return { ...item, id, newSpans: spanCount }
    const units = emptyUnits(spanCount)
    for (const ordinal of repeated) addUnit(units, ordinal)
    return { ...item, id, repeated: units, newSpans: spanCount - repeated.length }
  })
}

/** The batches themselves, and that they wait to be summed up. A second copy of a span would outlive its trace: it is erased. */
async function insertBatches(
  tx: Sql,
  projectNumber: number,
  batches: readonly NumberedBatch[],
): Promise<void> {
  const lengths = batches.map(({ batch }) => batch.bytes.length)
  await tx.run(
    `WITH given AS MATERIALIZED (
       SELECT * FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[],
           $9::bytea[], $10::bigint[], $11::bigint[], $13::bigint[], $14::smallint[])
         AS g (id, env_project_id, revision, received_at_ms, span_count, byte_length, known_faults, repeated,
           bytes_before, bytes_length, checksum, is_queued)),
     newest AS (
       INSERT INTO digest_progress AS p (project_number, through, newest) SELECT $1, 0, max(id) FROM given
       ON CONFLICT (project_number) DO UPDATE SET newest = greatest(p.newest, excluded.newest)),
     erased AS (INSERT INTO erasures (batch_id, units) SELECT id, repeated FROM given WHERE repeated IS NOT NULL)
     INSERT INTO span_batches (id, project_number, env_project_id, revision, received_at_ms, span_count, byte_length,
       known_faults, repeated, bytes, checksum, is_queued)
     SELECT id, $1, env_project_id, revision, received_at_ms, span_count, byte_length, known_faults, repeated,
       substr($12::bytea, (bytes_before + 1)::int, bytes_length::int), checksum, is_queued FROM given`,
    projectNumber,
    batches.map(({ id }) => id),
    batches.map(({ envProjectId }) => envProjectId),
    batches.map(({ batch }) => batch.revision),
    batches.map(({ batch }) => batch.receivedAtMs),
    batches.map(({ batch }) => batch.startSeconds.length),
    batches.map(({ batch }) => batch.byteLength),
    batches.map(({ batch }) => (batch.knownFaults.length > 0 ? JSON.stringify(batch.knownFaults) : null)),
    batches.map(({ repeated }) => repeated ?? null),
    startsOf(lengths),
    lengths,
    Buffer.concat(batches.map(({ batch }) => batch.bytes)),
    batches.map(({ batch }) => crc32(batch.bytes)),
    batches.map(({ batch }) => (batch.isQueued ? 1 : null)),
  )
}

/**
 * Stores the decisions about the batches and the work that follows from them, and finds the setups for which it is news
 * that spans matched.
 */
async function insertDecisions(
  tx: Sql,
  batches: readonly NumberedBatch[],
): Promise<{ withWork: Set<number>; withNews: Set<number> }> {
  const matches = batches.flatMap(matchesOf)
  if (matches.length === 0) return { withWork: new Set(), withNews: new Set() }
  const rows = await tx.all<{ batch_id: number; is_news: number }>(
    `WITH given AS MATERIALIZED (
       SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bytea[]) AS g (batch_id, setup_version, units)),
     decided AS (
       INSERT INTO matches (batch_id, setup_version, units) SELECT batch_id, setup_version, units FROM given),
     queued AS (
       INSERT INTO work (batch_id, monitor_version, project_number, units, unit_count, is_judged)
       SELECT g.batch_id, m.version_number, m.project_number, g.units, bit_count(g.units), m.is_judged
       FROM given g JOIN monitors m ON m.setup_version = g.setup_version
       WHERE m.is_active = 1 AND m.is_gathered = 0 RETURNING batch_id),
     told AS (
       UPDATE setups s SET has_news = s.can_heal, first_match = coalesce(s.first_match, n.batch_id)
       FROM (SELECT v.setup_id, min(g.batch_id) AS batch_id FROM given g JOIN setup_versions v ON v.number = g.setup_version
             GROUP BY v.setup_id) n
       WHERE s.id = n.setup_id AND s.status <> 'completed' AND (s.first_match IS NULL OR s.has_news < s.can_heal)
       RETURNING n.batch_id)
     SELECT batch_id, 0 AS is_news FROM queued UNION SELECT batch_id, 1 FROM told`,
    matches.map((match) => match.batchId),
    matches.map((match) => match.setupVersion),
    matches.map((match) => match.units),
  )
  const ids = (isNews: number) =>
    new Set(rows.filter((row) => row.is_news === isNews).map((row) => row.batch_id))
  return { withWork: ids(0), withNews: ids(1) }
}

interface Match {
  readonly batchId: number
  readonly setupVersion: number
  readonly units: UnitSet
}

// The sets are copied: a transaction that has to be done again finds the batch as it came.
function matchesOf({ id, batch, repeated }: NumberedBatch): Match[] {
  return batch.matches.flatMap(({ setupVersion, units: matched }) => {
    const units = Uint8Array.from(matched)
    if (repeated) removeUnits(units, repeated)
    return countUnits(units) > 0 ? [{ batchId: id, setupVersion, units }] : []
  })
}

/** Where each part begins when parts of these lengths stand one after the other. */
function startsOf(lengths: readonly number[]): number[] {
  let next = 0
  return lengths.map((length) => {
    const start = next
    next += length
    return start
  })
}
