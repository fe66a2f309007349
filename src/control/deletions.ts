import { setTimeout } from 'node:timers/promises'
import { notFound, PublicError } from '../domain/errors.ts'
import type { ProjectScope } from '../domain/tenant.ts'
import type { Storage } from '../ports/storage.ts'
import type { ControlDeps } from './setups.ts'

/** Everything that was deleted is erased within this time; it takes seconds unless there is very much of it. */
const ERASED_WITHIN_MS = 86_400_000
/** How long a deletion waits for spans that have arrived just before it to be summed up. */
const SUMMED_UP_MS_MAX = 10_000
const LOOK_MS = 20

/** What a deletion promises: hidden now, and in no file of the store any more by that time. */
export interface Deletion {
  readonly erasedByMs: number
}

/** Deletes a trace; also one that nobody knows, so that it is not taken in later. */
export async function deleteTrace(
  { storage, clock }: ControlDeps,
  scope: ProjectScope,
  traceId: string,
  waitMsMax = SUMMED_UP_MS_MAX,
): Promise<Deletion> {
  const atMs = clock.nowMs()
  const newestBatch = await storage.deleteTrace(scope, traceId, atMs)
  await untilSummedUp(storage, scope, newestBatch, waitMsMax)
  return { erasedByMs: atMs + ERASED_WITHIN_MS }
}

/** Deletes everything of a session that has arrived. */
export async function deleteSession(
  { storage, clock }: ControlDeps,
  scope: ProjectScope,
  sessionId: string,
  waitMsMax = SUMMED_UP_MS_MAX,
): Promise<Deletion> {
  const atMs = clock.nowMs()
  let deleted = await storage.deleteSession(scope, sessionId, atMs)
  const { newestBatch } = deleted
  while (deleted.hasMore) deleted = await storage.deleteSession(scope, sessionId, atMs)
  await untilSummedUp(storage, scope, newestBatch, waitMsMax)
  return { erasedByMs: atMs + ERASED_WITHIN_MS }
}

/** Deletes all data of a project. */
export async function deleteProjectData(
  { storage, clock }: ControlDeps,
  scope: ProjectScope,
): Promise<Deletion> {
  const atMs = clock.nowMs()
  if (!(await storage.deleteProjectData(scope, atMs))) throw notFound('project not found')
  return { erasedByMs: atMs + ERASED_WITHIN_MS }
}

/** Only when spans are summed up it is known to which session they belong, and what of them is to be taken out of the queue. */
async function untilSummedUp(
  { digest }: Storage,
  scope: ProjectScope,
  newestBatch: number,
  waitMsMax: number,
): Promise<void> {
  const untilMs = performance.now() + waitMsMax
  while (!(await digest.isDigested(scope, newestBatch))) {
    if (performance.now() > untilMs) {
      throw new PublicError(
        'unavailable',
        'the deletion is stored, but spans that arrived just before it are not hidden everywhere yet; repeat the request to ' +
          'learn when they are',
        SUMMED_UP_MS_MAX,
      )
    }
    await setTimeout(LOOK_MS)
  }
}
