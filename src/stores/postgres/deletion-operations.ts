import type { ProjectTenant } from '../../domain/tenant.ts'
import type { TraceDigest } from '../../domain/trace-digest.ts'
import { addUnits, countUnits, type UnitSet } from '../../domain/unit-set.ts'
import type { ProjectDeletion } from '../../ports/deletion-storage.ts'
import { isDeleted } from '../shared/deleted-traces.ts'
import { type DeletionRequest, hashOf, SELECT_BEGUN_TRACES } from '../shared/deletion-rows.ts'
import type { UnitBatch } from '../shared/join-trace.ts'
import type { Sql } from '../shared/sql.ts'
import { countDeleted, countEvaluations, countHidden, openDeletion } from './deletion-counts.ts'
import { hideUnits, hideUnitsOf } from './hidden-units.ts'
import { excludeRecording, lockProject } from './lock-project.ts'
import { forgetEvaluations } from './record-operations.ts'

/** Traces of a session that one call deletes. */
const TRACES_AT_ONCE = 200
/** A judge that was asked before the deletion may still answer for so long. */
const LATE_ANSWER_MS = 3_600_000

export async function deleteTrace(
  tx: Sql,
  tenant: ProjectTenant,
  traceId: string,
  atMs: number,
  deletionId?: string,
): Promise<number> {
  const { number: project } = await lockProject(tx, tenant)
  await excludeRecording(tx, project)
  const newest = await newestBatch(tx, project)
  await openDeletion(tx, tenant, { id: deletionId, project, kind: 'trace', throughBatch: newest, atMs })
  await hideTraces(tx, project, [Buffer.from(traceId, 'hex')], { atMs, deletionId })
  return newest
}

export async function deleteSession(
  tx: Sql,
  tenant: ProjectTenant,
  sessionId: string,
  atMs: number,
  deletionId?: string,
): Promise<{ newestBatch: number; hasMore: boolean }> {
  const { number: project } = await lockProject(tx, tenant)
  const newest = await newestBatch(tx, project)
  await openDeletion(tx, tenant, { id: deletionId, project, kind: 'session', throughBatch: newest, atMs })
  await tx.run(
    `INSERT INTO deleted_sessions (project_number, session_id, through_batch, deleted_at_ms, deletion_id)
     VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (project_number, session_id) DO UPDATE SET through_batch = excluded.through_batch,
       deleted_at_ms = excluded.deleted_at_ms, deletion_id = excluded.deletion_id`,
    project,
    sessionId,
    newest,
    atMs,
    deletionId ?? null,
  )
  await tx.run(
    `INSERT INTO past_session_deletions (project_number, session_hash, deleted_at_ms, deletion_id) VALUES ($1, $2, $3, $4)
     ON CONFLICT (project_number, session_hash)
     DO UPDATE SET deleted_at_ms = excluded.deleted_at_ms, deletion_id = excluded.deletion_id`,
    project,
    hashOf(sessionId),
    atMs,
    deletionId ?? null,
  )
  await tx.run('DELETE FROM scores WHERE project_number = $1 AND session_id = $2', project, sessionId)
  return {
    newestBatch: newest,
    hasMore: await hideTracesOf(tx, project, sessionId, newest, { atMs, deletionId }),
  }
}

/** Deletes some of the traces of a session that had begun by a batch; true when there are more. The caller holds the project. */
export async function hideTracesOf(
  tx: Sql,
  project: number,
  sessionId: string,
  throughBatch: number,
  request: DeletionRequest,
): Promise<boolean> {
  await excludeRecording(tx, project)
  const traces = await tx.all<{ trace_id: Uint8Array }>(
    `${SELECT_BEGUN_TRACES} ORDER BY trace_id LIMIT $4`,
    project,
    sessionId,
    throughBatch,
    TRACES_AT_ONCE,
  )
  const traceIds = traces.map((row) => row.trace_id)
  if (traceIds.length > 0) await hideTraces(tx, project, traceIds, request)
  const evaluations = await forgetSession(tx, project, sessionId, request.atMs)
  await countDeleted(tx, request.deletionId, { spans: 0, evaluations })
  return traces.length === TRACES_AT_ONCE
}

/**
 * All rows of a project carry its number, and all that came of a monitor version carry the number of that. With new
 * numbers for both, everything before belongs to no project at once, however much it is.
 */
export async function deleteProjectData(
  tx: Sql,
  tenant: ProjectTenant,
  atMs: number,
  deletion?: ProjectDeletion,
): Promise<boolean> {
  const known = await tx.get<{ number: number }>(
    'SELECT number FROM projects WHERE org_id = $1 AND id = $2 FOR UPDATE',
    tenant.orgId,
    tenant.projectId,
  )
  if (!known) return false
  const old = known.number
  await excludeRecording(tx, old)
  const renumbered = await tx.get<{ number: number }>(
    `UPDATE projects SET number = DEFAULT, data_deleted_at_ms = greatest(data_deleted_at_ms, $2) WHERE number = $1
     RETURNING number`,
    old,
    atMs,
  )
  const next = renumbered?.number as number
  await openDeletion(tx, tenant, { ...deletion, project: old, kind: 'project', throughBatch: 0, atMs })
  for (const table of ['setup_versions', 'monitors', 'jobs'])
    await tx.run(`UPDATE ${table} SET project_number = $1 WHERE project_number = $2`, next, old)
  await tx.run('INSERT INTO dropped_projects (number) VALUES ($1)', old)
  await renumberVersions(tx, next)
  // Nothing of what setups have matched is left to be bound or to be evaluated.
  await tx.run(
    `UPDATE setups SET first_match = NULL, has_news = 0, looked_through = greatest(looked_through, $1)
     WHERE project_id = $2`,
    await newestBatch(tx, old),
    tenant.projectId,
  )
  await tx.run('UPDATE monitors SET fill_next = 0, fill_last = -1 WHERE project_number = $1', next)
  await tx.run('DELETE FROM executions WHERE project_id = $1', tenant.projectId)
  await tx.run('DELETE FROM deleted_sessions WHERE project_number = $1', old)
  // Data without an owner is not summed up.
  await tx.run('DELETE FROM digest_progress WHERE project_number = $1', old)
  await forgetAnswers(tx, tenant.orgId, 0, atMs)
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
  { atMs, deletionId }: DeletionRequest,
): Promise<void> {
  // Batches that are not in any trace may hold spans of them: they are looked for in the index of spans.
  await tx.run(
    `INSERT INTO deleted_traces AS d (project_number, trace_id, deleted_at_ms, deletion_id, needs_search)
     SELECT $1, id, $3, $4, EXISTS (SELECT 1 FROM undigested_batches WHERE project_number = $1)::int
     FROM unnest($2::bytea[]) AS id
     ON CONFLICT (project_number, trace_id) DO UPDATE SET deleted_at_ms = excluded.deleted_at_ms, has_results = 1,
       deletion_id = coalesce(excluded.deletion_id, d.deletion_id),
       needs_search = greatest(d.needs_search, excluded.needs_search)`,
    project,
    traceIds,
    atMs,
    deletionId ?? null,
  )
  const { arrivedAtMs, spans } = await hidePlaces(tx, project, traceIds)
  let evaluations = await countEvaluations(tx, project, traceIds)
  const sessions = await tx.all<{ session_id: string }>(
    `SELECT DISTINCT session_id FROM traces
     WHERE project_number = $1 AND trace_id = ANY($2) AND session_id IS NOT NULL ORDER BY session_id`,
    project,
    traceIds,
  )
  for (const table of ['trace_places', 'traces', 'scores', 'span_contents', 'incident_examples'])
    await tx.run(`DELETE FROM ${table} WHERE project_number = $1 AND trace_id = ANY($2)`, project, traceIds)
  await tx.run(
    "DELETE FROM units WHERE project_number = $1 AND unit_key = ANY($2) AND scope = 'trace'",
    project,
    traceIds,
  )
  for (const { session_id: sessionId } of sessions)
    evaluations += await forgetSession(tx, project, sessionId, atMs)
  await countDeleted(tx, deletionId, { spans, evaluations })
  const undigested = await oldestUndigested(tx, project)
  await forgetAnswers(tx, await ownerOf(tx, project), Math.min(arrivedAtMs, undigested ?? atMs), atMs)
}

/** Hides the spans of the traces where they lie; tells how many they are and when the first of them arrived. */
async function hidePlaces(
  tx: Sql,
  project: number,
  traceIds: readonly Uint8Array[],
): Promise<{ readonly arrivedAtMs: number; readonly spans: number }> {
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
  return {
    arrivedAtMs: places.reduce(
      (first, place) => Math.min(first, place.received_at_ms),
      Number.MAX_SAFE_INTEGER,
    ),
    spans: places.reduce((count, { units }) => count + countUnits(units), 0),
  }
}

/** A batch as far as it matters for what was deleted. */
export interface DigestedBatch extends UnitBatch {
  readonly is_queued: number | null
}

/**
 * Whether spans that are being summed up belong to what was deleted; if so, they are hidden like the rest of it. The
 * caller holds the project.
 */
export async function hideDigested(
  tx: Sql,
  batch: DigestedBatch,
  trace: Pick<TraceDigest, 'traceId' | 'sessionId' | 'units'>,
): Promise<boolean> {
  const { id: batchId, project_number: project } = batch
  const traceId = Buffer.from(trace.traceId, 'hex')
  if (!(await isDeleted(tx, project, traceId))) {
    const session =
      trace.sessionId === undefined ? undefined : await sessionDeletion(tx, batch, trace.sessionId)
    if (!session) return false
    await excludeRecording(tx, project)
    const request = { atMs: session.deleted_at_ms, deletionId: session.deletion_id ?? undefined }
    await hideTraces(tx, project, [traceId], request)
  }
  await hideUnits(tx, batchId, trace.units)
  await countHidden(tx, project, traceId, countUnits(trace.units))
  return true
}

/** The deletion that a span of the session belongs to: it had arrived before, or a stream had taken it before. */
function sessionDeletion(tx: Sql, batch: DigestedBatch, sessionId: string) {
  return tx.get<{ deleted_at_ms: number; deletion_id: string | null }>(
    `SELECT deleted_at_ms, deletion_id FROM deleted_sessions
     WHERE project_number = $1 AND session_id = $2 AND through_batch >= $3
     UNION ALL SELECT deleted_at_ms, deletion_id FROM past_session_deletions
     WHERE $6::int = 1 AND project_number = $1 AND session_hash = $4 AND deleted_at_ms >= $5 LIMIT 1`,
    batch.project_number,
    sessionId,
    batch.id,
    hashOf(sessionId),
    batch.received_at_ms,
    batch.is_queued ?? 0,
  )
}

/**
 * An evaluation of a session as a whole may quote any of its traces. If there is something left of the
 * session, it is evaluated again without what was deleted. Tells how many evaluations of the session are gone.
 */
async function forgetSession(tx: Sql, project: number, sessionId: string, atMs: number): Promise<number> {
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
  return rows.length
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
  const row = await tx.get<{ received_at_ms: number | null }>(
    `SELECT min(received_at_ms) AS received_at_ms FROM (
       (SELECT received_at_ms FROM span_batches WHERE project_number = $1
          AND id > coalesce((SELECT through FROM digest_progress WHERE project_number = $1), 0)
        ORDER BY id LIMIT 1)
       UNION ALL
       SELECT b.received_at_ms FROM undigested_batches u JOIN span_batches b ON b.id = u.batch_id
       WHERE u.project_number = $1) AS undigested`,
    project,
  )
  return row?.received_at_ms ?? undefined
}

/** Batches of a project become visible in order, so a transaction that holds the project sees every one that was acknowledged. */
async function newestBatch(tx: Sql, project: number): Promise<number> {
  const row = await tx.get<{ id: number | null }>(
    'SELECT max(id) AS id FROM span_batches WHERE project_number = $1',
    project,
  )
  return row?.id ?? 0
}
