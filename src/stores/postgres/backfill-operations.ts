import type { BackfillRequest } from '../../domain/job.ts'
import { commonUnits, countUnits, emptyUnits, listUnits, removeUnit } from '../../domain/unit-set.ts'
import type { BackfillBatch, BackfillTurn, DecidedBatch } from '../../ports/job-storage.ts'
import {
  type BackfillMonitor,
  decisionOf,
  tracesOf,
  type Undone,
  undoneUnits,
  type WantedUnits,
  wantedUnits,
} from '../shared/backfill-plan.ts'
import type { JobRow } from '../shared/job-rows.ts'
import type { BackfillSetup } from '../shared/job-turns.ts'
import { type BatchRow, SELECT_BATCH, toBatch } from '../shared/span-rows.ts'
import type { Sql } from '../shared/sql.ts'
import { type KnownBatches, readKnown } from './backfill-known.ts'
import { BACKFILL_SETUP, lockJob } from './job-turn-operations.ts'
import { fillUnits } from './unit-operations.ts'

/** Matched spans of one step, beyond those of its first batch: other writes to the project wait for it. */
const STEP_SPANS_MAX = 5_000

export async function readBackfillBatches(
  db: Sql,
  { jobNumber, setup, request, before }: BackfillTurn,
  limit: number,
): Promise<BackfillBatch[]> {
  const rows = await db.all<BatchRow>(
    `${SELECT_BATCH} WHERE b.project_number = (SELECT project_number FROM jobs WHERE number = $1)
       AND b.received_at_ms >= $2 AND (b.received_at_ms, b.id) < ($3, $4) AND b.env_project_id = $5
     ORDER BY b.received_at_ms DESC, b.id DESC LIMIT $6`,
    jobNumber,
    request.fromMs,
    before.receivedAtMs,
    before.batchId,
    setup.envProjectId,
    limit,
  )
  return rows.map((row) => ({
    ...toBatch(row),
    repeated: row.repeated === null ? [] : listUnits(row.repeated),
  }))
}

export async function recordBackfill(
  tx: Sql,
  turn: BackfillTurn,
  batches: readonly DecidedBatch[],
): Promise<boolean> {
  const job = await lockJob(tx, turn.jobNumber)
  const setup = job && isAt(job, turn) ? await lockSetup(tx, turn.setup.setupVersion) : undefined
  if (!job || !setup || setup.is_binding === 1 || setup.is_gone === 1) return false
  const monitors = await monitorsOf(tx, turn.setup.setupVersion)
  const next = firstBatches(batches)
  const known = await readKnown(tx, job, next, monitors)
  const plan = planStep(job, turn, next, monitors, setup.status !== 'completed', known)
  await writePlan(tx, job, turn.setup.setupVersion, plan, monitors, setup)
  await tx.run(
    `UPDATE jobs SET place_ms = $1, place_id = $2, looked_at = looked_at + $3, matched = matched + $4, taken = taken + $5,
       queued = queued + $6, is_listed = $7, holder = NULL, held_until_ms = 0 WHERE number = $8`,
    plan.place.receivedAtMs,
    plan.place.batchId,
    plan.lookedAt,
    plan.matched,
    plan.taken,
    plan.works.reduce((sum, { count }) => sum + count, 0),
    Number(batches.length === 0 || plan.isFull),
    job.number,
  )
  return true
}

/** Whether the job is still where the turn began; a process that moves it holds its project, as the caller does. */
function isAt(job: JobRow, { before }: BackfillTurn): boolean {
  const isPlace = job.place_ms === before.receivedAtMs && job.place_id === before.batchId
  return isPlace && job.state === 'running' && job.is_listed === 0
}

/** The setup, which no process can begin to bind before the transaction has ended: it would overlook what is written here. */
function lockSetup(tx: Sql, setupVersion: number): Promise<BackfillSetup | undefined> {
  return tx.get<BackfillSetup>(
    `SELECT ${BACKFILL_SETUP} FROM setup_versions v JOIN setups s ON s.id = v.setup_id WHERE v.number = $1
     FOR NO KEY UPDATE OF s`,
    setupVersion,
  )
}

function monitorsOf(tx: Sql, setupVersion: number): Promise<BackfillMonitor[]> {
  return tx.all<BackfillMonitor>(
    `SELECT m.version_number, v.sampling_rate, v.skips, m.is_judged, m.is_gathered, m.fill_next, m.fill_last
     FROM monitors m JOIN monitor_versions v ON v.number = m.version_number
     WHERE m.setup_version = $1 AND m.is_active = 1`,
    setupVersion,
  )
}

function firstBatches(batches: readonly DecidedBatch[]): readonly DecidedBatch[] {
  let spans = 0
  const end = batches.findIndex((batch, at) => {
    spans += countUnits(batch.units)
    return at > 0 && spans > STEP_SPANS_MAX
  })
  return end < 0 ? batches : batches.slice(0, end)
}

/** The effect of one step: the place of the job after it, and the rows that it makes. */
interface BackfillPlan {
  place: { readonly receivedAtMs: number; readonly batchId: number }
  lookedAt: number
  matched: number
  taken: number
  isFull: boolean
  /** Batches for which there was something to do. */
  readonly batchIds: number[]
  readonly decisions: { readonly batchId: number; readonly units: Uint8Array }[]
  readonly works: {
    readonly batchId: number
    readonly monitor: BackfillMonitor
    readonly units: Uint8Array
    readonly count: number
  }[]
}

function planStep(
  job: JobRow,
  { before }: BackfillTurn,
  batches: readonly DecidedBatch[],
  monitors: readonly BackfillMonitor[],
  isUnbound: boolean,
  known: KnownBatches,
): BackfillPlan {
  const { limit, limitBy }: BackfillRequest = JSON.parse(job.request)
  const countsTraces = limitBy === 'traces'
  const counted = new Set<string>()
  const plan: BackfillPlan = {
    ...{ place: before, lookedAt: 0, matched: 0, taken: 0, isFull: job.taken >= limit },
    ...{ batchIds: [], decisions: [], works: [] },
  }
  for (const decided of batches) {
    const batch = { ...decided, units: keptUnits(decided, known) }
    const match = known.matchOf(batch.batchId)
    const undone: Undone[] = monitors
      .filter((monitor) => monitor.is_gathered === 0)
      .map((monitor) => {
        const works = known.worksOf(batch.batchId, monitor.version_number)
        const isEvaluated = (ordinal: number) =>
          known.isEvaluated(batch.batchId, ordinal, monitor.version_number)
        return { monitor, units: undoneUnits(batch, monitor, match, works, isEvaluated) }
      })
    const wantsDecisions = isUnbound || monitors.length > undone.length
    const left = limit - job.taken - plan.taken
    const isCounted = (traceId: string) => counted.has(traceId) || known.isCounted(traceId)
    const room = countsTraces ? { left, isCounted } : { left }
    const wanted = wantedUnits(batch, undone, match, wantsDecisions, room)
    const decision = decisionOf(batch, wanted.units, monitors, match, countsTraces)
    addBatch(plan, batch, wanted, undone, decision)
    if (countsTraces) for (const traceId of tracesOf(batch, wanted.units)) counted.add(traceId)
    plan.isFull = job.taken + plan.taken >= limit
    if (plan.isFull) break
  }
  return plan
}

/** The matched spans without those that were deleted since the batch was read, or are being erased from it. */
function keptUnits(batch: DecidedBatch, known: KnownBatches): Uint8Array {
  if (!known.isKept(batch.batchId)) return emptyUnits(0)
  const kept = batch.units.slice()
  for (const ordinal of listUnits(kept))
    if (known.isDeleted(batch.batchId, ordinal)) removeUnit(kept, ordinal)
  return kept
}

function addBatch(
  plan: BackfillPlan,
  batch: DecidedBatch,
  { units: wanted, taken }: WantedUnits,
  undone: readonly Undone[],
  decision: Uint8Array | undefined,
): void {
  const { batchId } = batch
  plan.place = batch
  plan.lookedAt += batch.spanCount
  plan.matched += countUnits(batch.units)
  if (decision) plan.decisions.push({ batchId, units: decision })
  if (countUnits(wanted) === 0) return
  plan.taken += taken
  plan.batchIds.push(batchId)
  for (const { monitor, units: missing } of undone) {
    const units = commonUnits(missing, wanted)
    const count = countUnits(units)
    if (count > 0) plan.works.push({ batchId, monitor, units, count })
  }
}

async function writePlan(
  tx: Sql,
  job: JobRow,
  setupVersion: number,
  { batchIds, decisions, works }: BackfillPlan,
  monitors: readonly BackfillMonitor[],
  setup: BackfillSetup,
): Promise<void> {
  if (decisions.length === 0 && batchIds.length === 0) return
  if (batchIds.length > 0 && setup.status !== 'completed')
    await bringHistory(tx, Math.min(...batchIds), setup.setup_id)
  await tx.run(
    `INSERT INTO matches (batch_id, setup_version, units, job_number)
     SELECT n.batch_id, $3, n.units, $4 FROM unnest($1::bigint[], $2::bytea[]) AS n (batch_id, units)
     ON CONFLICT (batch_id, setup_version) DO UPDATE SET units = excluded.units, job_number = excluded.job_number`,
    decisions.map((decision) => decision.batchId),
    decisions.map((decision) => decision.units),
    setupVersion,
    job.number,
  )
  await tx.run(
    `INSERT INTO work (batch_id, monitor_version, job_number, project_number, units, unit_count, is_judged)
     SELECT n.batch_id, n.version, $6, $7, n.units, n.count, n.is_judged
     FROM unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::bigint[], $5::smallint[])
       AS n (batch_id, version, units, count, is_judged)`,
    works.map((work) => work.batchId),
    works.map((work) => work.monitor.version_number),
    works.map((work) => work.units),
    works.map((work) => work.count),
    works.map((work) => work.monitor.is_judged),
    job.number,
    job.project_number,
  )
  for (const { version_number: versionNumber } of monitors.filter((monitor) => monitor.is_gathered === 1)) {
    await fillUnits(tx, { projectNumber: job.project_number, setupVersion, versionNumber }, batchIds)
  }
}

/** Has entries without a monitor bound on these spans, which are older than those that were looked at for that. */
async function bringHistory(tx: Sql, firstBatch: number, setupId: string): Promise<void> {
  await tx.run(
    `UPDATE setups SET has_news = can_heal, first_match = least(coalesce(first_match, $1::bigint), $1),
       looked_through = least(looked_through, $1 - 1) WHERE id = $2`,
    firstBatch,
    setupId,
  )
}
