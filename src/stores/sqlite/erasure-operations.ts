import { crc32, zstdCompressSync } from 'node:zlib'
import { isOutOfMemory } from '../../domain/errors.ts'
import { RETENTION_HOURS_MAX } from '../../domain/tenant.ts'
import { type PackedSpans, unpackBytesSync } from '../../lib/otlp/stored-spans.ts'
import type { DeletedSessionRow } from '../shared/deletion-rows.ts'
import { UNIT_INDEX } from '../shared/evaluation-indexes.ts'
import { ERASE_PROJECT_IMAGES, ERASE_TRACE_IMAGES, IMAGES_AT_ONCE } from '../shared/image-operations.ts'
import { INCIDENT_TABLES } from '../shared/incident-rows.ts'
import { IS_OUTLIVED, SELECT_STEP_END, SessionLooks } from '../shared/outlived-evaluations.ts'
import {
  type ErasedSpan,
  type ErasureRow,
  eraseFromBatch,
  SELECT_ERASURE,
} from '../shared/prepared-erasure.ts'
import { toBatch } from '../shared/span-rows.ts'
import { countDeleted } from './deletion-counts.ts'
import { hideTracesOf } from './deletion-operations.ts'
import { digestedThrough } from './digest-operations.ts'
import { dropBatches, dropSomeBatches } from './drop-batches.ts'
import { allVersions } from './evaluation-operations.ts'
import { markLog } from './hidden-units.ts'
import { forgetEvaluations, type RecordedRow } from './record-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** How long one step may hold up the writer. */
const ERASE_MS_MAX = 20
/** Rows of one kind that are erased between two looks at the clock. */
const ERASE_ROWS = 200
const HOUR_MS = 3_600_000

/** A batch without the content of the spans that are to be erased, ready to take the place of the stored one. */
export interface PreparedErasure {
  readonly batchId: number
  /** The spans to erase when it was prepared. */
  readonly units: Uint8Array
  /** Absent when nothing readable is left: then the whole batch goes. */
  readonly rest?: { readonly bytes: Uint8Array; readonly repeated: Uint8Array }
  readonly spans: readonly ErasedSpan[]
}

/** Reads the next batch that spans are to be erased from, and makes it anew; runs beside the writer because it takes long. */
export function prepareErasure(db: SqliteDatabase): PreparedErasure | undefined {
  const row = db.get<ErasureRow & Record<string, unknown>>(SELECT_ERASURE)
  if (!row) return undefined
  const { id: batchId, units } = row
  if (row.bytes === null) return { batchId, units, spans: [] }
  const batch = toBatch(row)
  const { spans, rest } = eraseFromBatch(row, unpacked(batch), batch.knownFaults)
  if (!rest) return { batchId, units, spans }
  return { batchId, units, spans, rest: { ...rest, bytes: zstdCompressSync(rest.bytes) } }
}

function unpacked(batch: PackedSpans): Buffer | undefined {
  try {
    return unpackBytesSync(batch)
  } catch (error) {
    if (isOutOfMemory(error)) throw error
    return undefined
  }
}

/** Puts the batch in the place of the stored one, unless more of it is to be erased by now. */
export function recordErasure(db: SqliteDatabase, { batchId, units, rest, spans }: PreparedErasure): void {
  const erased = db.run('DELETE FROM erasures WHERE batch_id = ? AND units = ?', batchId, units)
  if (erased === 0) return
  markLog(db)
  for (const { second, traceId, spanId, ordinal } of spans) {
    db.run(
      `DELETE FROM spans WHERE project_number = (SELECT project_number FROM span_batches WHERE id = ?1)
         AND second = ?2 AND trace_id = ?3 AND span_id = ?4 AND batch_id = ?1 AND ordinal = ?5`,
      batchId,
      second,
      traceId,
      spanId,
      ordinal,
    )
  }
  if (rest) {
    db.run(
      'UPDATE span_batches SET bytes = ?, checksum = ?, repeated = ? WHERE id = ?',
      rest.bytes,
      crc32(rest.bytes),
      rest.repeated,
      batchId,
    )
    return
  }
  dropBatches(db, [batchId])
}

/** Whether `eraseRows` or emptying the log has something to do. */
export function hasErasures(db: SqliteDatabase, nowMs: number): boolean {
  const row = db.get<{ found: number }>(
    `SELECT EXISTS (SELECT 1 FROM deleted_traces WHERE has_results = 1) OR EXISTS (SELECT 1 FROM deleted_sessions)
       OR EXISTS (SELECT 1 FROM dropped_projects) OR EXISTS (SELECT 1 FROM dropped_versions)
       OR EXISTS (SELECT 1 FROM cache_erasures) OR EXISTS (SELECT 1 FROM erasure_progress WHERE is_log_dirty = 1)
       OR EXISTS (SELECT 1 FROM deletions WHERE erased_at_ms IS NULL)
       OR EXISTS (SELECT 1 FROM deleted_traces WHERE deleted_at_ms < ?1)
       OR EXISTS (SELECT 1 FROM past_session_deletions WHERE deleted_at_ms < ?1)
       OR EXISTS (SELECT 1 FROM deletions WHERE requested_at_ms < ?1) AS found`,
    nowMs - RETENTION_HOURS_MAX * HOUR_MS,
  )
  return row?.found === 1
}

/** Erases rows of what was deleted, for a short time; true when there is more that can be erased now. */
export function eraseRows(db: SqliteDatabase, nowMs: number): boolean {
  const untilMs = performance.now() + ERASE_MS_MAX
  const steps = [endSessions, eraseEvaluations, eraseProjects, eraseVersions, eraseAnswers]
  for (const step of steps) {
    while (step(db, nowMs)) if (performance.now() > untilMs) return true
  }
  const forgottenMs = nowMs - RETENTION_HOURS_MAX * HOUR_MS
  db.run('DELETE FROM deleted_traces WHERE has_results = 0 AND deleted_at_ms < ?', forgottenMs)
  db.run('DELETE FROM past_session_deletions WHERE deleted_at_ms < ?', forgottenMs)
  db.run('DELETE FROM deletions WHERE erased_at_ms IS NOT NULL AND requested_at_ms < ?', forgottenMs)
  return false
}

/** A session whose spans are all summed up needs no more watching; what a crash has left of it is deleted here. */
function endSessions(db: SqliteDatabase): boolean {
  const row = db.get<DeletedSessionRow>(
    `SELECT project_number, session_id, through_batch, deleted_at_ms, deletion_id FROM deleted_sessions d
     WHERE NOT EXISTS (SELECT 1 FROM span_batches b WHERE b.id > ? AND b.id <= d.through_batch)
       AND NOT EXISTS (SELECT 1 FROM undigested_batches u
         WHERE u.project_number = d.project_number AND u.batch_id <= d.through_batch AND u.is_given_up = 0) LIMIT 1`,
    digestedThrough(db),
  )
  if (!row) return false
  const request = { atMs: row.deleted_at_ms, deletionId: row.deletion_id ?? undefined }
  if (hideTracesOf(db, row.project_number, row.session_id, row.through_batch, request)) return true
  if (forgetOutlived(db, row)) return true
  db.run(
    'DELETE FROM deleted_sessions WHERE project_number = ? AND session_id = ?',
    row.project_number,
    row.session_id,
  )
  markLog(db)
  return true
}

const sessionLooks = new WeakMap<SqliteDatabase, SessionLooks>()

/** Some of the evaluations of a session that outlive their traces; true when there may be more. */
function forgetOutlived(db: SqliteDatabase, row: DeletedSessionRow): boolean {
  const { project_number: project, session_id: sessionId } = row
  const looks = sessionLooks.get(db) ?? new SessionLooks()
  sessionLooks.set(db, looks)
  const after = looks.after(project, sessionId)
  const last = db.get<{ last: number | null }>(SELECT_STEP_END, project, after)?.last ?? null
  const found =
    last === null
      ? []
      : db.all<RecordedRow & Record<string, unknown>>(
          `SELECT number, monitor_version, is_current, status, output, unit_at_ms, verdict, application FROM evaluations e WHERE ${IS_OUTLIVED}`,
          ...[project, after, last, sessionId, row.through_batch, row.deleted_at_ms],
        )
  forgetEvaluations(db, found)
  countDeleted(db, row.deletion_id ?? undefined, { spans: 0, evaluations: found.length })
  return looks.passed(project, sessionId, last, found.length)
}

/** Images of a deleted trace first, then its evaluations. */
function eraseEvaluations(db: SqliteDatabase): boolean {
  const trace = db.get<{ project_number: number; trace_id: Uint8Array }>(
    'SELECT project_number, trace_id FROM deleted_traces WHERE has_results = 1 LIMIT 1',
  )
  if (!trace) return false
  const { project_number: project, trace_id: traceId } = trace
  if (db.run(ERASE_TRACE_IMAGES, project, traceId, IMAGES_AT_ONCE) > 0) {
    markLog(db)
    return true
  }
  const rows = db.all<RecordedRow & Record<string, unknown>>(
    `SELECT number, monitor_version, is_current, status, output, unit_at_ms, verdict, application FROM evaluations INDEXED BY ${UNIT_INDEX}
     WHERE monitor_version IN (SELECT value FROM json_each(?)) AND trace_id = ? LIMIT ?`,
    JSON.stringify(allVersions(db, project)),
    traceId,
    ERASE_ROWS,
  )
  forgetEvaluations(db, rows)
  markLog(db)
  if (rows.length < ERASE_ROWS)
    db.run(
      'UPDATE deleted_traces SET has_results = 0 WHERE project_number = ? AND trace_id = ?',
      project,
      traceId,
    )
  return true
}

/** Everything that carries the number of a project, with the columns by which a few rows of it are picked. */
const TABLES_OF_PROJECTS: Readonly<Record<string, string>> = {
  spans: 'project_number, second, trace_id, span_id',
  trace_places: 'project_number, trace_id, batch_id',
  traces: 'project_number, trace_id',
  units: 'monitor_version, scope, unit_key',
  evaluations: 'number',
  scores: 'number',
  review_items: 'queue_number, place',
  review_queues: 'number',
  span_contents: 'number',
  usage_fold_progress: 'project_number',
  stale_usage_folds: 'level, project_number, minute',
  usage_folds: 'project_number, level, minute, env_project_id, service, model',
  usage_rollups: 'project_number, minute, env_project_id, service, model',
  service_pauses: 'project_number, service',
  applications: 'number',
  deployments: 'project_number, env_project_id, application, version',
  deleted_traces: 'project_number, trace_id',
  past_session_deletions: 'project_number, session_hash',
  stored_bytes: 'project_number',
  ...INCIDENT_TABLES,
}

function eraseProjects(db: SqliteDatabase): boolean {
  const project = db.get<{ number: number }>('SELECT number FROM dropped_projects LIMIT 1')
  if (!project) return false
  markLog(db)
  const dropped =
    dropSomeBatches(db, 'project_number = ?', project.number) ||
    db.run(ERASE_PROJECT_IMAGES, project.number, IMAGES_AT_ONCE)
  const isErased = Object.entries(TABLES_OF_PROJECTS).every(
    ([table, key]) => eraseSome(db, table, key, 'project_number', project.number) === 0,
  )
  if (dropped === 0 && isErased) db.run('DELETE FROM dropped_projects WHERE number = ?', project.number)
  return true
}

/** The tables that count by monitor version. */
const TABLES_OF_VERSIONS: Readonly<Record<string, string>> = {
  // First: without it nothing that is erased makes a fold stale.
  fold_progress: 'monitor_version',
  stale_folds: 'level, monitor_version, minute',
  status_folds: 'monitor_version, level, minute, status',
  value_folds: 'monitor_version, level, minute, property',
  status_rollups: 'monitor_version, minute, status',
  value_rollups: 'monitor_version, minute, property',
  status_totals: 'monitor_version, status',
  application_rollups: 'monitor_version, hour, application',
}

function eraseVersions(db: SqliteDatabase): boolean {
  const version = db.get<{ number: number }>('SELECT number FROM dropped_versions LIMIT 1')
  if (!version) return false
  markLog(db)
  const isErased = Object.entries(TABLES_OF_VERSIONS).every(
    ([table, key]) => eraseSome(db, table, key, 'monitor_version', version.number) === 0,
  )
  if (isErased) db.run('DELETE FROM dropped_versions WHERE number = ?', version.number)
  return true
}

function eraseSome(db: SqliteDatabase, table: string, key: string, owner: string, number: number): number {
  return db.run(
    `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${owner} = ? LIMIT ?)`,
    number,
    ERASE_ROWS,
  )
}

function eraseAnswers(db: SqliteDatabase, nowMs: number): boolean {
  const erased = db.run(
    `DELETE FROM judge_cache WHERE (org_id, key) IN (
       SELECT c.org_id, c.key FROM cache_erasures e
       CROSS JOIN judge_cache c INDEXED BY judge_cache_by_use ON c.used_at_ms >= e.from_ms AND c.org_id = e.org_id LIMIT ?)`,
    ERASE_ROWS,
  )
  if (erased > 0) markLog(db)
  else db.run('DELETE FROM cache_erasures WHERE until_ms < ?', nowMs)
  return erased > 0
}

/**
 * Empties the write-ahead log, which still holds pages as they were before the erasing. False while a reader needs it.
 * Runs outside of a transaction.
 */
export function truncateLog(db: SqliteDatabase): boolean {
  const dirty = db.get('SELECT 1 FROM erasure_progress WHERE is_log_dirty = 1')
  if (!dirty) return true
  if (!db.truncateLog(ERASE_MS_MAX)) return false
  db.run('UPDATE erasure_progress SET is_log_dirty = 0')
  return true
}
