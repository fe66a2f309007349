import { setTimeout } from 'node:timers/promises'
import { notFound } from '../domain/errors.ts'
import type { ProjectTenant } from '../domain/tenant.ts'
import { PublicError } from '../lib/public-error.ts'
import type { StoredDeletion } from '../ports/deletion-storage.ts'
import type { Storage } from '../ports/storage.ts'
import type { ControlDeps } from './setups.ts'

/** Everything that was deleted is erased within this time; it takes seconds unless there is very much of it. */
const ERASED_WITHIN_MS = 86_400_000
/** How long a deletion waits for spans that have arrived just before it to be summed up. */
const SUMMED_UP_MS_MAX = 10_000
const LOOK_MS = 20

/** A deletion with its promise: hidden now, and in no file of the store any more by that time. */
export interface Deletion extends StoredDeletion {
  readonly erasedByMs: number
}

/** Deletes a trace; also an unknown one, so that it is not taken in later. */
export async function deleteTrace(
  deps: ControlDeps,
  tenant: ProjectTenant,
  traceId: string,
  waitMsMax = SUMMED_UP_MS_MAX,
): Promise<Deletion> {
  const { storage, clock, ids } = deps
  const id = ids.newId()
  const newestBatch = await storage.deleteTrace(tenant, traceId, clock.nowMs(), id)
  await untilSummedUp(storage, tenant, newestBatch, waitMsMax)
  return readDeletion(deps, tenant, id)
}

/** Deletes everything of a session that has arrived. */
export async function deleteSession(
  deps: ControlDeps,
  tenant: ProjectTenant,
  sessionId: string,
  waitMsMax = SUMMED_UP_MS_MAX,
): Promise<Deletion> {
  const { storage, clock, ids } = deps
  const id = ids.newId()
  const atMs = clock.nowMs()
  let deleted = await storage.deleteSession(tenant, sessionId, atMs, id)
  const { newestBatch } = deleted
  while (deleted.hasMore) deleted = await storage.deleteSession(tenant, sessionId, atMs, id)
  await untilSummedUp(storage, tenant, newestBatch, waitMsMax)
  return readDeletion(deps, tenant, id)
}

/** Deletes all data of a project. */
export async function deleteProjectData(deps: ControlDeps, tenant: ProjectTenant): Promise<Deletion> {
  const { storage, clock, ids } = deps
  const id = ids.newId()
  const counted = await countProjectData(storage, tenant)
  if (!(await storage.deleteProjectData(tenant, clock.nowMs(), { id, ...counted })))
    throw notFound('project not found')
  return readDeletion(deps, tenant, id)
}

/** How far a deletion is; one of another project of the organization only for those who administer it. */
export async function getDeletion(
  { storage }: Pick<ControlDeps, 'storage'>,
  caller: ProjectTenant & { readonly isAdmin: boolean },
  id: string,
): Promise<Deletion> {
  const found = await storage.getDeletion(caller, id)
  if (!found || (found.projectId !== caller.projectId && !caller.isAdmin))
    throw notFound('deletion not found')
  return { ...found, erasedByMs: found.requestedAtMs + ERASED_WITHIN_MS }
}

function readDeletion(deps: ControlDeps, tenant: ProjectTenant, id: string): Promise<Deletion> {
  return getDeletion(deps, { ...tenant, isAdmin: true }, id)
}

/** A store that is too busy to count deletes all the same. A project that does not exist is found out by deleting it. */
async function countProjectData(storage: Storage, tenant: ProjectTenant) {
  try {
    return await storage.countProjectData(tenant)
  } catch {
    return {}
  }
}

/** Only when spans are summed up it is known to which session they belong, and what of them is to be taken out of the queue. */
async function untilSummedUp(
  { digest }: Storage,
  tenant: ProjectTenant,
  newestBatch: number,
  waitMsMax: number,
): Promise<void> {
  const untilMs = performance.now() + waitMsMax
  while (!(await digest.isDigested(tenant, newestBatch))) {
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
