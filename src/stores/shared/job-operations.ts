import type { Job } from '../../domain/job.ts'
import type { ProjectTenant } from '../../domain/tenant.ts'
import type { NewJob } from '../../ports/job-storage.ts'
import { type JobRow, toJob } from './job-rows.ts'
import { projectOf } from './project-of.ts'
import type { Sql } from './sql.ts'
import { OPEN_WORK_OF_JOB, WORK_STATE } from './work-state.ts'

const ACTIVE = "state IN ('queued', 'running')"

export async function createJob(
  tx: Sql,
  tenant: ProjectTenant,
  { id, request, atMs, activeMax }: NewJob,
): Promise<Job | 'full' | 'no_setup'> {
  // Of several jobs that are asked for at once, each sees those before it: together they stay within the limit.
  const { number: project } = await tx.lock.project(tenant)
  const active = await tx.get<{ count: number }>(
    `SELECT count(*) AS count FROM jobs WHERE project_number = $1 AND ${ACTIVE}`,
    project,
  )
  if ((active?.count ?? 0) >= activeMax) return 'full'
  const setupVersion =
    request.kind === 'backfill' ? await currentVersion(tx, tenant, request.externalId) : null
  if (setupVersion === undefined) return 'no_setup'
  const row = await tx.get<JobRow>(
    `INSERT INTO jobs (id, project_number, kind, request, state, setup_version, place_ms, place_id, last_id, created_at_ms)
     VALUES ($1, $2, $3, $4, 'queued', $5, $6, 0, $7, $8) RETURNING *`,
    id,
    project,
    request.kind,
    JSON.stringify(request),
    setupVersion,
    // No batch of the window has arrived at its end or later, so that the way back begins here.
    request.kind === 'backfill' ? request.toMs : 0,
    request.kind === 'rerun' ? await newestEvaluation(tx, project) : 0,
    atMs,
  )
  return toJob(row as JobRow)
}

async function currentVersion(
  tx: Sql,
  tenant: ProjectTenant,
  externalId: string,
): Promise<number | undefined> {
  const row = await tx.get<{ number: number }>(
    `SELECT v.number FROM setups s JOIN setup_versions v ON v.setup_id = s.id AND v.version = s.version
     WHERE s.org_id = $1 AND s.project_id = $2 AND s.external_id = $3 AND s.deleted_at_ms IS NULL`,
    tenant.orgId,
    tenant.projectId,
    externalId,
  )
  return row?.number
}

/**
 * The end of what a rerun goes over. Numbers are handed out before what they number can be seen, so that a smaller one may come
 * to light behind the place where the rerun is. No process records while this is read: every evaluation with a number up to
 * this one is there, and every later one has a larger number.
 */
async function newestEvaluation(tx: Sql, projectNumber: number): Promise<number> {
  await tx.lock.recording(projectNumber)
  const row = await tx.get<{ number: number | null }>(
    'SELECT max(number) AS number FROM evaluations WHERE project_number = $1',
    projectNumber,
  )
  return row?.number ?? 0
}

export async function getJob(db: Sql, tenant: ProjectTenant, id: string): Promise<Job | undefined> {
  const row = await db.get<JobRow>(
    'SELECT * FROM jobs WHERE project_number = $1 AND id = $2',
    (await projectOf(db, tenant)).number,
    id,
  )
  return row && toJob(row)
}

export async function listJobs(
  db: Sql,
  tenant: ProjectTenant,
  {
    beforeNumber = Number.MAX_SAFE_INTEGER,
    limit,
  }: { readonly beforeNumber?: number; readonly limit: number },
): Promise<Job[]> {
  const rows = await db.all<JobRow>(
    'SELECT * FROM jobs WHERE project_number = $1 AND number < $2 ORDER BY number DESC LIMIT $3',
    (await projectOf(db, tenant)).number,
    beforeNumber,
    limit,
  )
  return rows.map(toJob)
}

export async function cancelJob(
  tx: Sql,
  tenant: ProjectTenant,
  id: string,
  atMs: number,
): Promise<Job | undefined> {
  // No process makes more work for the job meanwhile, and of two that cancel it, the second finds it cancelled.
  await tx.lock.project(tenant)
  const job = await getJob(tx, tenant, id)
  if (!job || (job.state !== 'queued' && job.state !== 'running')) return job
  // A worker that records some of its work has done so before, or finds that it is cancelled.
  await tx.lock.openWorkOf(job.number)
  // A worker that holds some of it can no longer publish.
  await tx.run(
    `UPDATE work SET state = $1, ${tx.dialect.released} WHERE ${OPEN_WORK_OF_JOB} = $2`,
    WORK_STATE.cancelled,
    job.number,
  )
  await tx.run(
    `UPDATE jobs SET state = 'cancelled', finished_at_ms = $1 WHERE number = $2 AND ${ACTIVE}`,
    atMs,
    job.number,
  )
  return getJob(tx, tenant, id)
}
