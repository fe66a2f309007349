import type { BackfillRequest } from '../../domain/job.ts'
import type { SetupStatus } from '../../domain/setup-status.ts'
import type { BackfillTurn } from '../../ports/job-storage.ts'
import type { JobRow } from './job-rows.ts'

/** So many pieces of work that came with spans may wait before jobs stand back. */
export const LIVE_WAITING_MAX = 100
/** So many pieces of work of jobs may wait before more is made. */
export const JOBS_WAITING_MAX = 500
/** Most jobs that are looked at for one turn. */
export const JOBS_MAX = 200

/**
 * Jobs that are under way, in the order of their turns: projects take turns, and the jobs of one project do among themselves,
 * so that a project with many jobs makes no other wait longer than one with a single job does.
 */
export const ACTIVE_JOBS = `FROM (
    SELECT number, row_number() OVER (PARTITION BY project_number ORDER BY last_turn, number) AS place,
      max(last_turn) OVER (PARTITION BY project_number) AS project_turn
    FROM jobs WHERE state IN ('queued', 'running')) t
  JOIN jobs j ON j.number = t.number`
/** How they are ordered. */
export const JOB_ORDER = 'ORDER BY t.place, t.project_turn, t.number'

/** Why a backfill ends whose setup is no longer what it was asked for. */
export const SETUP_GONE = 'the setup was changed or deleted; start another job for its new version'

/** The setup of a backfill, as far as its turn depends on it. */
export interface BackfillSetup {
  setup_id: string
  env_project_id: string
  selector: string
  status: SetupStatus
  /** Whether spans have matched that were not looked at for binding, or a worker is binding now. */
  is_binding: number
  /** Whether the version of the job is no longer the current one, or the setup is gone. */
  is_gone: number
}

/** Whether everything that the job has asked for was evaluated or left out. */
export function isComplete(job: Pick<JobRow, 'queued' | 'evaluated' | 'sampled_out' | 'skipped'>): boolean {
  return job.queued <= job.evaluated + job.sampled_out + job.skipped
}

/** The next step of a backfill, from the place where it is. */
export function toBackfillTurn(job: JobRow, setupVersion: number, setup: BackfillSetup): BackfillTurn {
  const { fromMs, samplingRate, traceId } = JSON.parse(job.request) as BackfillRequest
  return {
    jobNumber: job.number,
    setup: {
      setupVersion,
      setupId: setup.setup_id,
      envProjectId: setup.env_project_id,
      selector: JSON.parse(setup.selector),
    },
    request: { fromMs, samplingRate, ...(traceId === undefined ? {} : { traceId }) },
    before: { receivedAtMs: job.place_ms, batchId: job.place_id },
  }
}
