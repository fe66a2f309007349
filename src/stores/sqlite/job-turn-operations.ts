import type { JobState } from '../../domain/job.ts'
import type { JobTurn } from '../../ports/job-storage.ts'
import type { JobRow } from '../shared/job-rows.ts'
import {
  ACTIVE_JOBS,
  type BackfillSetup,
  isComplete,
  JOB_ORDER,
  JOBS_MAX,
  JOBS_WAITING_MAX,
  LIVE_WAITING_MAX,
  SETUP_GONE,
  toBackfillTurn,
} from '../shared/job-turns.ts'
import { stepRerun } from './rerun-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

export function takeTurn(db: SqliteDatabase): JobTurn {
  const nowMs = Date.now()
  const jobs = db
    .all<JobRow>(`SELECT j.* ${ACTIVE_JOBS} ${JOB_ORDER} LIMIT ?`, JOBS_MAX)
    .filter((job) => !settle(db, job, nowMs))
  const heldUp = new Map<number, boolean>()
  const isProjectHeldUp = (project: number) => {
    const known = heldUp.get(project) ?? isHeldUp(db, project)
    heldUp.set(project, known)
    return known
  }
  const next = jobs.find((job) => isReady(db, job) && !isProjectHeldUp(job.project_number))
  if (!next) return { hasWork: false, hasMore: false }
  db.run(
    "UPDATE jobs SET state = 'running', last_turn = (SELECT max(last_turn) + 1 FROM jobs) WHERE number = ?",
    next.number,
  )
  if (next.setup_version === null) return stepRerun(db, next)
  const setup = setupOf(db, next.setup_version)
  return { backfill: toBackfillTurn(next, next.setup_version, setup), hasWork: false, hasMore: true }
}

/** Ends a job that cannot go on or has nothing left to do; true when it did. */
function settle(db: SqliteDatabase, job: JobRow, nowMs: number): boolean {
  const setup = job.setup_version === null ? undefined : setupOf(db, job.setup_version)
  const isOver = job.is_listed === 1 && !hasOpenWork(db, job.number)
  if (setup?.is_gone === 1 && !(isOver && isComplete(job))) {
    endJob(db, job.number, 'failed', nowMs, SETUP_GONE)
    return true
  }
  if (!isOver || (setup && setup.is_gone === 0 && isUnsettled(db, setup))) return false
  endJob(db, job.number, 'done', nowMs)
  return true
}

/** Ends a job for good. */
function endJob(
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

/** Matches of a setup without monitors become work only when the monitors are bound. */
function isUnsettled(db: SqliteDatabase, setup: BackfillSetup): boolean {
  if (setup.is_binding === 1) return true
  const filling = 'SELECT 1 FROM monitors WHERE setup_id = ? AND fill_next <= fill_last LIMIT 1'
  return db.get(filling, setup.setup_id) !== undefined
}

function isReady(db: SqliteDatabase, job: JobRow): boolean {
  if (job.is_listed === 1) return false
  return job.setup_version === null || setupOf(db, job.setup_version).is_binding === 0
}

/** The setup of a version of it. While a worker binds its entries, a backfill brings nothing new: it would be overlooked. */
export function setupOf(db: SqliteDatabase, setupVersion: number): BackfillSetup {
  const row = db.get<BackfillSetup & Record<string, unknown>>(
    `SELECT v.setup_id, s.env_project_id, v.selector, s.status,
       s.lease IS NOT NULL OR s.status IN ('pending', 'in_progress') OR (s.has_news = 1 AND s.status <> 'completed')
         AS is_binding,
       s.deleted_at_ms IS NOT NULL OR v.version <> s.version AS is_gone
     FROM setup_versions v JOIN setups s ON s.id = v.setup_id WHERE v.number = ?`,
    setupVersion,
  )
  if (!row) throw new Error(`setup version ${setupVersion} does not exist`)
  return row
}

function hasOpenWork(db: SqliteDatabase, jobNumber: number): boolean {
  return (
    db.get(
      'SELECT 1 FROM work WHERE state < 2 AND is_judged IN (0, 1) AND job_number = ? LIMIT 1',
      jobNumber,
    ) !== undefined
  )
}

/** Spans of the project that come in go first, and what its jobs have made is done before they make more. */
function isHeldUp(db: SqliteDatabase, project: number): boolean {
  const waiting = (condition: string, max: number) =>
    [0, 1].some(
      (isJudged) =>
        db.get(
          `SELECT 1 FROM work w JOIN monitors m ON m.version_number = w.monitor_version AND m.is_active = 1
           WHERE w.state < 2 AND w.is_judged = ? AND w.project_number = ? AND w.${condition} LIMIT 1 OFFSET ?`,
          isJudged,
          project,
          max,
        ) !== undefined,
    )
  return waiting('job_number = 0', LIVE_WAITING_MAX) || waiting('job_number > 0', JOBS_WAITING_MAX)
}
