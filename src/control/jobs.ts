import { notFound } from '../domain/errors.ts'
import type { Job, JobRequest } from '../domain/job.ts'
import type { ProjectTenant } from '../domain/tenant.ts'
import { PublicError } from '../lib/public-error.ts'
import type { ControlDeps } from './setups.ts'

/** Most jobs of one project that are under way at the same time. */
const ACTIVE_JOBS_MAX = 20

/** Stores a job, which is carried out while nothing else waits. */
export async function startJob(
  { storage, clock, ids, onJobsChanged }: ControlDeps,
  tenant: ProjectTenant,
  request: JobRequest,
): Promise<Job> {
  const made = await storage.createJob(tenant, {
    id: ids.newId(),
    request,
    atMs: clock.nowMs(),
    activeMax: ACTIVE_JOBS_MAX,
  })
  if (made === 'no_setup') throw notFound('setup not found')
  if (made === 'full')
    throw new PublicError(
      'overloaded',
      `${ACTIVE_JOBS_MAX} jobs of the project are under way; wait for one to end or cancel one`,
    )
  onJobsChanged?.()
  return made
}

/** The job of that id, or a `not found` error. */
export async function getJob({ storage }: ControlDeps, tenant: ProjectTenant, id: string): Promise<Job> {
  const job = await storage.getJob(tenant, id)
  if (!job) throw notFound('job not found')
  return job
}

/** Ends a job and what it has queued; one that has ended stays as it is. */
export async function cancelJob(
  { storage, clock }: ControlDeps,
  tenant: ProjectTenant,
  id: string,
): Promise<Job> {
  const job = await storage.cancelJob(tenant, id, clock.nowMs())
  if (!job) throw notFound('job not found')
  return job
}
