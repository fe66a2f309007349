import type { RerunRequest } from '../../domain/job.ts'
import { addUnit, emptyUnits, hasUnit } from '../../domain/unit-set.ts'
import type { JobTurn } from '../../ports/job-storage.ts'
import type { JobRow } from '../shared/job-rows.ts'
import { type CandidateRow, isMeant } from '../shared/rerun-candidates.ts'
import { notDeleted } from './deleted-traces.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { WORK_STATE } from './work-state.ts'

/** How long one step may hold up the writer. */
const STEP_MS_MAX = 20
/** Evaluations that are looked at between two looks at the clock. */
const PAGE = 200

/**
 * Goes over evaluations in the order of their recording and queues those that are meant. Each is made again by the version
 * that its monitor has now: by the same one it becomes the next generation of the unit, by a later one the first.
 */
export function stepRerun(db: SqliteDatabase, job: JobRow): JobTurn {
  const request: RerunRequest = JSON.parse(job.request)
  const untilMs = performance.now() + STEP_MS_MAX
  const step = { place: job.place_id, lookedAt: 0, matched: 0, taken: 0 }
  let rows: CandidateRow[]
  let isBlocked = false
  do {
    rows = candidates(db, job, step.place)
    for (const row of rows) {
      const isWanted = isMeant(request, row)
      const made = isWanted ? queue(db, job, row) : 'left'
      if (made === 'wait') {
        isBlocked = true
        break
      }
      step.place = row.number
      step.lookedAt++
      if (isWanted) step.matched++
      if (made === 'queued') step.taken++
      if (job.taken + step.taken >= request.limit) break
    }
  } while (rows.length === PAGE && !isBlocked && !isFull(job, step, request) && performance.now() < untilMs)
  const isListed = isFull(job, step, request) || (rows.length < PAGE && !isBlocked)
  db.run(
    `UPDATE jobs SET place_id = ?, looked_at = looked_at + ?, matched = matched + ?, taken = taken + ?, is_listed = ?
     WHERE number = ?`,
    step.place,
    step.lookedAt,
    step.matched,
    step.taken,
    Number(isListed),
    job.number,
  )
  return { hasWork: step.taken > 0, hasMore: isListed || step.lookedAt > 0 }
}

function isFull(job: JobRow, step: { readonly taken: number }, { limit }: RerunRequest): boolean {
  return job.taken + step.taken >= limit
}

function candidates(db: SqliteDatabase, job: JobRow, after: number): CandidateRow[] {
  return db.all<CandidateRow & Record<string, unknown>>(
    `SELECT e.*, v.evaluator_version, m.slug, m.id AS monitor_id, s.external_id, m.version_number, m.is_active, m.is_judged,
            m.is_gathered
     FROM (SELECT number, monitor_version, trace_id, span_id, session_id, batch_id, ordinal, is_current, status,
                  created_at_ms
           FROM evaluations INDEXED BY evaluations_by_project
           WHERE project_number = ? AND number > ? AND number <= ? AND ${notDeleted('evaluations')}
           ORDER BY number LIMIT ?) e
     JOIN monitor_versions v ON v.number = e.monitor_version
     JOIN monitors m ON m.number = v.monitor_number
     JOIN setups s ON s.id = m.setup_id
     ORDER BY e.number`,
    job.project_number,
    after,
    job.last_id,
    PAGE,
  )
}

/**
 * `left` where there is nothing to be done: the monitor has stopped, the spans are no longer kept, the unit waits for its
 * evaluation anyway, or a later version has evaluated it. `wait` while a worker holds the work that it belongs to.
 */
function queue(db: SqliteDatabase, job: JobRow, row: CandidateRow): 'queued' | 'left' | 'wait' {
  const { number: jobNumber } = job
  if (row.is_active === 0) return 'left'
  if (row.is_gathered === 1) return reopenUnit(db, row) ? 'queued' : 'left'
  const { batch_id: batchId, version_number: version, ordinal } = row
  const batch = db.get<{ span_count: number }>(
    'SELECT span_count FROM span_batches WHERE id = ? AND project_number = ?',
    batchId,
    job.project_number,
  )
  if (!batch || (version !== row.monitor_version && isEvaluated(db, version, row))) return 'left'
  const works = db.all<{ job_number: number; state: number; units: Uint8Array }>(
    'SELECT job_number, state, units FROM work WHERE batch_id = ? AND monitor_version = ?',
    batchId,
    version,
  )
  const isOpen = ({ state, units }: { state: number; units: Uint8Array }) =>
    state < WORK_STATE.done && hasUnit(units, ordinal)
  if (works.some(isOpen)) return 'left'
  const own = works.find((work) => work.job_number === jobNumber)
  if (own?.state === WORK_STATE.leased) return 'wait'
  const units = own?.state === WORK_STATE.ready ? own.units.slice() : emptyUnits(batch.span_count)
  addUnit(units, ordinal)
  if (own) {
    db.run(
      `UPDATE work SET units = ?1, unit_count = count_units(?1), state = ?2, ready_at_ms = 0, attempts = 0
       WHERE batch_id = ?3 AND monitor_version = ?4 AND job_number = ?5`,
      units,
      WORK_STATE.ready,
      batchId,
      version,
      jobNumber,
    )
    db.run('UPDATE jobs SET queued = queued + 1 WHERE number = ?', jobNumber)
    return 'queued'
  }
  db.run(
    `INSERT INTO work (batch_id, monitor_version, job_number, project_number, units, unit_count, is_judged, is_rerun)
     VALUES (?, ?, ?, ?, ?, 1, ?, 1)`,
    batchId,
    version,
    jobNumber,
    job.project_number,
    units,
    row.is_judged,
  )
  return 'queued'
}

function isEvaluated(db: SqliteDatabase, version: number, { trace_id, span_id }: CandidateRow): boolean {
  return (
    db.get(
      'SELECT 1 FROM evaluations WHERE monitor_version = ? AND trace_id = ? AND span_id = ? LIMIT 1',
      version,
      trace_id,
      span_id,
    ) !== undefined
  )
}

/** A trace or a session is a unit of its own: opened again, its next evaluation becomes the next generation. */
function reopenUnit(db: SqliteDatabase, row: CandidateRow): boolean {
  const reopened = db.run(
    `UPDATE units SET state = 0, look_at_ms = ?1, opened_at_ms = ?1, attempts = 0
     WHERE monitor_version = ?2 AND scope IN ('trace', 'session') AND unit_key IN (?3, ?4) AND evaluation = ?5
       AND state = 2`,
    Date.now(),
    row.version_number,
    row.trace_id,
    Buffer.from(row.session_id ?? ''),
    row.number,
  )
  return reopened > 0
}
