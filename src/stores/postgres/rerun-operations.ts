import type { RerunRequest } from '../../domain/job.ts'
import { addUnit, emptyUnits, hasUnit, type UnitSet } from '../../domain/unit-set.ts'
import type { JobTurn } from '../../ports/job-storage.ts'
import type { JobRow } from '../shared/job-rows.ts'
import { notDeleted } from '../shared/not-deleted.ts'
import { type CandidateRow, isMeant } from '../shared/rerun-candidates.ts'
import type { Sql } from '../shared/sql.ts'
import { WORK_STATE } from '../shared/work-state.ts'
import { NOW_MS } from './leases.ts'

/** Evaluations that are looked at in one step. */
const PAGE = 500

/**
 * Goes over evaluations in the order of their recording and queues those that are meant. Each is made again by the version
 * that its monitor has now: by the same one it becomes the next generation of the unit, by a later one the first. The caller
 * holds the project, so that no other process makes work for it meanwhile.
 */
export async function stepRerun(tx: Sql, job: JobRow): Promise<JobTurn> {
  const request: RerunRequest = JSON.parse(job.request)
  const rows = await candidates(tx, job)
  const meant = rows.filter((row) => isMeant(request, row))
  const queue = await RerunQueue.open(tx, job, meant)
  const step = { place: job.place_id, lookedAt: 0, matched: 0, taken: 0 }
  const isFull = () => job.taken + step.taken >= request.limit
  const meantNumbers = new Set(meant.map((row) => row.number))
  let isBlocked = false
  for (const row of rows) {
    const isWanted = meantNumbers.has(row.number)
    const made = isWanted ? queue.add(row) : 'left'
    if (made === 'wait') {
      isBlocked = true
      break
    }
    step.place = row.number
    step.lookedAt++
    if (isWanted) step.matched++
    if (made === 'queued') step.taken++
    if (isFull()) break
  }
  const queued = await queue.write(tx)
  const isListed = isFull() || (rows.length < PAGE && !isBlocked)
  await tx.run(
    `UPDATE jobs SET place_id = $1, looked_at = looked_at + $2, matched = matched + $3, taken = taken + $4,
       queued = queued + $5, is_listed = $6 WHERE number = $7`,
    step.place,
    step.lookedAt,
    step.matched,
    step.taken,
    queued,
    Number(isListed),
    job.number,
  )
  return { hasWork: step.taken > 0, hasMore: isListed || step.lookedAt > 0 }
}

function candidates(tx: Sql, job: JobRow): Promise<CandidateRow[]> {
  return tx.all<CandidateRow>(
    `SELECT e.*, v.evaluator_version, m.slug, m.id AS monitor_id, s.external_id, m.version_number, m.is_active, m.is_judged,
            m.is_gathered
     FROM (SELECT number, monitor_version, trace_id, span_id, session_id, batch_id, ordinal, is_current, status,
                  created_at_ms
           FROM evaluations
           WHERE project_number = $1 AND number > $2 AND number <= $3 AND ${notDeleted('evaluations')}
           ORDER BY number LIMIT ${PAGE}) e
     JOIN monitor_versions v ON v.number = e.monitor_version
     JOIN monitors m ON m.number = v.monitor_number
     JOIN setups s ON s.id = m.setup_id
     ORDER BY e.number`,
    job.project_number,
    job.place_id,
    job.last_id,
  )
}

interface WorkRow {
  readonly batch_id: number
  readonly monitor_version: number
  readonly job_number: number
  readonly state: number
  readonly units: UnitSet
}

interface UnitRow {
  readonly monitor_version: number
  readonly scope: string
  readonly unit_key: Uint8Array
  readonly evaluation: number
}

/** Work of the job for one batch and one monitor version, changed by this step. */
interface OwnWork {
  readonly batchId: number
  readonly version: number
  readonly units: UnitSet
  readonly isJudged: number
}

/** The open work for the units of some evaluations, read at once, and the additions of a step, written at once. */
class RerunQueue {
  readonly #job: JobRow
  readonly #spanCounts: ReadonlyMap<number, number>
  readonly #works: ReadonlyMap<string, readonly WorkRow[]>
  /** Evaluations whose unit a later version has evaluated. */
  readonly #outdated: ReadonlySet<number>
  readonly #units: ReadonlyMap<number, readonly UnitRow[]>
  readonly #own = new Map<string, OwnWork>()
  readonly #reopened: UnitRow[] = []
  #queued = 0

  private constructor(
    job: JobRow,
    found: {
      readonly batches: readonly { readonly id: number; readonly span_count: number }[]
      readonly works: readonly WorkRow[]
      readonly outdated: readonly { readonly number: number }[]
      readonly units: readonly UnitRow[]
    },
  ) {
    this.#job = job
    this.#spanCounts = new Map(found.batches.map((row) => [row.id, row.span_count]))
    this.#works = Map.groupBy(found.works, (row) => placeOf(row.batch_id, row.monitor_version))
    this.#outdated = new Set(found.outdated.map((row) => row.number))
    this.#units = Map.groupBy(found.units, (row) => row.evaluation)
  }

  static async open(tx: Sql, job: JobRow, meant: readonly CandidateRow[]): Promise<RerunQueue> {
    const active = meant.filter((row) => row.is_active === 1)
    const spans = active.filter((row) => row.is_gathered === 0)
    const wholes = active.filter((row) => row.is_gathered === 1)
    const works = spans.length === 0 ? [] : await lockWork(tx, job, spans)
    return new RerunQueue(job, {
      works,
      batches: spans.length === 0 ? [] : await keptBatches(tx, job, spans),
      outdated: await evaluatedLater(tx, spans),
      units: wholes.length === 0 ? [] : await lockUnits(tx, wholes),
    })
  }

  /**
   * `left` where there is nothing to be done: the monitor has stopped, the spans are no longer kept, the unit waits for its
   * evaluation anyway, or a later version has evaluated it. `wait` while a worker holds the work that it belongs to.
   */
  add(row: CandidateRow): 'queued' | 'left' | 'wait' {
    if (row.is_active === 0) return 'left'
    if (row.is_gathered === 1) return this.#reopen(row)
    const { batch_id: batchId, version_number: version, ordinal } = row
    const spanCount = this.#spanCounts.get(batchId)
    if (spanCount === undefined || this.#outdated.has(row.number)) return 'left'
    const place = placeOf(batchId, version)
    const works = this.#works.get(place) ?? []
    const added = this.#own.get(place)
    const isOpen = ({ state, units }: WorkRow) => state < WORK_STATE.done && hasUnit(units, ordinal)
    if (works.some(isOpen) || (added && hasUnit(added.units, ordinal))) return 'left'
    const stored = works.find((work) => work.job_number === this.#job.number)
    if (stored?.state === WORK_STATE.leased) return 'wait'
    const units =
      added?.units ??
      (stored?.state === WORK_STATE.ready ? Uint8Array.from(stored.units) : emptyUnits(spanCount))
    addUnit(units, ordinal)
    this.#own.set(place, { batchId, version, units, isJudged: row.is_judged })
    this.#queued++
    return 'queued'
  }

  #reopen(row: CandidateRow): 'queued' | 'left' {
    const units = this.#units.get(row.number) ?? []
    this.#reopened.push(...units)
    return units.length > 0 ? 'queued' : 'left'
  }

  /** Tells how many evaluations of spans were queued. */
  async write(tx: Sql): Promise<number> {
    if (this.#own.size > 0) await writeWork(tx, this.#job, [...this.#own.values()])
    if (this.#reopened.length > 0) await reopenUnits(tx, this.#reopened)
    return this.#queued
  }
}

function placeOf(batchId: number, version: number): string {
  return `${batchId} ${version}`
}

/** The work for the batches and versions of some evaluations. That of the job stays as it is until the transaction ends. */
async function lockWork(tx: Sql, job: JobRow, rows: readonly CandidateRow[]): Promise<WorkRow[]> {
  const places = [
    [...new Set(rows.map((row) => row.batch_id))],
    [...new Set(rows.map((row) => row.version_number))],
    job.number,
  ]
  const columns = 'batch_id, monitor_version, job_number, state, units'
  const among = 'FROM work WHERE batch_id = ANY($1) AND monitor_version = ANY($2)'
  const own = await tx.all<WorkRow>(
    `SELECT ${columns} ${among} AND job_number = $3 ORDER BY batch_id, monitor_version FOR UPDATE`,
    ...places,
  )
  return [...own, ...(await tx.all<WorkRow>(`SELECT ${columns} ${among} AND job_number <> $3`, ...places))]
}

function keptBatches(
  tx: Sql,
  job: JobRow,
  rows: readonly CandidateRow[],
): Promise<{ id: number; span_count: number }[]> {
  return tx.all(
    'SELECT id, span_count FROM span_batches WHERE id = ANY($1) AND project_number = $2',
    [...new Set(rows.map((row) => row.batch_id))],
    job.project_number,
  )
}

async function evaluatedLater(tx: Sql, rows: readonly CandidateRow[]): Promise<{ number: number }[]> {
  const earlier = rows.filter((row) => row.version_number !== row.monitor_version)
  if (earlier.length === 0) return []
  return tx.all(
    `SELECT k.number FROM unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::bytea[]) AS k (number, version, trace_id, span_id)
     WHERE EXISTS (SELECT 1 FROM evaluations e
       WHERE e.monitor_version = k.version AND e.trace_id = k.trace_id AND e.span_id = k.span_id)`,
    earlier.map((row) => row.number),
    earlier.map((row) => row.version_number),
    earlier.map((row) => row.trace_id),
    earlier.map((row) => row.span_id),
  )
}

/** The traces and sessions whose current evaluation is among these and that no worker looks at. */
function lockUnits(tx: Sql, rows: readonly CandidateRow[]): Promise<UnitRow[]> {
  return tx.all(
    `SELECT u.monitor_version, u.scope, u.unit_key, u.evaluation
     FROM unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::bytea[]) AS k (number, version, trace_key, session_key)
     JOIN units u ON u.monitor_version = k.version AND u.scope IN ('trace', 'session')
       AND u.unit_key IN (k.trace_key, k.session_key) AND u.evaluation = k.number AND u.state = 2
     ORDER BY u.monitor_version, u.scope, u.unit_key FOR UPDATE OF u`,
    rows.map((row) => row.number),
    rows.map((row) => row.version_number),
    rows.map((row) => row.trace_id),
    rows.map((row) => Buffer.from(row.session_id ?? '')),
  )
}

async function writeWork(tx: Sql, job: JobRow, works: readonly OwnWork[]): Promise<void> {
  await tx.run(
    `INSERT INTO work (batch_id, monitor_version, job_number, project_number, units, unit_count, is_judged, is_rerun)
     SELECT n.batch_id, n.version, $5, $6, n.units, bit_count(n.units), n.is_judged, 1
     FROM unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::smallint[]) AS n (batch_id, version, units, is_judged)
     ON CONFLICT (batch_id, monitor_version, job_number) DO UPDATE SET units = excluded.units,
       unit_count = excluded.unit_count, state = ${WORK_STATE.ready}, ready_at_ms = 0, attempts = 0`,
    works.map((work) => work.batchId),
    works.map((work) => work.version),
    works.map((work) => work.units),
    works.map((work) => work.isJudged),
    job.number,
    job.project_number,
  )
}

/** A trace or a session is a unit of its own: opened again, its next evaluation becomes the next generation. */
async function reopenUnits(tx: Sql, units: readonly UnitRow[]): Promise<void> {
  await tx.run(
    `UPDATE units SET state = 0, look_at_ms = ${NOW_MS}, opened_at_ms = ${NOW_MS}, attempts = 0
     FROM unnest($1::bigint[], $2::text[], $3::bytea[]) AS k (version, scope, unit_key)
     WHERE units.monitor_version = k.version AND units.scope = k.scope AND units.unit_key = k.unit_key`,
    units.map((unit) => unit.monitor_version),
    units.map((unit) => unit.scope),
    units.map((unit) => unit.unit_key),
  )
}
