import type { ProjectScope } from '../domain/tenant.ts'

/**
 * Deletion on request, confined to a scope like everything a tenant can reach. What is deleted is hidden from every read
 * when the promise resolves, is not evaluated any more, and is erased later, step by step. Deleting again changes nothing.
 *
 * Spans that have arrived but are not summed up yet belong to nothing that can be named but their trace id. Both methods
 * that delete a part of a project therefore tell the newest batch there was: when it is summed up, everything that had
 * arrived is hidden.
 */
export interface DeletionStorage {
  /** A span of that trace that arrives later is not taken in, for as long as a store keeps anything. */
  deleteTrace(scope: ProjectScope, traceId: string, atMs: number): Promise<number>
  /**
   * Deletes the traces of the session, and what is said about the session itself. Very many traces take several calls:
   * `hasMore` asks for the next one. A trace that begins later under the same session id is a new one.
   */
  deleteSession(
    scope: ProjectScope,
    sessionId: string,
    atMs: number,
  ): Promise<{ readonly newestBatch: number; readonly hasMore: boolean }>
  /** Everything that came in and everything that came of it; what was configured stays. False when there is no such project. */
  deleteProjectData(scope: ProjectScope, atMs: number): Promise<boolean>
}

/** Erasing what was deleted from the files of a store. It serves all tenants; each row it touches carries its project. */
export interface ErasureStorage {
  /**
   * One short step; true when there is more to do. When it answers false, no file of the store holds what was deleted before,
   * unless a reader still needs an older state of it: then a later step does the rest.
   */
  eraseDeleted(nowMs: number): Promise<boolean>
}
