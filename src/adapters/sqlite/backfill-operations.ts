import type { BackfillRequest } from '../../domain/job.ts'
import { isSampled } from '../../domain/sampling.ts'
import {
  addUnits,
  countUnits,
  emptyUnits,
  listUnits,
  removeUnit,
  removeUnits,
  type UnitSet,
} from '../../domain/unit-set.ts'
import type { BackfillBatch, BackfillTurn, DecidedBatch } from '../../ports/job-storage.ts'
import { hasDeletedTraces, isDeleted } from './deleted-traces.ts'
import type { JobRow } from './job-operations.ts'
import { setupOf } from './job-turn-operations.ts'
import { type BatchRow, SELECT_BATCH, toBatch } from './span-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { fillUnits } from './unit-operations.ts'
import { WORK_STATE } from './work-state.ts'

/** How long one step may hold up the writer; a batch that was begun is finished. */
const STEP_MS_MAX = 20
const TRACE_ID_BYTES = 16
const IDS_BYTES = 24

export function readBackfillBatches(
  db: SqliteDatabase,
  { jobNumber, setup, request, before }: BackfillTurn,
  limit: number,
): BackfillBatch[] {
  return db
    .all<BatchRow>(
      `${SELECT_BATCH} JOIN jobs j ON j.number = ? AND j.project_number = b.project_number
       WHERE b.received_at_ms >= ? AND (b.received_at_ms, b.id) < (?, ?) AND b.env_project_id = ?
       ORDER BY b.received_at_ms DESC, b.id DESC LIMIT ?`,
      jobNumber,
      request.fromMs,
      before.receivedAtMs,
      before.batchId,
      setup.envProjectId,
      limit,
    )
    .map((row) => ({ ...toBatch(row), repeated: row.repeated === null ? [] : listUnits(row.repeated) }))
}

export function recordBackfill(
  db: SqliteDatabase,
  turn: BackfillTurn,
  batches: readonly DecidedBatch[],
): boolean {
  const { jobNumber, before, setup } = turn
  const job = db.get<JobRow>(
    "SELECT * FROM jobs WHERE number = ? AND state = 'running' AND is_listed = 0 AND place_ms = ? AND place_id = ?",
    jobNumber,
    before.receivedAtMs,
    before.batchId,
  )
  const { is_binding: isBinding, is_gone: isGone, status } = setupOf(db, setup.setupVersion)
  if (!job || isBinding === 1 || isGone === 1) return false
  const { limit }: BackfillRequest = JSON.parse(job.request)
  const monitors = monitorsOf(db, setup.setupVersion)
  const untilMs = performance.now() + STEP_MS_MAX
  const step = { place: before, lookedAt: 0, matched: 0, taken: 0 }
  for (const decided of batches) {
    const batch = { ...decided, units: keptUnits(db, job.project_number, decided) }
    step.taken += take(db, job, batch, monitors, status !== 'completed', limit - job.taken - step.taken)
    step.place = batch
    step.lookedAt += batch.spanCount
    step.matched += countUnits(batch.units)
    if (job.taken + step.taken >= limit || performance.now() > untilMs) break
  }
  db.run(
    `UPDATE jobs SET place_ms = ?, place_id = ?, looked_at = looked_at + ?, matched = matched + ?, taken = taken + ?,
       is_listed = ? WHERE number = ?`,
    step.place.receivedAtMs,
    step.place.batchId,
    step.lookedAt,
    step.matched,
    step.taken,
    Number(batches.length === 0 || job.taken + step.taken >= limit),
    jobNumber,
  )
  return true
}

/** The matched spans without those that were deleted since the batch was read, or are being erased from it. */
function keptUnits(db: SqliteDatabase, project: number, { batchId, units, ids }: DecidedBatch): UnitSet {
  const isKept = db.get('SELECT 1 FROM span_batches WHERE id = ? AND project_number = ?', batchId, project)
  if (!isKept) return emptyUnits(0)
  if (!hasDeletedTraces(db, project)) return units
  const kept = units.slice()
  for (const ordinal of listUnits(kept)) {
    const traceId = ids.subarray(ordinal * IDS_BYTES, ordinal * IDS_BYTES + TRACE_ID_BYTES)
    if (isDeleted(db, project, traceId)) removeUnit(kept, ordinal)
  }
  return kept
}

interface MonitorRow {
  version_number: number
  sampling_rate: number
  is_judged: number
  is_gathered: number
  fill_next: number
  fill_last: number
}

function monitorsOf(db: SqliteDatabase, setupVersion: number): MonitorRow[] {
  return db.all<MonitorRow & Record<string, unknown>>(
    `SELECT m.version_number, v.sampling_rate, m.is_judged, m.is_gathered, m.fill_next, m.fill_last
     FROM monitors m JOIN monitor_versions v ON v.number = m.version_number
     WHERE m.setup_version = ? AND m.is_active = 1`,
    setupVersion,
  )
}

/** Makes the decision and the work of a batch, for at most `room` spans; tells for how many there was something to do. */
function take(
  db: SqliteDatabase,
  job: JobRow,
  batch: DecidedBatch,
  monitors: readonly MonitorRow[],
  isUnbound: boolean,
  room: number,
): number {
  const known = db.get<{ units: Uint8Array; job_number: number }>(
    'SELECT units, job_number FROM matches WHERE batch_id = ? AND setup_version = ?',
    batch.batchId,
    job.setup_version,
  )
  const undone = monitors
    .filter((monitor) => monitor.is_gathered === 0)
    .map((monitor) => ({ monitor, units: undoneUnits(db, batch, monitor, known?.job_number === 0) }))
  const wanted = emptyUnits(batch.spanCount)
  for (const { units } of undone) addUnits(wanted, units)
  if (isUnbound || monitors.length > undone.length) addUnits(wanted, undecided(batch, known?.units))
  for (const ordinal of listUnits(wanted).slice(room)) removeUnit(wanted, ordinal)
  const taken = countUnits(wanted)
  if (taken === 0) return 0
  decide(db, job, batch, wanted, known)
  for (const { monitor, units } of undone) addWork(db, job, batch, monitor, intersection(units, wanted))
  for (const { version_number: versionNumber } of monitors.filter((monitor) => monitor.is_gathered === 1)) {
    const monitor = { setupVersion: job.setup_version as number, versionNumber }
    fillUnits(db, monitor, batch.batchId, batch.batchId)
  }
  if (isUnbound) bringHistory(db, batch.batchId, job.setup_version as number)
  return taken
}

/** Spans that no decision of the setup version holds yet. */
function undecided({ units }: DecidedBatch, known: UnitSet | undefined): UnitSet {
  const rest = units.slice()
  if (known) removeUnits(rest, known)
  return rest
}

/** The spans that the monitor has neither evaluated nor left out by its sampling rate, and that wait nowhere. */
function undoneUnits(
  db: SqliteDatabase,
  { batchId, units, ids }: DecidedBatch,
  monitor: MonitorRow,
  isDecidedLive: boolean,
): UnitSet {
  const { version_number: version, sampling_rate: rate } = monitor
  // What matched before the monitor existed is being given its work without us.
  if (isDecidedLive && monitor.fill_next <= batchId && batchId <= monitor.fill_last) return emptyUnits(0)
  const works = db.all<{ state: number; units: Uint8Array }>(
    'SELECT state, units FROM work WHERE batch_id = ? AND monitor_version = ?',
    batchId,
    version,
  )
  const undone = units.slice()
  for (const work of works) if (work.state < WORK_STATE.done) removeUnits(undone, work.units)
  // Where there never was any work, nothing was evaluated.
  if (works.length === 0) return undone
  const wasCounted = works.some(({ state }) => state === WORK_STATE.done)
  for (const ordinal of listUnits(undone)) {
    const at = ordinal * IDS_BYTES
    const traceId = ids.subarray(at, at + TRACE_ID_BYTES)
    const isLeftOut = wasCounted && !isSampled(traceId, rate)
    if (isLeftOut || isEvaluated(db, version, traceId, ids.subarray(at + TRACE_ID_BYTES, at + IDS_BYTES)))
      removeUnit(undone, ordinal)
  }
  return undone
}

function isEvaluated(
  db: SqliteDatabase,
  monitorVersion: number,
  traceId: Uint8Array,
  spanId: Uint8Array,
): boolean {
  return (
    db.get(
      'SELECT 1 FROM evaluations WHERE monitor_version = ? AND trace_id = ? AND span_id = ? LIMIT 1',
      monitorVersion,
      traceId,
      spanId,
    ) !== undefined
  )
}

/** A decision that was made when the spans came holds whatever could be decided now. */
function decide(
  db: SqliteDatabase,
  job: JobRow,
  { batchId }: DecidedBatch,
  units: UnitSet,
  known: { readonly units: UnitSet; readonly job_number: number } | undefined,
): void {
  if (known?.job_number === 0) return
  const all = units.slice()
  if (known) addUnits(all, known.units)
  db.run(
    `INSERT INTO matches (batch_id, setup_version, units, job_number) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET units = excluded.units, job_number = excluded.job_number`,
    batchId,
    job.setup_version,
    all,
    job.number,
  )
}

function addWork(
  db: SqliteDatabase,
  job: JobRow,
  { batchId }: DecidedBatch,
  { version_number: version, is_judged: isJudged }: MonitorRow,
  units: UnitSet,
): void {
  const count = countUnits(units)
  if (count === 0) return
  db.run(
    `INSERT INTO work (batch_id, monitor_version, job_number, units, unit_count, is_judged) VALUES (?, ?, ?, ?, ?, ?)`,
    batchId,
    version,
    job.number,
    units,
    count,
    isJudged,
  )
}

function intersection(left: UnitSet, right: UnitSet): UnitSet {
  return left.map((byte, at) => byte & (right[at] ?? 0))
}

/** Has entries without a monitor bound on these spans, which are older than those that were looked at for that. */
function bringHistory(db: SqliteDatabase, batchId: number, setupVersion: number): void {
  db.run(
    `UPDATE setups SET has_news = can_heal, first_match = min(coalesce(first_match, ?1), ?1),
       looked_through = min(looked_through, ?1 - 1)
     WHERE id = (SELECT setup_id FROM setup_versions WHERE number = ?2)`,
    batchId,
    setupVersion,
  )
}
