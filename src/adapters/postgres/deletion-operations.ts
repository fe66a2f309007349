import type { ProjectScope } from '../../domain/tenant.ts'
import type { TraceDigest } from '../../domain/trace-digest.ts'
import { addUnits, type UnitSet } from '../../domain/unit-set.ts'
import { hideUnits, hideUnitsOf } from './hidden-units.ts'
import { excludeRecording, lockProject } from './lock-project.ts'
import { forgetEvaluations } from './record-operations.ts'
import type { Sql } from './sql.ts'

/** Traces of a session that one call deletes. */
const TRACES_AT_ONCE = 200
/** A judge that was asked before the deletion may still answer for so long. */
const LATE_ANSWER_MS = 3_600_000

export async function deleteTrace(
  tx: Sql,
  scope: ProjectScope,
  traceId: string,
  atMs: number,
): Promise<number> {
  const { number: project } = await lockProject(tx, scope)
  await excludeRecording(tx, project)
  await hideTraces(tx, project, [Buffer.from(traceId, 'hex')], atMs)
  return newestBatch(tx, project)
}

export async function deleteSession(
  tx: Sql,
  scope: ProjectScope,
  sessionId: string,
  atMs: number,
): Promise<{ newestBatch: number; hasMore: boolean }> {
  const { number: project } = await lockProject(tx, scope)
  const newest = await newestBatch(tx, project)
  await tx.run(
    `INSERT INTO deleted_sessions (project_number, session_id, through_batch, deleted_at_ms) VALUES ($1, $2, $3, $4)
     ON CONFLICT (project_number, session_id)
     DO UPDATE SET through_batch = excluded.through_batch, deleted_at_ms = excluded.deleted_at_ms`,
    project,
    sessionId,
    newest,
    atMs,
  )
  await tx.run('DELETE FROM scores WHERE project_number = $1 AND session_id = $2', project, sessionId)
  return { newestBatch: newest, hasMore: await hideTracesOf(tx, project, sessionId, newest, atMs) }
}

/** Deletes some of the traces of a session that had begun by a batch; true when there are more. The caller holds the project. */
export async function hideTracesOf(
  tx: Sql,
  project: number,
  sessionId: string,
  throughBatch: number,
  atMs: number,
): Promise<boolean> {
  await excludeRecording(tx, project)
  const traces = await tx.all<{ trace_id: Uint8Array }>(
    `SELECT t.trace_id FROM traces t WHERE t.project_number = $1 AND t.session_id = $2 AND EXISTS (
       SELECT 1 FROM trace_places p
       WHERE p.project_number = t.project_number AND p.trace_id = t.trace_id AND p.batch_id <= $3)
     ORDER BY t.trace_id LIMIT $4`,
    project,
    sessionId,
    throughBatch,
    TRACES_AT_ONCE,
  )
  const traceIds = traces.map((row) => row.trace_id)
  if (traceIds.length > 0) await hideTraces(tx, project, traceIds, atMs)
  await forgetSession(tx, project, sessionId, atMs)
  return traces.length === TRACES_AT_ONCE
}

/**
 * All rows of a project carry its number, and all that came of a monitor version carry the number of that. With new
 * numbers for both, everything before belongs to nobody at once, however much it is.
 */
export async function deleteProjectData(tx: Sql, scope: ProjectScope, atMs: number): Promise<boolean> {
  const known = await tx.get<{ number: number }>(
    'SELECT number FROM projects WHERE org_id = $1 AND id = $2 FOR UPDATE',
    scope.orgId,
    scope.projectId,
  )
  if (!known) return false
  const old = known.number
  await excludeRecording(tx, old)
  const renumbered = await tx.get<{ number: number }>(
    'UPDATE projects SET number = DEFAULT WHERE number = $1 RETURNING number',
    old,
  )
  const next = renumbered?.number as number
  for (const table of ['setup_versions', 'monitors', 'jobs'])
    await tx.run(`UPDATE ${table} SET project_number = $1 WHERE project_number = $2`, next, old)
  await tx.run('INSERT INTO dropped_projects (number) VALUES ($1)', old)
  await renumberVersions(tx, next)
  // Nothing of what setups have matched is left to be bound or to be evaluated.
  await tx.run(
    `UPDATE setups SET first_match = NULL, has_news = 0, looked_through = greatest(looked_through, $1)
     WHERE project_id = $2`,
    await newestBatch(tx, old),
    scope.projectId,
  )
  await tx.run('UPDATE monitors SET fill_next = 0, fill_last = -1 WHERE project_number = $1', next)
  await tx.run('DELETE FROM executions WHERE project_id = $1', scope.projectId)
  await tx.run('DELETE FROM deleted_sessions WHERE project_number = $1', old)
  // What belongs to nobody is not summed up.
  await tx.run('DELETE FROM digest_progress WHERE project_number = $1', old)
  await forgetAnswers(tx, scope.orgId, 0, atMs)
  return true
}

async function renumberVersions(tx: Sql, project: number): Promise<void> {
  await tx.run(
    `WITH renumbered AS MATERIALIZED (
       SELECT v.number AS old, nextval(pg_get_serial_sequence('monitor_versions', 'number')) AS next
       FROM monitor_versions v JOIN monitors m ON m.number = v.monitor_number WHERE m.project_number = $1),
     versions AS (
       UPDATE monitor_versions SET number = r.next FROM renumbered r WHERE monitor_versions.number = r.old),
     current_versions AS (
       UPDATE monitors SET version_number = r.next FROM renumbered r WHERE monitors.version_number = r.old)
     INSERT INTO dropped_versions (number) SELECT old FROM renumbered`,
    project,
  )
}

/** Everything that is known of traces; only their evaluations, which may be very many, are left to be erased in steps. */
async function hideTraces(
  tx: Sql,
  project: number,
  traceIds: readonly Uint8Array[],
  atMs: number,
): Promise<void> {
  await tx.run(
    `INSERT INTO deleted_traces (project_number, trace_id, deleted_at_ms) SELECT $1, id, $3 FROM unnest($2::bytea[]) AS id
     ON CONFLICT (project_number, trace_id) DO UPDATE SET deleted_at_ms = excluded.deleted_at_ms, has_results = 1`,
    project,
    traceIds,
    atMs,
  )
  const arrivedAtMs = await hidePlaces(tx, project, traceIds)
  const sessions = await tx.all<{ session_id: string }>(
    `SELECT DISTINCT session_id FROM traces
     WHERE project_number = $1 AND trace_id = ANY($2) AND session_id IS NOT NULL ORDER BY session_id`,
    project,
    traceIds,
  )
  for (const table of ['trace_places', 'traces', 'scores'])
    await tx.run(`DELETE FROM ${table} WHERE project_number = $1 AND trace_id = ANY($2)`, project, traceIds)
  await tx.run(
    "DELETE FROM units WHERE project_number = $1 AND unit_key = ANY($2) AND scope = 'trace'",
    project,
    traceIds,
  )
  for (const { session_id: sessionId } of sessions) await forgetSession(tx, project, sessionId, atMs)
  const undigested = await oldestUndigested(tx, project)
  await forgetAnswers(tx, await ownerOf(tx, project), Math.min(arrivedAtMs, undigested ?? atMs), atMs)
}

/** Hides the spans of the traces where they lie; tells when the first of them arrived. */
async function hidePlaces(tx: Sql, project: number, traceIds: readonly Uint8Array[]): Promise<number> {
  const places = await tx.all<{ batch_id: number; units: Uint8Array; received_at_ms: number }>(
    `SELECT p.batch_id, p.units, b.received_at_ms FROM trace_places p JOIN span_batches b ON b.id = p.batch_id
     WHERE p.project_number = $1 AND p.trace_id = ANY($2) ORDER BY p.batch_id`,
    project,
    traceIds,
  )
  const hidden = new Map<number, UnitSet>()
  for (const { batch_id: batchId, units } of places) {
    const known = hidden.get(batchId)
    const all = new Uint8Array(Math.max(units.length, known?.length ?? 0))
    addUnits(all, units)
    if (known) addUnits(all, known)
    hidden.set(batchId, all)
  }
  await hideUnitsOf(tx, hidden)
  return places.reduce((first, place) => Math.min(first, place.received_at_ms), Number.MAX_SAFE_INTEGER)
}

/**
 * Whether spans that are being summed up belong to what was deleted; if so, they are hidden like the rest of it. Whoever
 * calls it holds the project.
 */
export async function hideDigested(
  tx: Sql,
  batch: { readonly id: number; readonly project_number: number },
  trace: Pick<TraceDigest, 'traceId' | 'sessionId' | 'units'>,
): Promise<boolean> {
  const { id: batchId, project_number: project } = batch
  const traceId = Buffer.from(trace.traceId, 'hex')
  const found = await tx.get<{ is_deleted: boolean; session_deleted_at_ms: number | null }>(
    `SELECT EXISTS (SELECT 1 FROM deleted_traces WHERE project_number = $1 AND trace_id = $2) AS is_deleted,
       (SELECT deleted_at_ms FROM deleted_sessions
        WHERE project_number = $1 AND session_id = $3 AND through_batch >= $4) AS session_deleted_at_ms`,
    project,
    traceId,
    trace.sessionId ?? null,
    batchId,
  )
  if (!found?.is_deleted) {
    const deletedAtMs = found?.session_deleted_at_ms ?? null
    if (deletedAtMs === null) return false
    await excludeRecording(tx, project)
    await hideTraces(tx, project, [traceId], deletedAtMs)
  }
  await hideUnits(tx, batchId, trace.units)
  return true
}

/**
 * What was said about a session as a whole may quote any of its traces. If there is something left of the session, it is
 * evaluated again without what was deleted.
 */
async function forgetSession(tx: Sql, project: number, sessionId: string, atMs: number): Promise<void> {
  const rows = await tx.all<{ number: number; unit_at_ms: number }>(
    `SELECT number, unit_at_ms FROM evaluations
     WHERE project_number = $1 AND session_id = $2 AND length(span_id) > 8`,
    project,
    sessionId,
  )
  await forgetEvaluations(tx, rows)
  const left = await tx.get<{ found: boolean }>(
    'SELECT EXISTS (SELECT 1 FROM traces WHERE project_number = $1 AND session_id = $2) AS found',
    project,
    sessionId,
  )
  const unit = "project_number = $1 AND unit_key = $2 AND scope = 'session'"
  const key = [project, Buffer.from(sessionId)] as const
  if (!left?.found) await tx.run(`DELETE FROM units WHERE ${unit}`, ...key)
  else
    await tx.run(
      `UPDATE units SET state = 0, lease = NULL, holder = NULL, attempts = 0, evaluation = NULL, look_at_ms = $3
       WHERE ${unit}`,
      ...key,
      atMs,
    )
}

/** Answers of judges are kept under hashes, so those that may quote what was deleted are found by their time. */
async function forgetAnswers(tx: Sql, orgId: string, fromMs: number, atMs: number): Promise<void> {
  await tx.run(
    `INSERT INTO cache_erasures (org_id, from_ms, until_ms) VALUES ($1, $2, $3)
     ON CONFLICT (org_id) DO UPDATE SET from_ms = least(cache_erasures.from_ms, excluded.from_ms),
       until_ms = excluded.until_ms`,
    orgId,
    fromMs,
    atMs + LATE_ANSWER_MS,
  )
}

async function ownerOf(tx: Sql, project: number): Promise<string> {
  const row = await tx.get<{ org_id: string }>('SELECT org_id FROM projects WHERE number = $1', project)
  if (!row) throw new Error(`project ${project} does not exist`)
  return row.org_id
}

async function oldestUndigested(tx: Sql, project: number): Promise<number | undefined> {
  const row = await tx.get<{ received_at_ms: number }>(
    `SELECT received_at_ms FROM span_batches WHERE project_number = $1
       AND id > coalesce((SELECT through FROM digest_progress WHERE project_number = $1), 0)
     ORDER BY id LIMIT 1`,
    project,
  )
  return row?.received_at_ms
}

/** Batches of a project become visible in order, so whoever holds the project sees every one that was acknowledged. */
async function newestBatch(tx: Sql, project: number): Promise<number> {
  const row = await tx.get<{ id: number | null }>(
    'SELECT max(id) AS id FROM span_batches WHERE project_number = $1',
    project,
  )
  return row?.id ?? 0
}
