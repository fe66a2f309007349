import type { BackfillRequest } from '../../domain/job.ts'
import {
  commonUnits,
  countUnits,
  emptyUnits,
  intersects,
  listUnits,
  removeUnit,
  type UnitSet,
} from '../../domain/unit-set.ts'
import type { BackfillBatch, BackfillTurn, DecidedBatch } from '../../ports/job-storage.ts'
import {
  type BackfillMonitor,
  type BackfillRoom,
  decisionOf,
  idsAt,
  type KnownMatch,
  undoneUnits,
  wantedUnits,
} from '../shared/backfill-plan.ts'
import type { JobRow } from '../shared/job-rows.ts'
import { hasDeletedTraces, isDeleted } from './deleted-traces.ts'
import { setupOf } from './job-turn-operations.ts'
import { type BatchRow, SELECT_BATCH, toBatch } from './span-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { fillUnits } from './unit-operations.ts'

/** How long one step may hold up the writer; a batch that was begun is finished. */
const STEP_MS_MAX = 20

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
  const { limit, limitBy }: BackfillRequest = JSON.parse(job.request)
  const monitors = monitorsOf(db, setup.setupVersion)
  const untilMs = performance.now() + STEP_MS_MAX
  const step = { place: before, lookedAt: 0, matched: 0, taken: 0 }
  for (const decided of batches) {
    const batch = { ...decided, units: keptUnits(db, job.project_number, decided) }
    const left = limit - job.taken - step.taken
    const room = limitBy === 'traces' ? { left, isCounted: isCountedBy(db, job) } : { left }
    step.taken += take(db, job, batch, monitors, status !== 'completed', room)
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
function keptUnits(db: SqliteDatabase, project: number, decided: DecidedBatch): UnitSet {
  const { batchId, units } = decided
  const isKept = db.get('SELECT 1 FROM span_batches WHERE id = ? AND project_number = ?', batchId, project)
  if (!isKept) return emptyUnits(0)
  if (!hasDeletedTraces(db, project)) return units
  const kept = units.slice()
  for (const ordinal of listUnits(kept)) {
    if (isDeleted(db, project, idsAt(decided, ordinal).traceId)) removeUnit(kept, ordinal)
  }
  return kept
}

function monitorsOf(db: SqliteDatabase, setupVersion: number): BackfillMonitor[] {
  return db.all<BackfillMonitor & Record<string, unknown>>(
    `SELECT m.version_number, v.sampling_rate, v.skips, m.is_judged, m.is_gathered, m.fill_next, m.fill_last
     FROM monitors m JOIN monitor_versions v ON v.number = m.version_number
     WHERE m.setup_version = ? AND m.is_active = 1`,
    setupVersion,
  )
}

/** Tells whether the job has decided about a trace in another batch; its spans may have come apart. */
function isCountedBy(db: SqliteDatabase, job: JobRow): (traceId: string) => boolean {
  return (traceId) =>
    db
      .all<{ matched: Uint8Array; placed: Uint8Array }>(
        `SELECT t.units AS matched, p.units AS placed FROM trace_places p
         JOIN matches t ON t.batch_id = p.batch_id AND t.setup_version = ? AND t.job_number = ?
         WHERE p.project_number = ? AND p.trace_id = ?`,
        job.setup_version,
        job.number,
        job.project_number,
        Buffer.from(traceId, 'hex'),
      )
      .some(({ matched, placed }) => intersects(matched, placed))
}

/** Makes the decision and the work of a batch, as far as there is room; tells how much of it that takes. */
function take(
  db: SqliteDatabase,
  job: JobRow,
  batch: DecidedBatch,
  monitors: readonly BackfillMonitor[],
  isUnbound: boolean,
  room: BackfillRoom,
): number {
  const known = db.get<KnownMatch & Record<string, unknown>>(
    'SELECT units, job_number FROM matches WHERE batch_id = ? AND setup_version = ?',
    batch.batchId,
    job.setup_version,
  )
  const undone = monitors
    .filter((monitor) => monitor.is_gathered === 0)
    .map((monitor) => ({ monitor, units: undoneOf(db, batch, monitor, known) }))
  const wantsDecisions = isUnbound || monitors.length > undone.length
  const { units: wanted, taken } = wantedUnits(batch, undone, known, wantsDecisions, room)
  decide(db, job, batch, decisionOf(batch, wanted, monitors, known, room.isCounted !== undefined))
  if (countUnits(wanted) === 0) return 0
  for (const { monitor, units } of undone) addWork(db, job, batch, monitor, commonUnits(units, wanted))
  for (const { version_number: versionNumber } of monitors.filter((monitor) => monitor.is_gathered === 1)) {
    const monitor = { setupVersion: job.setup_version as number, versionNumber }
    fillUnits(db, monitor, batch.batchId, batch.batchId)
  }
  if (isUnbound) bringHistory(db, batch.batchId, job.setup_version as number)
  return taken
}

function undoneOf(
  db: SqliteDatabase,
  batch: DecidedBatch,
  monitor: BackfillMonitor,
  known: KnownMatch | undefined,
): UnitSet {
  const { version_number: version } = monitor
  const works = db.all<{ state: number; units: Uint8Array }>(
    'SELECT state, units FROM work WHERE batch_id = ? AND monitor_version = ?',
    batch.batchId,
    version,
  )
  return undoneUnits(batch, monitor, known, works, (ordinal) => isEvaluated(db, version, batch, ordinal))
}

function isEvaluated(
  db: SqliteDatabase,
  monitorVersion: number,
  batch: DecidedBatch,
  ordinal: number,
): boolean {
  const { traceId, spanId } = idsAt(batch, ordinal)
  return (
    db.get(
      'SELECT 1 FROM evaluations WHERE monitor_version = ? AND trace_id = ? AND span_id = ? LIMIT 1',
      monitorVersion,
      traceId,
      spanId,
    ) !== undefined
  )
}

function decide(
  db: SqliteDatabase,
  job: JobRow,
  { batchId }: DecidedBatch,
  units: UnitSet | undefined,
): void {
  if (!units) return
  db.run(
    `INSERT INTO matches (batch_id, setup_version, units, job_number) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET units = excluded.units, job_number = excluded.job_number`,
    batchId,
    job.setup_version,
    units,
    job.number,
  )
}

function addWork(
  db: SqliteDatabase,
  job: JobRow,
  { batchId }: DecidedBatch,
  { version_number: version, is_judged: isJudged }: BackfillMonitor,
  units: UnitSet,
): void {
  const count = countUnits(units)
  if (count === 0) return
  db.run(
    `INSERT INTO work (batch_id, monitor_version, job_number, project_number, units, unit_count, is_judged)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    batchId,
    version,
    job.number,
    job.project_number,
    units,
    count,
    isJudged,
  )
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
