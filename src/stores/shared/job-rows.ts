import type { Job, JobRequest, JobState } from '../../domain/job.ts'

/** The columns of a job. */
export interface JobRow {
  number: number
  id: string
  project_number: number
  request: string
  state: JobState
  setup_version: number | null
  place_ms: number
  place_id: number
  last_id: number
  is_listed: number
  last_turn: number
  looked_at: number
  matched: number
  taken: number
  queued: number
  evaluated: number
  sampled_out: number
  skipped: number
  error_message: string | null
  created_at_ms: number
  finished_at_ms: number | null
}

/** A job as its readers know it. */
export function toJob(row: JobRow): Job {
  const request: JobRequest = JSON.parse(row.request)
  return {
    number: row.number,
    id: row.id,
    request,
    state: row.state,
    lookedAt: row.looked_at,
    matched: row.matched,
    taken: row.taken,
    queued: row.queued,
    evaluated: row.evaluated,
    sampledOut: row.sampled_out,
    skipped: row.skipped,
    isLimitReached: row.taken >= request.limit,
    ...(row.error_message === null ? {} : { errorMessage: row.error_message }),
    createdAtMs: row.created_at_ms,
    ...(row.finished_at_ms === null ? {} : { finishedAtMs: row.finished_at_ms }),
  }
}
