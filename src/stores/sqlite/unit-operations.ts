import type { UnitOutcome } from '../../domain/evaluation.ts'
import { learnPause, quietMs } from '../../domain/quiet-time.ts'
import type { TraceDigest } from '../../domain/trace-digest.ts'
import { intersects } from '../../domain/unit-set.ts'
import { defined } from '../../lib/defined.ts'
import type { ClaimedUnit, UnitContent } from '../../ports/unit-storage.ts'
import type { ClaimTurns } from '../../ports/work-storage.ts'
import { inTurn, NO_TURNS, takeInTurn } from '../shared/claim-turns.ts'
import type { UnitBatch } from '../shared/join-trace.ts'
import { type TraceRow, toTrace } from '../shared/trace-rows.ts'
import {
  type FillRow,
  type GatheredMatch,
  SAMPLED_OUT,
  toClaimedUnit,
  UNIT_STATE,
  type UnitRow,
  unitKey,
  unitOfTrace,
} from '../shared/unit-rows.ts'
import { nextLease } from './leases.ts'
import { recordGeneration } from './record-operations.ts'
import { toHex } from './span-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { countStatus, minuteOf } from './status-counts.ts'

/** Of monitors that run, and of those that stand still only until their setup is bound again. */
export function gatheredMatches(db: SqliteDatabase, batchId: number): GatheredMatch[] {
  return db.all<GatheredMatch & Record<string, unknown>>(
    `SELECT m.version_number, v.scope, t.units FROM matches t
     JOIN monitors m ON m.setup_version = t.setup_version AND m.is_gathered = 1
     JOIN monitor_versions v ON v.number = m.version_number
     JOIN setups s ON s.id = m.setup_id AND s.deleted_at_ms IS NULL
     WHERE t.batch_id = ? AND (m.is_active = 1 OR s.status IN ('pending', 'in_progress'))`,
    batchId,
  )
}

/** Remembers how long a service paused between two batches of one trace. */
export function learnServicePause(
  db: SqliteDatabase,
  projectNumber: number,
  service: string,
  pauseMs: number,
): void {
  const known = longestPause(db, projectNumber, service)
  db.run(
    `INSERT INTO service_pauses (project_number, service, longest_ms) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET longest_ms = excluded.longest_ms`,
    projectNumber,
    service,
    learnPause(known, pauseMs),
  )
}

function longestPause(db: SqliteDatabase, projectNumber: number, service: string): number | undefined {
  return db.get<{ longest_ms: number }>(
    'SELECT longest_ms FROM service_pauses WHERE project_number = ? AND service = ?',
    projectNumber,
    service,
  )?.longest_ms
}

/** Opens the units that the new spans of a trace belong to: those that matched them, and those that there are already. */
export function openUnits(
  db: SqliteDatabase,
  batch: UnitBatch,
  { units: spans }: Pick<TraceDigest, 'units'>,
  trace: TraceRow,
  matches: readonly GatheredMatch[],
  quietMsMin: number,
): void {
  const waitMs =
    trace.is_complete === 1
      ? 0
      : quietMs(longestPause(db, batch.project_number, trace.service ?? ''), quietMsMin)
  const lookAtMs = batch.received_at_ms + waitMs
  const keys = [trace.trace_id, ...(trace.session_id === null ? [] : [Buffer.from(trace.session_id)])]
  for (const key of keys) {
    db.run(
      `UPDATE units SET changed_at_ms = max(changed_at_ms, ?1), look_at_ms = ?2, attempts = 0,
         opened_at_ms = CASE state WHEN 2 THEN ?1 ELSE opened_at_ms END,
         state = CASE state WHEN 2 THEN 0 ELSE state END
       WHERE project_number = ?3 AND unit_key = ?4`,
      batch.received_at_ms,
      lookAtMs,
      batch.project_number,
      key,
    )
  }
  for (const { version_number: version, scope, units } of matches) {
    if (!intersects(units, spans)) continue
    const unit = unitOfTrace(scope, trace)
    insertUnit(db, batch, version, unit.scope, unit.key, lookAtMs)
  }
}

function insertUnit(
  db: SqliteDatabase,
  batch: UnitBatch,
  monitorVersion: number,
  scope: 'trace' | 'session',
  key: Uint8Array,
  lookAtMs: number,
): void {
  db.run(
    `INSERT INTO units (monitor_version, scope, unit_key, project_number, env_project_id, changed_at_ms, look_at_ms,
                        opened_at_ms)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?6) ON CONFLICT DO NOTHING`,
    monitorVersion,
    scope,
    key,
    batch.project_number,
    batch.env_project_id,
    batch.received_at_ms,
    lookAtMs,
  )
}

/** Opens units for what a monitor matched in a range of batches before it existed. */
export function fillUnits(
  db: SqliteDatabase,
  monitor: { readonly setupVersion: number; readonly versionNumber: number },
  fromBatch: number,
  toBatch: number,
): void {
  const rows = db.all<FillRow & Record<string, unknown>>(
    `SELECT b.id, b.project_number, b.env_project_id, b.received_at_ms, t.units AS matched, p.units, p.trace_id,
       r.session_id, v.scope
     FROM matches t JOIN span_batches b ON b.id = t.batch_id
     JOIN trace_places p ON p.batch_id = t.batch_id
     JOIN traces r ON r.project_number = p.project_number AND r.trace_id = p.trace_id
     JOIN monitor_versions v ON v.number = ?
     WHERE t.batch_id >= ? AND t.batch_id <= ? AND t.setup_version = ?`,
    monitor.versionNumber,
    fromBatch,
    toBatch,
    monitor.setupVersion,
  )
  for (const row of rows) {
    if (!intersects(row.matched, row.units)) continue
    const unit = unitOfTrace(row.scope, row)
    insertUnit(db, row, monitor.versionNumber, unit.scope, unit.key, row.received_at_ms)
  }
}

/** The projects that have units which should be looked at now, each found by one step through the index. */
function dueProjects(db: SqliteDatabase, nowMs: number): number[] {
  return db
    .all<{ project: number }>(
      `WITH RECURSIVE open (project) AS (
         SELECT min(project_number) FROM units INDEXED BY units_due_by_project WHERE state < 2
         UNION ALL
         SELECT (SELECT min(u.project_number) FROM units u INDEXED BY units_due_by_project
                 WHERE u.state < 2 AND u.project_number > open.project) FROM open WHERE project IS NOT NULL)
       SELECT project FROM open WHERE EXISTS (SELECT 1 FROM units u INDEXED BY units_due_by_project
         WHERE u.state < 2 AND u.project_number = open.project AND u.look_at_ms <= ?)`,
      nowMs,
    )
    .map(({ project }) => project)
}

export function claimUnits(
  db: SqliteDatabase,
  limit: number,
  leaseMs: number,
  turns: ClaimTurns = NO_TURNS,
): ClaimedUnit[] {
  const nowMs = Date.now()
  const rows = takeInTurn(inTurn(dueProjects(db, nowMs), turns), limit, (project, share) =>
    db.all<UnitRow & { attempts: number } & Record<string, unknown>>(
      `SELECT u.project_number, u.monitor_version, u.scope, u.unit_key, u.env_project_id, u.changed_at_ms, u.opened_at_ms, u.attempts,
         s.org_id, s.project_id, s.id AS setup_id, s.external_id
       FROM units u INDEXED BY units_due_by_project
       CROSS JOIN monitors m ON m.version_number = u.monitor_version AND m.is_active = 1
       CROSS JOIN setups s ON s.id = m.setup_id
       WHERE u.state < 2 AND u.project_number = ?3 AND u.look_at_ms <= ?1 AND (u.state = 0 OR u.lease_until_ms <= ?1)
       ORDER BY u.look_at_ms LIMIT ?2`,
      nowMs,
      share,
      project,
    ),
  )
  return rows.map((row) => {
    const lease = nextLease(db)
    db.run(
      `UPDATE units SET state = ?, lease = ?, lease_until_ms = ?, attempts = attempts + 1
       WHERE monitor_version = ? AND scope = ? AND unit_key = ?`,
      UNIT_STATE.leased,
      lease,
      nowMs + leaseMs,
      row.monitor_version,
      row.scope,
      row.unit_key,
    )
    return toClaimedUnit(row, lease, row.attempts + 1)
  })
}

export function readUnit(
  db: SqliteDatabase,
  unit: ClaimedUnit,
  tracesMax: number,
  placesMax: number,
): UnitContent {
  const project = projectNumberOf(db, unit)
  const rows = db.all<TraceRow>(
    `SELECT * FROM (SELECT * FROM traces WHERE project_number = ? AND ${
      unit.scope === 'trace' ? 'trace_id = ?' : 'session_id = ?'
    } ORDER BY first_ms DESC, trace_id DESC LIMIT ?) ORDER BY first_ms, trace_id`,
    project,
    unit.scope === 'trace' ? Buffer.from(unit.key, 'hex') : unit.key,
    tracesMax,
  )
  const places = rows.flatMap((row) =>
    db
      .all<{ batch_id: number; units: Uint8Array }>(
        'SELECT batch_id, units FROM trace_places WHERE project_number = ? AND trace_id = ? ORDER BY batch_id',
        project,
        row.trace_id,
      )
      .map(({ batch_id: batchId, units }) => ({ traceId: toHex(row.trace_id), batchId, units })),
  )
  const service = rows.at(-1)?.service
  const longestPauseMs = service ? longestPause(db, project, service) : undefined
  return {
    traces: rows.map(toTrace),
    places: places.slice(-placesMax),
    ...defined({ longestPauseMs }),
  }
}

export async function recordUnit(
  db: SqliteDatabase,
  unit: ClaimedUnit,
  outcome: UnitOutcome,
): Promise<boolean> {
  const where = `monitor_version = ? AND scope = ? AND unit_key = ? AND state = ? AND lease = ?`
  const row = db.get<{
    project_number: number
    generation: number
    evaluation: number | null
    changed_at_ms: number
  }>(
    `SELECT project_number, generation, evaluation, changed_at_ms FROM units WHERE ${where}`,
    ...placeOf(unit),
  )
  if (!row) return false
  const last = row.evaluation === null ? lastEvaluation(db, unit.monitorVersion, outcome) : undefined
  const generation = Math.max(row.generation, last?.generation ?? 0) + 1
  const evaluation = await recordGeneration(db, {
    projectNumber: row.project_number,
    monitorVersion: unit.monitorVersion,
    outcome,
    generation,
    superseded: row.evaluation ?? last?.number ?? null,
  })
  const isChanged = row.changed_at_ms > unit.changedAtMs
  db.run(
    `UPDATE units SET generation = ?, evaluation = ?, state = ?, lease = NULL, attempts = 0 WHERE ${where}`,
    generation,
    evaluation,
    isChanged ? UNIT_STATE.open : UNIT_STATE.done,
    ...placeOf(unit),
  )
  return true
}

/** Retention may have dropped a unit before its evaluation, which is younger; a unit that is opened again goes on from that. */
function lastEvaluation(db: SqliteDatabase, monitorVersion: number, { traceId, spanId }: UnitOutcome) {
  return db.get<{ number: number; generation: number }>(
    `SELECT number, generation FROM evaluations
     WHERE monitor_version = ? AND trace_id = ? AND span_id = ? ORDER BY generation DESC LIMIT 1`,
    monitorVersion,
    Buffer.from(traceId, 'hex'),
    Buffer.from(spanId, 'hex'),
  )
}

export function skipUnit(db: SqliteDatabase, unit: ClaimedUnit, atMs: number): void {
  const where = 'monitor_version = ? AND scope = ? AND unit_key = ? AND state = ? AND lease = ?'
  const row = db.get<{ generation: number }>(`SELECT generation FROM units WHERE ${where}`, ...placeOf(unit))
  if (!row) return
  // Counted once, however often it is opened again.
  if (row.generation !== SAMPLED_OUT) countStatus(db, unit.monitorVersion, minuteOf(atMs), 'sampled_out', 1)
  db.run(
    `UPDATE units SET state = ?, lease = NULL, generation = ? WHERE ${where}`,
    UNIT_STATE.done,
    SAMPLED_OUT,
    ...placeOf(unit),
  )
}

export function postponeUnit(db: SqliteDatabase, unit: ClaimedUnit, inMs: number, isAttempt: boolean): void {
  db.run(
    `UPDATE units SET state = ?, lease = NULL, look_at_ms = ?, attempts = attempts - ?
     WHERE monitor_version = ? AND scope = ? AND unit_key = ? AND state = ? AND lease = ?`,
    UNIT_STATE.open,
    Date.now() + Math.ceil(inMs),
    isAttempt ? 0 : 1,
    ...placeOf(unit),
  )
}

function placeOf(unit: ClaimedUnit) {
  return [unit.monitorVersion, unit.scope, unitKey(unit), UNIT_STATE.leased, unit.lease] as const
}

function projectNumberOf(db: SqliteDatabase, { owner }: ClaimedUnit): number {
  const row = db.get<{ number: number }>('SELECT number FROM projects WHERE id = ?', owner.projectId)
  if (!row) throw new Error(`project ${owner.projectId} does not exist`)
  return row.number
}
