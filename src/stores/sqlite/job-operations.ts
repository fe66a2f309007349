import type { Job, JobState } from '../../domain/job.ts'
import type { ProjectScope } from '../../domain/tenant.ts'
import type { NewJob } from '../../ports/job-storage.ts'
import { type JobRow, toJob } from '../shared/job-rows.ts'
import { projectOf } from './span-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { WORK_STATE } from './work-state.ts'

export function createJob(
  db: SqliteDatabase,
  scope: ProjectScope,
  { id, request, atMs, activeMax }: NewJob,
): Job | 'full' | 'no_setup' {
  const { number: project } = projectOf(db, scope)
  const active = db.get<{ count: number }>(
    "SELECT count(*) AS count FROM jobs WHERE project_number = ? AND state IN ('queued', 'running')",
    project,
  )
  if ((active?.count ?? 0) >= activeMax) return 'full'
  const setupVersion = request.kind === 'backfill' ? currentVersion(db, scope, request.externalId) : null
  if (setupVersion === undefined) return 'no_setup'
  db.run(
    `INSERT INTO jobs (id, project_number, kind, request, state, setup_version, place_ms, place_id, last_id, created_at_ms)
     VALUES (?, ?, ?, ?, 'queued', ?, ?, 0, ?, ?)`,
    id,
    project,
    request.kind,
    JSON.stringify(request),
    setupVersion,
    // No batch of the window has arrived at its end or later, so that the way back begins here.
    request.kind === 'backfill' ? request.toMs : 0,
    newestEvaluation(db),
    atMs,
  )
  return readJob(db, db.lastInsertedId())
}

function currentVersion(db: SqliteDatabase, scope: ProjectScope, externalId: string): number | undefined {
  return db.get<{ number: number }>(
    `SELECT v.number FROM setups s JOIN setup_versions v ON v.setup_id = s.id AND v.version = s.version
     WHERE s.org_id = ? AND s.project_id = ? AND s.external_id = ? AND s.deleted_at_ms IS NULL`,
    scope.orgId,
    scope.projectId,
    externalId,
  )?.number
}

function newestEvaluation(db: SqliteDatabase): number {
  return db.get<{ number: number | null }>('SELECT max(number) AS number FROM evaluations')?.number ?? 0
}

export function getJob(db: SqliteDatabase, scope: ProjectScope, id: string): Job | undefined {
  const row = db.get<JobRow>(
    'SELECT * FROM jobs WHERE project_number = ? AND id = ?',
    projectOf(db, scope).number,
    id,
  )
  return row && toJob(row)
}

export function listJobs(
  db: SqliteDatabase,
  scope: ProjectScope,
  {
    beforeNumber = Number.MAX_SAFE_INTEGER,
    limit,
  }: { readonly beforeNumber?: number; readonly limit: number },
): Job[] {
  return db
    .all<JobRow>(
      'SELECT * FROM jobs WHERE project_number = ? AND number < ? ORDER BY number DESC LIMIT ?',
      projectOf(db, scope).number,
      beforeNumber,
      limit,
    )
    .map(toJob)
}

export function cancelJob(
  db: SqliteDatabase,
  scope: ProjectScope,
  id: string,
  atMs: number,
): Job | undefined {
  const job = getJob(db, scope, id)
  if (!job || (job.state !== 'queued' && job.state !== 'running')) return job
  endJob(db, job.number, 'cancelled', atMs)
  // A worker that holds some of it can no longer publish.
  db.run(
    'UPDATE work SET state = ?, lease = NULL WHERE state < 2 AND is_judged IN (0, 1) AND job_number = ?',
    WORK_STATE.cancelled,
    job.number,
  )
  return readJob(db, job.number)
}

/** Ends a job for good. */
export function endJob(
  db: SqliteDatabase,
  number: number,
  state: JobState,
  atMs: number,
  errorMessage?: string,
): void {
  db.run(
    'UPDATE jobs SET state = ?, error_message = ?, finished_at_ms = ? WHERE number = ?',
    state,
    errorMessage ?? null,
    atMs,
    number,
  )
}

function readJob(db: SqliteDatabase, number: number): Job {
  const row = db.get<JobRow>('SELECT * FROM jobs WHERE number = ?', number)
  if (!row) throw new Error(`job ${number} does not exist`)
  return toJob(row)
}
