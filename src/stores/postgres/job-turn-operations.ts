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
import type { Sql } from '../shared/sql.ts'
import { NOW_MS } from './leases.ts'
import { stepRerun } from './rerun-operations.ts'

/** How long the next batches of a backfill are left to one process; matching them takes far less. */
const TURN_MS_MAX = 30_000

/** The columns of a `BackfillSetup`. While a worker binds its entries, a backfill brings nothing new: it would be overlooked. */
export const BACKFILL_SETUP = `v.setup_id, s.env_project_id, v.selector, s.status,
  (s.lease IS NOT NULL OR s.status IN ('pending', 'in_progress') OR (s.has_news = 1 AND s.status <> 'completed'))::int
    AS is_binding,
  (s.deleted_at_ms IS NOT NULL OR v.version <> s.version)::int AS is_gone`

/** A job that is under way, with what its turn depends on; the columns of the setup are null for a rerun. */
interface ActiveJob extends JobRow, BackfillSetup {
  /** Whether everything was looked at and nothing of it waits. */
  is_over: boolean
  /** Whether what was found for a setup without monitors has still to become work. */
  is_filling: boolean
  /** Whether another process is at its next step. */
  is_held: boolean
}

/**
 * All that moves a job is done by the process that holds its project, so that of two processes that choose the same job the second finds
 * it moved on, and chooses again. Rows of jobs are written last: a worker that records holds the work and then wants its job.
 */
export async function takeTurn(tx: Sql, holder: number): Promise<JobTurn> {
  const jobs = await activeJobs(tx, holder)
  const ends = jobs.map((job) => ({ job, end: endOf(job) }))
  const ready = ends.filter(({ job, end }) => end === undefined && isReady(job)).map(({ job }) => job)
  const heldUp = await heldUpProjects(tx, [...new Set(ready.map((job) => job.project_number))])
  const next = ready.find((job) => !heldUp.has(job.project_number))
  const turn = next === undefined ? { hasWork: false, hasMore: false } : await step(tx, holder, next)
  await endJobs(tx, ends)
  return turn
}

function activeJobs(tx: Sql, holder: number): Promise<ActiveJob[]> {
  return tx.all<ActiveJob>(
    `SELECT j.*, ${BACKFILL_SETUP},
       j.is_listed = 1 AND NOT EXISTS (
         SELECT 1 FROM work w WHERE w.state < 2 AND w.is_judged IN (0, 1) AND w.job_number = j.number) AS is_over,
       EXISTS (SELECT 1 FROM monitors m WHERE m.setup_id = v.setup_id AND m.fill_next <= m.fill_last) AS is_filling,
       j.holder IS NOT NULL AND j.holder <> $1 AND j.held_until_ms > ${NOW_MS} AS is_held
     ${ACTIVE_JOBS} LEFT JOIN setup_versions v ON v.number = j.setup_version LEFT JOIN setups s ON s.id = v.setup_id
     ${JOB_ORDER} LIMIT $2`,
    holder,
    JOBS_MAX,
  )
}

/** How a job ends that cannot go on or has nothing left to do. Both stay true, whatever others do meanwhile. */
function endOf(job: ActiveJob): 'failed' | 'done' | undefined {
  const isBackfill = job.setup_version !== null
  if (isBackfill && job.is_gone === 1 && !(job.is_over && isComplete(job))) return 'failed'
  const isUnsettled = isBackfill && job.is_gone === 0 && (job.is_binding === 1 || job.is_filling)
  return job.is_over && !isUnsettled ? 'done' : undefined
}

function isReady(job: ActiveJob): boolean {
  return job.is_listed === 0 && !job.is_held && (job.setup_version === null || job.is_binding === 0)
}

/** The projects whose jobs stand back: their spans that come in go first, and what jobs have made is done before they make more. */
async function heldUpProjects(tx: Sql, projects: readonly number[]): Promise<Set<number>> {
  if (projects.length === 0) return new Set()
  const waiting = (isJudged: number, condition: string, max: number) =>
    `EXISTS (SELECT 1 FROM work w JOIN monitors m ON m.version_number = w.monitor_version AND m.is_active = 1
             WHERE w.state < 2 AND w.is_judged = ${isJudged} AND w.project_number = p.number AND w.${condition}
             LIMIT 1 OFFSET ${max})`
  const conditions = [0, 1].flatMap((isJudged) => [
    waiting(isJudged, 'job_number = 0', LIVE_WAITING_MAX),
    waiting(isJudged, 'job_number > 0', JOBS_WAITING_MAX),
  ])
  const rows = await tx.all<{ number: number }>(
    `SELECT p.number FROM unnest($1::bigint[]) AS p (number) WHERE ${conditions.join(' OR ')}`,
    projects,
  )
  return new Set(rows.map((row) => row.number))
}

async function step(tx: Sql, holder: number, chosen: ActiveJob): Promise<JobTurn> {
  const job = await lockJob(tx, chosen.number)
  const isTaken = !job || job.state !== chosen.state || job.last_turn !== chosen.last_turn
  // Another process was faster, or it was cancelled.
  if (isTaken) return { hasWork: false, hasMore: true }
  const isRerun = job.setup_version === null
  const made = isRerun ? await stepRerun(tx, job) : undefined
  await tx.run(
    `UPDATE jobs SET state = 'running', holder = $1, held_until_ms = CASE WHEN $1::bigint IS NULL THEN 0 ELSE ${NOW_MS} + $2 END,
       last_turn = (SELECT max(last_turn) + 1 FROM jobs WHERE state IN ('queued', 'running'))
     WHERE number = $3`,
    isRerun ? null : holder,
    TURN_MS_MAX,
    job.number,
  )
  if (made) return made
  const backfill = toBackfillTurn(job, chosen.setup_version as number, chosen)
  return { backfill, hasWork: false, hasMore: true }
}

/** A job whose project is then held until the transaction ends; undefined when it is gone or its data was just deleted. */
export async function lockJob(tx: Sql, number: number): Promise<JobRow | undefined> {
  const project = await tx.get(
    `SELECT 1 FROM projects WHERE number = (SELECT project_number FROM jobs WHERE number = $1) FOR NO KEY UPDATE`,
    number,
  )
  return project && tx.get('SELECT * FROM jobs WHERE number = $1', number)
}

async function endJobs(
  tx: Sql,
  ends: readonly { readonly job: ActiveJob; readonly end: 'failed' | 'done' | undefined }[],
): Promise<void> {
  const numbersOf = (wanted: 'failed' | 'done') =>
    ends.flatMap(({ job, end }) => (end === wanted ? [job.number] : []))
  const [done, failed] = [numbersOf('done'), numbersOf('failed')]
  if (done.length + failed.length === 0) return
  await tx.run(
    `UPDATE jobs SET state = CASE WHEN number = ANY($1) THEN 'done' ELSE 'failed' END,
       error_message = CASE WHEN number = ANY($1) THEN NULL ELSE $3 END, finished_at_ms = ${NOW_MS}
     WHERE number IN (SELECT number FROM jobs WHERE number = ANY($1::bigint[] || $2::bigint[]) AND state IN ('queued', 'running')
                      ORDER BY number FOR UPDATE SKIP LOCKED)`,
    done,
    failed,
    SETUP_GONE,
  )
}
