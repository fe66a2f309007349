import type { ProjectTenant } from '../../domain/tenant.ts'
import type { TraceDigest } from '../../domain/trace-digest.ts'
import { countUnits } from '../../domain/unit-set.ts'
import type { ProjectDeletion } from '../../ports/deletion-storage.ts'
import { type DeletionRequest, hashOf, SELECT_BEGUN_TRACES } from '../shared/deletion-rows.ts'
import type { UnitBatch } from '../shared/join-trace.ts'
import { isDeleted } from './deleted-traces.ts'
import { countDeleted, countEvaluations, countHidden, openDeletion } from './deletion-counts.ts'
import { hideUnits, markLog } from './hidden-units.ts'
import { forgetEvaluations, type RecordedRow } from './record-operations.ts'
import { projectOf } from './span-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** Traces of a session that one call deletes. */
const TRACES_AT_ONCE = 200
/** A judge that was asked before the deletion may still answer for so long. */
const LATE_ANSWER_MS = 3_600_000

export function deleteTrace(
  db: SqliteDatabase,
  tenant: ProjectTenant,
  traceId: string,
  atMs: number,
  deletionId?: string,
): number {
  const { number: project } = projectOf(db, tenant)
  const newest = newestBatch(db)
  openDeletion(db, tenant, { id: deletionId, project, kind: 'trace', throughBatch: newest, atMs })
  hideTrace(db, project, Buffer.from(traceId, 'hex'), { atMs, deletionId })
  return newest
}

export function deleteSession(
  db: SqliteDatabase,
  tenant: ProjectTenant,
  sessionId: string,
  atMs: number,
  deletionId?: string,
): { newestBatch: number; hasMore: boolean } {
  const { number: project } = projectOf(db, tenant)
  const newest = newestBatch(db)
  openDeletion(db, tenant, { id: deletionId, project, kind: 'session', throughBatch: newest, atMs })
  db.run(
    `INSERT INTO deleted_sessions (project_number, session_id, through_batch, deleted_at_ms, deletion_id)
     VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET through_batch = excluded.through_batch, deleted_at_ms = excluded.deleted_at_ms,
       deletion_id = excluded.deletion_id`,
    project,
    sessionId,
    newest,
    atMs,
    deletionId ?? null,
  )
  db.run(
    `INSERT INTO past_session_deletions (project_number, session_hash, deleted_at_ms, deletion_id) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET deleted_at_ms = excluded.deleted_at_ms, deletion_id = excluded.deletion_id`,
    project,
    hashOf(sessionId),
    atMs,
    deletionId ?? null,
  )
  db.run('DELETE FROM scores WHERE project_number = ? AND session_id = ?', project, sessionId)
  markLog(db)
  return { newestBatch: newest, hasMore: hideTracesOf(db, project, sessionId, newest, { atMs, deletionId }) }
}

/** Deletes some of the traces of a session that had begun by a batch; true when there are more. */
export function hideTracesOf(
  db: SqliteDatabase,
  project: number,
  sessionId: string,
  throughBatch: number,
  request: DeletionRequest,
): boolean {
  const traces = db.all<{ trace_id: Uint8Array }>(
    `${SELECT_BEGUN_TRACES} LIMIT $4`,
    project,
    sessionId,
    throughBatch,
    TRACES_AT_ONCE,
  )
  for (const { trace_id: traceId } of traces) hideTrace(db, project, traceId, request)
  const evaluations = forgetSession(db, project, sessionId, request.atMs)
  countDeleted(db, request.deletionId, { spans: 0, evaluations })
  return traces.length === TRACES_AT_ONCE
}

/**
 * All rows of a project carry its number, and all that came of a monitor version carry the number of that. With new
 * numbers for both, everything before belongs to no project at once, however much it is.
 */
export function deleteProjectData(
  db: SqliteDatabase,
  tenant: ProjectTenant,
  atMs: number,
  deletion?: ProjectDeletion,
): boolean {
  const known = db.get<{ number: number }>(
    'SELECT number FROM projects WHERE org_id = ? AND id = ?',
    tenant.orgId,
    tenant.projectId,
  )
  if (!known) return false
  const old = known.number
  const { next } = db.get<{ next: number }>('SELECT max(number) + 1 AS next FROM projects') ?? { next: 1 }
  db.run(
    'UPDATE projects SET number = ?1, data_deleted_at_ms = max(coalesce(data_deleted_at_ms, 0), ?2) WHERE number = ?3',
    next,
    atMs,
    old,
  )
  openDeletion(db, tenant, { ...deletion, project: old, kind: 'project', throughBatch: 0, atMs })
  for (const table of ['setup_versions', 'monitors', 'jobs'])
    db.run(`UPDATE ${table} SET project_number = ? WHERE project_number = ?`, next, old)
  db.run('INSERT INTO dropped_projects (number) VALUES (?)', old)
  renumberVersions(db, next)
  // Nothing of what setups have matched is left to be bound or to be evaluated.
  db.run(
    'UPDATE setups SET first_match = NULL, has_news = 0, looked_through = ? WHERE project_id = ?',
    newestBatch(db),
    tenant.projectId,
  )
  db.run('UPDATE monitors SET fill_next = 0, fill_last = -1 WHERE project_number = ?', next)
  db.run('DELETE FROM executions WHERE project_id = ?', tenant.projectId)
  db.run('DELETE FROM deleted_sessions WHERE project_number = ?', old)
  forgetAnswers(db, tenant.orgId, 0, atMs)
  markLog(db)
  return true
}

function renumberVersions(db: SqliteDatabase, project: number): void {
  const versions = db.all<{ number: number }>(
    `SELECT v.number FROM monitor_versions v JOIN monitors m ON m.number = v.monitor_number
     WHERE m.project_number = ? ORDER BY v.number`,
    project,
  )
  let { next } = db.get<{ next: number }>('SELECT max(number) + 1 AS next FROM monitor_versions') ?? {
    next: 1,
  }
  for (const { number } of versions) {
    db.run('UPDATE monitor_versions SET number = ? WHERE number = ?', next, number)
    db.run('UPDATE monitors SET version_number = ? WHERE version_number = ?', next, number)
    db.run('INSERT INTO dropped_versions (number) VALUES (?)', number)
    next++
  }
}

/** Everything that is known of a trace; only its evaluations, which may be very many, are left to be erased in steps. */
export function hideTrace(
  db: SqliteDatabase,
  project: number,
  traceId: Uint8Array,
  { atMs, deletionId }: DeletionRequest,
): void {
  // Batches that are not in any trace may hold spans of it: they are looked for in the index of spans.
  db.run(
    `INSERT INTO deleted_traces (project_number, trace_id, deleted_at_ms, deletion_id, needs_search)
     VALUES (?1, ?2, ?3, ?4, EXISTS (SELECT 1 FROM undigested_batches WHERE project_number = ?1))
     ON CONFLICT DO UPDATE SET deleted_at_ms = excluded.deleted_at_ms, has_results = 1,
       deletion_id = coalesce(excluded.deletion_id, deletion_id),
       needs_search = max(needs_search, excluded.needs_search)`,
    project,
    traceId,
    atMs,
    deletionId ?? null,
  )
  const key = [project, traceId] as const
  const places = db.all<{ batch_id: number; units: Uint8Array; received_at_ms: number }>(
    `SELECT p.batch_id, p.units, b.received_at_ms FROM trace_places p JOIN span_batches b ON b.id = p.batch_id
     WHERE p.project_number = ? AND p.trace_id = ?`,
    ...key,
  )
  for (const { batch_id: batchId, units } of places) hideUnits(db, batchId, units)
  const spans = places.reduce((count, { units }) => count + countUnits(units), 0)
  const evaluations = countEvaluations(db, project, traceId)
  const trace = db.get<{ session_id: string | null }>(
    'SELECT session_id FROM traces WHERE project_number = ? AND trace_id = ?',
    ...key,
  )
  for (const table of ['trace_places', 'traces', 'scores', 'span_contents', 'incident_examples'])
    db.run(`DELETE FROM ${table} WHERE project_number = ? AND trace_id = ?`, ...key)
  db.run("DELETE FROM units WHERE project_number = ? AND unit_key = ? AND scope = 'trace'", ...key)
  const sessionId = trace?.session_id ?? undefined
  const ofSession = sessionId === undefined ? 0 : forgetSession(db, project, sessionId, atMs)
  countDeleted(db, deletionId, { spans, evaluations: evaluations + ofSession })
  const arrivals = places.map((place) => place.received_at_ms)
  forgetAnswers(db, ownerOf(db, project), Math.min(...arrivals, oldestUndigested(db, project) ?? atMs), atMs)
  markLog(db)
}

/** A batch as far as it matters for what was deleted. */
export interface DigestedBatch extends UnitBatch {
  readonly is_queued: number | null
}

/** Whether spans that are being summed up belong to what was deleted; if so, they are hidden like the rest of it. */
export function hideDigested(
  db: SqliteDatabase,
  batch: DigestedBatch,
  trace: Pick<TraceDigest, 'traceId' | 'sessionId' | 'units'>,
): boolean {
  const traceId = Buffer.from(trace.traceId, 'hex')
  if (!isDeleted(db, batch.project_number, traceId)) {
    const session = trace.sessionId === undefined ? undefined : sessionDeletion(db, batch, trace.sessionId)
    if (!session) return false
    const request = { atMs: session.deleted_at_ms, deletionId: session.deletion_id ?? undefined }
    hideTrace(db, batch.project_number, traceId, request)
  }
  hideUnits(db, batch.id, trace.units)
  countHidden(db, batch.project_number, traceId, countUnits(trace.units))
  return true
}

/** The deletion that a span of the session belongs to: it had arrived before, or a stream had taken it before. */
function sessionDeletion(db: SqliteDatabase, batch: DigestedBatch, sessionId: string) {
  const known = db.get<{ deleted_at_ms: number; deletion_id: string | null }>(
    `SELECT deleted_at_ms, deletion_id FROM deleted_sessions
     WHERE project_number = ? AND session_id = ? AND through_batch >= ?`,
    batch.project_number,
    sessionId,
    batch.id,
  )
  if (known || batch.is_queued !== 1) return known
  return db.get<{ deleted_at_ms: number; deletion_id: string | null }>(
    `SELECT deleted_at_ms, deletion_id FROM past_session_deletions
     WHERE project_number = ? AND session_hash = ? AND deleted_at_ms >= ?`,
    batch.project_number,
    hashOf(sessionId),
    batch.received_at_ms,
  )
}

/**
 * An evaluation of a session as a whole may quote any of its traces. If there is something left of the session, it is
 * evaluated again without what was deleted. Tells how many evaluations of the session are gone.
 */
function forgetSession(db: SqliteDatabase, project: number, sessionId: string, atMs: number): number {
  const rows = db.all<RecordedRow & Record<string, unknown>>(
    `SELECT number, monitor_version, is_current, status, output, unit_at_ms, verdict, application
     FROM evaluations INDEXED BY evaluations_of_sessions
     WHERE project_number = ? AND session_id = ? AND length(span_id) > 8`,
    project,
    sessionId,
  )
  forgetEvaluations(db, rows)
  const isLeft = db.get(
    'SELECT 1 FROM traces WHERE project_number = ? AND session_id = ? LIMIT 1',
    project,
    sessionId,
  )
  const unit = "project_number = ? AND unit_key = ? AND scope = 'session'"
  const key = [project, Buffer.from(sessionId)] as const
  if (!isLeft) db.run(`DELETE FROM units WHERE ${unit}`, ...key)
  else
    db.run(
      `UPDATE units SET state = 0, lease = NULL, attempts = 0, evaluation = NULL, look_at_ms = ? WHERE ${unit}`,
      atMs,
      ...key,
    )
  return rows.length
}

/** Answers of judges are kept under hashes, so those that may quote what was deleted are found by their time. */
function forgetAnswers(db: SqliteDatabase, orgId: string, fromMs: number, atMs: number): void {
  db.run(
    `INSERT INTO cache_erasures (org_id, from_ms, until_ms) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET from_ms = min(from_ms, excluded.from_ms), until_ms = excluded.until_ms`,
    orgId,
    fromMs,
    atMs + LATE_ANSWER_MS,
  )
}

function ownerOf(db: SqliteDatabase, project: number): string {
  const row = db.get<{ org_id: string }>('SELECT org_id FROM projects WHERE number = ?', project)
  if (!row) throw new Error(`project ${project} does not exist`)
  return row.org_id
}

function oldestUndigested(db: SqliteDatabase, project: number): number | undefined {
  const oldest = db.get<{ received_at_ms: number | null }>(
    `SELECT min(received_at_ms) AS received_at_ms FROM (
       SELECT received_at_ms FROM span_batches WHERE id > (SELECT through FROM digest_progress) AND +project_number = ?1
       UNION ALL
       SELECT b.received_at_ms FROM undigested_batches u JOIN span_batches b ON b.id = u.batch_id
       WHERE u.project_number = ?1)`,
    project,
  )
  return oldest?.received_at_ms ?? undefined
}

function newestBatch(db: SqliteDatabase): number {
  return db.get<{ id: number | null }>('SELECT max(id) AS id FROM span_batches')?.id ?? 0
}
