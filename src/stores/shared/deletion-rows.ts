import { createHash } from 'node:crypto'
import type { ProjectTenant } from '../../domain/tenant.ts'
import type { DeletionKind, StoredDeletion } from '../../ports/deletion-storage.ts'

/** A deletion as it is stored. */
export interface DeletionRow {
  id: string
  project_id: string
  kind: DeletionKind
  spans: number | null
  evaluations: number | null
  late_spans: number
  requested_at_ms: number
  erased_at_ms: number | null
}

/** A deletion that is to be remembered; one without an id cannot be asked about. */
export interface NewDeletion {
  readonly id?: string | undefined
  readonly project: number
  readonly kind: DeletionKind
  readonly throughBatch: number
  readonly atMs: number
  /** A count made before the rows are hidden, where hiding does not count them. */
  readonly spans?: number | undefined
  readonly evaluations?: number | undefined
}

/** When something was deleted, and under which id its parts are counted. */
export interface DeletionRequest {
  readonly atMs: number
  readonly deletionId: string | undefined
}

/** Remembers a deletion, with the values of `toDeletionValues`; one that is repeated goes on as it is. */
export const INSERT_DELETION = `INSERT INTO deletions
  (id, org_id, project_id, project_number, kind, through_batch, spans, evaluations, requested_at_ms)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (id) DO NOTHING`

/** The values of `INSERT_DELETION`. The parts of a deletion are counted from nothing, unless it is all data of a project. */
export function toDeletionValues({ orgId, projectId }: ProjectTenant, id: string, deletion: NewDeletion) {
  const { project, kind, throughBatch, atMs } = deletion
  const [spans, evaluations] =
    kind === 'project' ? [deletion.spans ?? null, deletion.evaluations ?? null] : [0, 0]
  return [id, orgId, projectId, project, kind, throughBatch, spans, evaluations, atMs]
}

/** Adds spans and evaluations to what a deletion erases: there is something to be erased again, also when it was finished. */
export const COUNT_DELETED =
  'UPDATE deletions SET spans = spans + $1, evaluations = evaluations + $2, erased_at_ms = NULL WHERE id = $3'

/** The same for spans $1 of the trace $3 of the project $2 that were found after it was deleted. */
export const COUNT_HIDDEN = `UPDATE deletions SET spans = spans + $1, erased_at_ms = NULL WHERE id = (
  SELECT deletion_id FROM deleted_traces WHERE project_number = $2 AND trace_id = $3)`

/** Counts spans that came when all data of their project was deleted already. */
export const COUNT_LATE_OF_PROJECT = `UPDATE deletions SET late_spans = late_spans + $1 WHERE id = (
  SELECT id FROM deletions WHERE project_id = $2 AND kind = 'project' ORDER BY requested_at_ms DESC LIMIT 1)`

/** Reads the columns of a `DeletionRow`. */
export const SELECT_DELETION =
  'SELECT id, project_id, kind, spans, evaluations, late_spans, requested_at_ms, erased_at_ms FROM deletions'

/** A row of `SELECT_DELETION` as the port wants it. */
export function toDeletion(row: DeletionRow): StoredDeletion {
  return {
    id: row.id,
    projectId: row.project_id,
    kind: row.kind,
    ...(row.spans === null ? {} : { spans: row.spans }),
    ...(row.evaluations === null ? {} : { evaluations: row.evaluations }),
    lateSpans: row.late_spans,
    requestedAtMs: row.requested_at_ms,
    ...(row.erased_at_ms === null ? {} : { erasedAtMs: row.erased_at_ms }),
  }
}

/** A hash of the id of a deleted session; the id itself may name a person. */
export function hashOf(sessionId: string): Buffer {
  return createHash('sha256').update(sessionId).digest()
}

const OF_SESSION = 'SELECT t.trace_id FROM traces t WHERE t.project_number = $1 AND t.session_id = $2'
const PLACES =
  'SELECT 1 FROM trace_places p WHERE p.project_number = t.project_number AND p.trace_id = t.trace_id'

/**
 * The traces of session $2 of project $1 that had begun by batch $3. A trace without any batch has outlived its spans, as one does
 * whose client had a clock that was ahead.
 */
export const SELECT_BEGUN_TRACES = `${OF_SESSION} AND EXISTS (${PLACES} AND p.batch_id <= $3)
  UNION ALL ${OF_SESSION} AND NOT EXISTS (${PLACES})`

/** A session that is deleted and not erased yet. */
export interface DeletedSessionRow {
  project_number: number
  session_id: string
  /** Spans up to this batch are deleted. */
  through_batch: number
  deleted_at_ms: number
  deletion_id: string | null
}
