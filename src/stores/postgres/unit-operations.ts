import type { UnitOutcome } from '../../domain/evaluation.ts'
import { intersects } from '../../domain/unit-set.ts'
import { defined } from '../../lib/defined.ts'
import type { ClaimedUnit, UnitContent } from '../../ports/unit-storage.ts'
import type { ClaimTurns } from '../../ports/work-storage.ts'
import { NO_TURNS } from '../shared/claim-turns.ts'
import { minuteOf } from '../shared/minute-of.ts'
import { toHex } from '../shared/span-rows.ts'
import type { Sql } from '../shared/sql.ts'
import { type PlaceRow, type TraceRow, toPlace, toTrace } from '../shared/trace-rows.ts'
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
import { insertUnits } from './open-units.ts'
import { beginRecordingOf, recordGeneration } from './record-operations.ts'
import { addStatusCounts } from './status-counts.ts'

// The time at which the statement began: one that goes on while it runs could not be looked up in the index of what is due.
const NOW_MS = '(extract(epoch FROM statement_timestamp()) * 1000)::bigint'

/**
 * Matches of trace and session monitors, by batch: of monitors that run, and of those that stand still only until their
 * setup is bound again.
 */
export async function gatheredMatches(
  tx: Sql,
  batchIds: readonly number[],
): Promise<Map<number, GatheredMatch[]>> {
  const rows = await tx.all<GatheredMatch & { batch_id: number }>(
    `SELECT t.batch_id, m.version_number, v.scope, t.units FROM matches t
     JOIN monitors m ON m.setup_version = t.setup_version AND m.is_gathered = 1
     JOIN monitor_versions v ON v.number = m.version_number
     JOIN setups s ON s.id = m.setup_id AND s.deleted_at_ms IS NULL
     WHERE t.batch_id = ANY($1::bigint[]) AND (m.is_active = 1 OR s.status IN ('pending', 'in_progress')) ORDER BY t.batch_id, m.version_number`,
    batchIds,
  )
  return Map.groupBy(rows, (row) => row.batch_id)
}

/** The long pauses of services, as far as they were seen to pause. */
export async function readPauses(
  tx: Sql,
  project: number,
  services: readonly string[],
): Promise<Map<string, number>> {
  const rows = await tx.all<{ service: string; longest_ms: number }>(
    'SELECT service, longest_ms FROM service_pauses WHERE project_number = $1 AND service = ANY($2::text[])',
    project,
    services,
  )
  return new Map(rows.map((row) => [row.service, row.longest_ms]))
}

/** Opens units for what a monitor matched in batches of its project before it existed. The caller holds the project. */
export async function fillUnits(
  tx: Sql,
  monitor: { readonly projectNumber: number; readonly setupVersion: number; readonly versionNumber: number },
  batchIds: readonly number[],
): Promise<void> {
  const rows = await tx.all<FillRow>(
    `SELECT b.id, b.project_number, b.env_project_id, b.received_at_ms, t.units AS matched, p.units, p.trace_id,
       r.session_id, v.scope
     FROM span_batches b JOIN matches t ON t.batch_id = b.id AND t.setup_version = $4
     JOIN trace_places p ON p.batch_id = b.id AND p.project_number = b.project_number
     JOIN traces r ON r.project_number = p.project_number AND r.trace_id = p.trace_id
     JOIN monitor_versions v ON v.number = $1
     WHERE b.id = ANY($2::bigint[]) AND b.project_number = $3 ORDER BY b.id, p.trace_id`,
    monitor.versionNumber,
    batchIds,
    monitor.projectNumber,
    monitor.setupVersion,
  )
  const units = rows
    .filter((row) => intersects(row.matched, row.units))
    .map((row) => ({
      monitorVersion: monitor.versionNumber,
      ...unitOfTrace(row.scope, row),
      envProjectId: row.env_project_id,
      openedAtMs: row.received_at_ms,
      changedAtMs: row.received_at_ms,
      lookAtMs: row.received_at_ms,
    }))
  await insertUnits(tx, monitor.projectNumber, units)
}

const nextOpenProject = (behind: string) =>
  `SELECT u.project_number FROM units u WHERE u.state < ${UNIT_STATE.done} ${behind} ORDER BY u.project_number LIMIT 1`

/** The projects that have units which should be looked at now, in the order of their turns ($4, none of $5), and their share. */
const DUE_IN_TURN = `
  RECURSIVE waiting (project) AS (
    (${nextOpenProject('')}) UNION ALL
    SELECT n.project_number FROM waiting CROSS JOIN LATERAL (${nextOpenProject('AND u.project_number > waiting.project')}) n),
  turns AS MATERIALIZED (
    SELECT project, ceil($1::float8 / count(*) OVER ())::bigint AS share, array_position($4::bigint[], project) AS place
    FROM waiting WHERE project <> ALL ($5::bigint[]) AND EXISTS (
      SELECT 1 FROM units u WHERE u.state < ${UNIT_STATE.done} AND u.project_number = project AND u.look_at_ms <= ${NOW_MS})
    ORDER BY place NULLS FIRST, project)`

export async function claimUnits(
  tx: Sql,
  holder: number,
  limit: number,
  leaseMs: number,
  { ahead, resting }: ClaimTurns = NO_TURNS,
): Promise<ClaimedUnit[]> {
  const rows = await tx.all<UnitRow & { lease: number; attempts: number; look_at_ms: number }>(
    `WITH ${DUE_IN_TURN},
     due AS MATERIALIZED (
       SELECT d.* FROM turns CROSS JOIN LATERAL (
         SELECT u.monitor_version, u.scope, u.unit_key, m.setup_id FROM units u
         JOIN monitors m ON m.version_number = u.monitor_version AND m.is_active = 1
         WHERE u.state < ${UNIT_STATE.done} AND u.project_number = turns.project AND u.look_at_ms <= ${NOW_MS}
           AND (u.state = ${UNIT_STATE.open} OR u.lease_until_ms <= ${NOW_MS})
         ORDER BY u.look_at_ms LIMIT turns.share FOR UPDATE OF u SKIP LOCKED) d
       LIMIT $1)
     UPDATE units u SET state = ${UNIT_STATE.leased}, lease = nextval('lease_numbers'), lease_until_ms = ${NOW_MS} + $2,
       holder = $3, attempts = u.attempts + 1
     FROM due JOIN setups s ON s.id = due.setup_id
     WHERE u.monitor_version = due.monitor_version AND u.scope = due.scope AND u.unit_key = due.unit_key
     RETURNING u.project_number, u.monitor_version, u.scope, u.unit_key, u.env_project_id, u.changed_at_ms, u.opened_at_ms, u.look_at_ms,
       u.attempts, u.lease, s.org_id, s.project_id, s.id AS setup_id, s.external_id`,
    limit,
    Math.ceil(leaseMs),
    holder,
    ahead,
    resting,
  )
  return rows
    .toSorted((left, right) => left.look_at_ms - right.look_at_ms)
    .map((row) => toClaimedUnit(row, row.lease, row.attempts))
}

export async function readUnit(
  tx: Sql,
  unit: ClaimedUnit,
  tracesMax: number,
  placesMax: number,
): Promise<UnitContent> {
  const project = await projectNumberOf(tx, unit)
  const newest = await tx.all<TraceRow>(
    `SELECT * FROM traces WHERE project_number = $1 AND ${unit.scope === 'trace' ? 'trace_id' : 'session_id'} = $2
     ORDER BY first_ms DESC, trace_id DESC LIMIT $3`,
    project,
    unit.scope === 'trace' ? unitKey(unit) : unit.key,
    tracesMax,
  )
  const rows = newest.toReversed()
  const places = await tx.all<PlaceRow & { trace_id: Uint8Array }>(
    `SELECT p.trace_id, p.batch_id, p.units FROM unnest($2::bytea[]) WITH ORDINALITY AS t (trace_id, position)
     JOIN trace_places p ON p.project_number = $1 AND p.trace_id = t.trace_id
     ORDER BY t.position DESC, p.batch_id DESC LIMIT $3`,
    project,
    rows.map((row) => row.trace_id),
    placesMax,
  )
  const service = rows.at(-1)?.service
  const longestPauseMs = service ? (await readPauses(tx, project, [service])).get(service) : undefined
  return {
    traces: rows.map(toTrace),
    places: places.toReversed().map((row) => ({ traceId: toHex(row.trace_id), ...toPlace(row) })),
    ...defined({ longestPauseMs }),
  }
}

/** The unit, held until the transaction ends; undefined when the lease is no longer ours: then nothing of it may be written. */
function holdUnit(tx: Sql, unit: ClaimedUnit) {
  return tx.get<{
    project_number: number
    generation: number
    evaluation: number | null
    changed_at_ms: number
  }>(
    `SELECT project_number, generation, evaluation, changed_at_ms FROM units WHERE ${MINE} FOR UPDATE`,
    ...placeOf(unit),
  )
}

export async function recordUnit(tx: Sql, unit: ClaimedUnit, outcome: UnitOutcome): Promise<boolean> {
  const nowMs = await beginRecordingOf(tx, [unit.monitorVersion])
  const row = await holdUnit(tx, unit)
  if (!row) return false
  const last = row.evaluation === null ? await lastEvaluation(tx, unit.monitorVersion, outcome) : undefined
  const generation = Math.max(row.generation, last?.generation ?? 0) + 1
  const next = {
    projectNumber: row.project_number,
    monitorVersion: unit.monitorVersion,
    outcome,
    generation,
    superseded: row.evaluation ?? last?.number ?? null,
  }
  const evaluation = await recordGeneration(tx, next, nowMs)
  const isChanged = row.changed_at_ms > unit.changedAtMs
  await tx.run(
    `UPDATE units SET generation = $5, evaluation = $6, state = $7, lease = NULL, holder = NULL, attempts = 0
     WHERE ${MINE}`,
    ...placeOf(unit),
    generation,
    evaluation,
    isChanged ? UNIT_STATE.open : UNIT_STATE.done,
  )
  return true
}

/** Retention may have dropped a unit before its evaluation, which is younger; a unit that is opened again goes on from that. */
function lastEvaluation(tx: Sql, monitorVersion: number, { traceId, spanId }: UnitOutcome) {
  return tx.get<{ number: number; generation: number }>(
    `SELECT number, generation FROM evaluations
     WHERE monitor_version = $1 AND trace_id = $2 AND span_id = $3 ORDER BY generation DESC LIMIT 1`,
    monitorVersion,
    Buffer.from(traceId, 'hex'),
    Buffer.from(spanId, 'hex'),
  )
}

export async function skipUnit(tx: Sql, unit: ClaimedUnit, atMs: number): Promise<void> {
  await beginRecordingOf(tx, [unit.monitorVersion])
  const row = await holdUnit(tx, unit)
  if (!row) return
  await tx.run(
    `UPDATE units SET state = ${UNIT_STATE.done}, lease = NULL, holder = NULL, generation = ${SAMPLED_OUT} WHERE ${MINE}`,
    ...placeOf(unit),
  )
  // Counted once, however often it is opened again.
  if (row.generation === SAMPLED_OUT) return
  const { monitorVersion } = unit
  await addStatusCounts(tx, [{ monitorVersion, minute: minuteOf(atMs), status: 'sampled_out', units: 1 }])
}

export async function postponeUnit(
  tx: Sql,
  unit: ClaimedUnit,
  inMs: number,
  isAttempt: boolean,
): Promise<void> {
  await tx.run(
    `UPDATE units SET state = ${UNIT_STATE.open}, lease = NULL, holder = NULL, look_at_ms = ${NOW_MS} + $5,
       attempts = attempts - $6
     WHERE ${MINE}`,
    ...placeOf(unit),
    Math.ceil(inMs),
    isAttempt ? 0 : 1,
  )
}

const MINE = `monitor_version = $1 AND scope = $2 AND unit_key = $3 AND state = ${UNIT_STATE.leased} AND lease = $4`

function placeOf(unit: ClaimedUnit) {
  return [unit.monitorVersion, unit.scope, unitKey(unit), unit.lease] as const
}

async function projectNumberOf(tx: Sql, { owner }: ClaimedUnit): Promise<number> {
  const row = await tx.get<{ number: number }>('SELECT number FROM projects WHERE id = $1', owner.projectId)
  if (!row) throw new Error(`project ${owner.projectId} does not exist`)
  return row.number
}
