import type { OrgTenant, ProjectTenant } from '../domain/tenant.ts'

/** A deletion. */
export type DeletionKind = 'trace' | 'session' | 'project'

/** A deletion: how much it erases, and whether it has. It does not name what was deleted. */
export interface StoredDeletion {
  readonly id: string
  readonly projectId: string
  readonly kind: DeletionKind
  /** Stored spans and evaluations that are erased, as far as they were found. Absent where they were not counted. */
  readonly spans?: number
  readonly evaluations?: number
  /** Spans that arrived after the deletion, such as out of a stream, and were not taken in. */
  readonly lateSpans: number
  readonly requestedAtMs: number
  /** When it was in no file of the store any more; absent before. */
  readonly erasedAtMs?: number
}

/** A deletion of all data of a project, with what was counted before it. */
export interface ProjectDeletion {
  readonly id: string
  readonly spans?: number
  readonly evaluations?: number
}

/**
 * Deletion on request, confined to its tenant like everything else. Deleted data is hidden from every read when the
 * promise resolves, is not evaluated any more, and is erased later, step by step. Deleting again changes nothing.
 *
 * Spans that have arrived but are not summed up yet belong to nothing that can be named but their trace id. Both methods
 * that delete a part of a project therefore tell the newest batch there was: when it is summed up, everything that had
 * arrived is hidden. Batches that cannot be summed up are looked through by the index of spans.
 *
 * With an id a deletion can be asked about, until nothing that existed at the time is kept any more.
 */
export interface DeletionStorage {
  /** A span of that trace that arrives later is not taken in, for as long as a store keeps anything. */
  deleteTrace(tenant: ProjectTenant, traceId: string, atMs: number, deletionId?: string): Promise<number>
  /**
   * Deletes the traces of the session, and what is said about the session itself. Very many traces take several calls:
   * `hasMore` asks for the next one. A trace that begins later under the same session id is a new one; one that a stream
   * had received before is not.
   */
  deleteSession(
    tenant: ProjectTenant,
    sessionId: string,
    atMs: number,
    deletionId?: string,
  ): Promise<{ readonly newestBatch: number; readonly hasMore: boolean }>
  /**
   * Deletes all received data and everything derived from it, and keeps the configuration. Spans that a stream received before
   * the deletion are not stored later. False when there is no such project.
   */
  deleteProjectData(tenant: ProjectTenant, atMs: number, deletion?: ProjectDeletion): Promise<boolean>
  /** The counts of data that `deleteProjectData` would erase at this moment. It may take long, and holds up no other call. */
  countProjectData(tenant: ProjectTenant): Promise<{ readonly spans: number; readonly evaluations: number }>
  getDeletion(tenant: OrgTenant, id: string): Promise<StoredDeletion | undefined>
}

/** Erasing what was deleted from the files of a store. It serves all tenants; each row it touches carries its project. */
export interface ErasureStorage {
  /**
   * One short step; true when there is more to do. When it answers false, no file of the store holds what was deleted before,
   * unless a reader still needs an older state of it: then a later step does the rest.
   */
  eraseDeleted(nowMs: number): Promise<boolean>
}
