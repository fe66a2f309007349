import { createHash } from 'node:crypto'
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

/** A deletion that is to be remembered; without an id nobody asks about it. */
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
