import { promisify } from 'node:util'
import { crc32, zstdCompress, zstdDecompress } from 'node:zlib'
import { isOutOfMemory } from '../../domain/errors.ts'
import { RETENTION_HOURS_MAX } from '../../domain/tenant.ts'
import type { PackedSpans } from '../../lib/otlp/stored-spans.ts'
import type { DeletedSessionRow } from '../shared/deletion-rows.ts'
import { ERASE_PROJECT_IMAGES, ERASE_TRACE_IMAGES, IMAGES_AT_ONCE } from '../shared/image-operations.ts'
import { INCIDENT_TABLES } from '../shared/incident-rows.ts'
import { IS_OUTLIVED, SELECT_STEP_END, SessionLooks } from '../shared/outlived-evaluations.ts'
import {
  type ErasedBatch,
  type ErasureRow,
  eraseFromBatch,
  SELECT_ERASURE,
} from '../shared/prepared-erasure.ts'
import { toBatch } from '../shared/span-rows.ts'
import type { Sql } from '../shared/sql.ts'
import { countDeleted } from './deletion-counts.ts'
import { hideTracesOf } from './deletion-operations.ts'
import { dropBatches, dropSomeBatches } from './drop-batches.ts'
import { joinRecording, LOCK_CLASS, lockProjectNumber } from './lock-project.ts'
import { dropOldVersions, isDirty, markDirty, takeCleaning } from './old-versions.ts'
import type { PostgresDatabase } from './postgres-database.ts'
import { forgetEvaluations } from './record-operations.ts'
import { findHiddenDeletions, finishDeletions, searchDeleted } from './search-deleted.ts'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** How long one call goes on. */
const ERASE_MS_MAX = 50
/** Rows of one kind that are erased in one transaction. */
const ERASE_ROWS = 1_000
const HOUR_MS = 3_600_000

/** One short step; true when there is more that can be erased now. */
export async function eraseDeleted(db: PostgresDatabase, nowMs: number): Promise<boolean> {
  if (!(await hasErasures(db, nowMs))) return false
  const hidden = await findHiddenDeletions(db)
  if (await searchDeleted(db)) return true
  if (await oneAtATime(db, eraseNextBatch)) return true
  const untilMs = performance.now() + ERASE_MS_MAX
  for (const step of [
    (tx: Sql) => endSessions(tx, looksOf(db)),
    eraseEvaluations,
    eraseProjects,
    eraseVersions,
    eraseAnswers,
    forgetTraces,
  ]) {
    while (await oneAtATime(db, (tx) => step(tx, nowMs))) if (performance.now() > untilMs) return true
  }
  if (await oneAtATime(db, takeCleaning)) await dropOldVersions(db)
  // Nothing is left of what was hidden when this step began, once the server has cleaned up after it.
  if (hidden.length > 0 && !(await isDirty(db))) await finishDeletions(db, hidden, nowMs)
  return false
}

async function hasErasures(db: Sql, nowMs: number): Promise<boolean> {
  const row = await db.get<{ found: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM erasures) OR EXISTS (SELECT 1 FROM deleted_traces WHERE has_results = 1)
       OR EXISTS (SELECT 1 FROM deleted_sessions) OR EXISTS (SELECT 1 FROM dropped_projects)
       OR EXISTS (SELECT 1 FROM dropped_versions) OR EXISTS (SELECT 1 FROM cache_erasures)
       OR EXISTS (SELECT 1 FROM erasure_progress WHERE is_dirty = 1)
       OR EXISTS (SELECT 1 FROM deletions WHERE erased_at_ms IS NULL)
       OR EXISTS (SELECT 1 FROM deletions WHERE requested_at_ms < $1)
       OR EXISTS (SELECT 1 FROM past_session_deletions WHERE deleted_at_ms < $1)
       OR EXISTS (SELECT 1 FROM deleted_traces WHERE deleted_at_ms < $1) AS found`,
    nowMs - RETENTION_HOURS_MAX * HOUR_MS,
  )
  return row?.found === true
}

/** Processes wait for each other's steps, so that who is told that nothing is left can rely on it. */
function oneAtATime(db: PostgresDatabase, step: (tx: Sql) => Promise<boolean>): Promise<boolean> {
  return db.transaction(async (tx) => {
    await tx.run('SELECT pg_advisory_xact_lock($1, 0)', LOCK_CLASS.erasure)
    return step(tx)
  })
}

/** Puts the next batch that spans are to be erased from into its place without them. */
async function eraseNextBatch(tx: Sql): Promise<boolean> {
  const row = await tx.get<ErasureRow>(SELECT_ERASURE)
  if (!row) return false
  await markDirty(tx)
  if (row.bytes === null) {
    await tx.run('DELETE FROM erasures WHERE batch_id = $1', row.id)
    return true
  }
  const batch = toBatch(row)
  const erased = eraseFromBatch(row, await unpacked(batch), batch.knownFaults)
  const bytes = erased.rest && (await compress(erased.rest.bytes))
  const project = await tx.get<{ project_number: number }>(
    'SELECT project_number FROM span_batches WHERE id = $1',
    row.id,
  )
  // Gone meanwhile; the next step finds the erasure without its batch.
  if (!project) return true
  await lockProjectNumber(tx, project.project_number)
  // Unless more of it is to be erased by now.
  if ((await tx.run('DELETE FROM erasures WHERE batch_id = $1 AND units = $2', row.id, row.units)) === 0)
    return true
  await eraseSpanRows(tx, project.project_number, row.id, erased.spans)
  if (erased.rest && bytes)
    await tx.run(
      'UPDATE span_batches SET bytes = $1, checksum = $2, repeated = $3 WHERE id = $4',
      bytes,
      crc32(bytes),
      erased.rest.repeated,
      row.id,
    )
  else await dropBatches(tx, [row.id])
  return true
}

async function eraseSpanRows(
  tx: Sql,
  project: number,
  batchId: number,
  spans: ErasedBatch['spans'],
): Promise<void> {
  await tx.run(
    `DELETE FROM spans s USING unnest($3::bigint[], $4::bytea[], $5::bytea[], $6::bigint[])
       AS e (second, trace_id, span_id, ordinal)
     WHERE s.project_number = $1 AND s.batch_id = $2 AND s.second = e.second AND s.trace_id = e.trace_id
       AND s.span_id = e.span_id AND s.ordinal = e.ordinal`,
    project,
    batchId,
    spans.map((span) => span.second),
    spans.map((span) => span.traceId),
    spans.map((span) => span.spanId),
    spans.map((span) => span.ordinal),
  )
}

async function unpacked({ bytes, byteLength }: PackedSpans): Promise<Buffer | undefined> {
  try {
    return await decompress(bytes, { maxOutputLength: byteLength })
  } catch (error) {
    if (isOutOfMemory(error)) throw error
    return undefined
  }
}

/** Nothing that had arrived when the session `d` was deleted waits to be summed up. */
const IS_SUMMED_UP = `NOT EXISTS (
    SELECT 1 FROM span_batches b WHERE b.project_number = d.project_number AND b.id <= d.through_batch
      AND b.id > coalesce((SELECT g.through FROM digest_progress g WHERE g.project_number = d.project_number), 0))
  AND NOT EXISTS (SELECT 1 FROM undigested_batches u
    WHERE u.project_number = d.project_number AND u.batch_id <= d.through_batch AND u.is_given_up = 0)`

/** A session whose spans are all summed up needs no more watching; what a crash has left of it is deleted here. */
async function endSessions(tx: Sql, looks: SessionLooks): Promise<boolean> {
  const row = await tx.get<DeletedSessionRow>(
    `SELECT d.project_number, d.session_id, d.through_batch, d.deleted_at_ms, d.deletion_id FROM deleted_sessions d
     WHERE ${IS_SUMMED_UP} LIMIT 1`,
  )
  if (!row) return false
  const { project_number: project, session_id: sessionId } = row
  await markDirty(tx)
  const isThere = await lockProjectNumber(tx, project)
  const request = { atMs: row.deleted_at_ms, deletionId: row.deletion_id ?? undefined }
  if (isThere && (await hideTracesOf(tx, project, sessionId, row.through_batch, request))) return true
  if (isThere && (await forgetOutlived(tx, row, looks))) return true
  // Deleted once more meanwhile: then it has to be watched for longer.
  await tx.run(
    `DELETE FROM deleted_sessions d WHERE d.project_number = $1 AND d.session_id = $2 AND ${IS_SUMMED_UP}`,
    project,
    sessionId,
  )
  return true
}

const sessionLooks = new WeakMap<PostgresDatabase, SessionLooks>()

function looksOf(db: PostgresDatabase): SessionLooks {
  const looks = sessionLooks.get(db) ?? new SessionLooks()
  sessionLooks.set(db, looks)
  return looks
}

/** Some of the evaluations of a session that outlive their traces; true when there may be more. */
async function forgetOutlived(tx: Sql, row: DeletedSessionRow, looks: SessionLooks): Promise<boolean> {
  const { project_number: project, session_id: sessionId } = row
  const after = looks.after(project, sessionId)
  const step = await tx.get<{ last: number | null }>(SELECT_STEP_END, project, after)
  const last = step?.last ?? null
  const found =
    last === null
      ? []
      : await tx.all<{ number: number; unit_at_ms: number }>(
          `SELECT number, unit_at_ms FROM evaluations e WHERE ${IS_OUTLIVED}`,
          ...[project, after, last, sessionId, row.through_batch, row.deleted_at_ms],
        )
  await forgetEvaluations(tx, found)
  await countDeleted(tx, row.deletion_id ?? undefined, { spans: 0, evaluations: found.length })
  return looks.passed(project, sessionId, last, found.length)
}

/** Images of a deleted trace first, then its evaluations. */
async function eraseEvaluations(tx: Sql): Promise<boolean> {
  const trace = await tx.get<{ project_number: number; trace_id: Uint8Array; deleted_at_ms: number }>(
    'SELECT project_number, trace_id, deleted_at_ms FROM deleted_traces WHERE has_results = 1 LIMIT 1',
  )
  if (!trace) return false
  const { project_number: project, trace_id: traceId } = trace
  await markDirty(tx)
  if ((await tx.run(ERASE_TRACE_IMAGES, project, traceId, IMAGES_AT_ONCE)) > 0) return true
  await joinRecording(tx, project)
  const rows = await tx.all<{ number: number; unit_at_ms: number }>(
    `SELECT number, unit_at_ms FROM evaluations
     WHERE trace_id = $2 AND project_number = $1 AND monitor_version IN (
       SELECT v.number FROM monitor_versions v JOIN monitors m ON m.number = v.monitor_number
       WHERE m.project_number = $1)
     LIMIT $3`,
    project,
    traceId,
    ERASE_ROWS,
  )
  await forgetEvaluations(tx, rows)
  if (rows.length < ERASE_ROWS)
    await tx.run(
      'UPDATE deleted_traces SET has_results = 0 WHERE project_number = $1 AND trace_id = $2 AND deleted_at_ms = $3',
      project,
      traceId,
      trace.deleted_at_ms,
    )
  return true
}

/** Everything that carries the number of a project, with the columns by which a few rows of it are picked. */
const TABLES_OF_PROJECTS: Readonly<Record<string, string>> = {
  spans: 'project_number, second, trace_id, span_id',
  trace_places: 'project_number, trace_id, batch_id',
  traces: 'project_number, trace_id',
  units: 'monitor_version, scope, unit_key',
  evaluations: 'number, unit_at_ms',
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
  deleted_sessions: 'project_number, session_id',
  past_session_deletions: 'project_number, session_hash',
  digest_progress: 'project_number',
  stored_bytes: 'project_number',
  ...INCIDENT_TABLES,
}

async function eraseProjects(tx: Sql): Promise<boolean> {
  const project = await tx.get<{ number: number }>('SELECT number FROM dropped_projects LIMIT 1')
  if (!project) return false
  await markDirty(tx)
  if ((await dropSomeBatches(tx, 'project_number = $1', project.number)) > 0) return true
  if ((await tx.run(ERASE_PROJECT_IMAGES, project.number, IMAGES_AT_ONCE)) > 0) return true
  if (await eraseSome(tx, TABLES_OF_PROJECTS, 'project_number', project.number)) return true
  await tx.run('DELETE FROM dropped_projects WHERE number = $1', project.number)
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

async function eraseVersions(tx: Sql): Promise<boolean> {
  const version = await tx.get<{ number: number }>('SELECT number FROM dropped_versions LIMIT 1')
  if (!version) return false
  await markDirty(tx)
  if (await eraseSome(tx, TABLES_OF_VERSIONS, 'monitor_version', version.number)) return true
  await tx.run('DELETE FROM dropped_versions WHERE number = $1', version.number)
  return true
}

/** Erases rows of the first table that has some; false when none has. */
async function eraseSome(
  tx: Sql,
  tables: Readonly<Record<string, string>>,
  owner: string,
  number: number,
): Promise<boolean> {
  for (const [table, key] of Object.entries(tables)) {
    const erased = await tx.run(
      `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${owner} = $1 LIMIT ${ERASE_ROWS})`,
      number,
    )
    if (erased > 0) return true
  }
  return false
}

async function eraseAnswers(tx: Sql, nowMs: number): Promise<boolean> {
  const erased = await tx.run(
    `DELETE FROM judge_cache WHERE (org_id, key) IN (
       SELECT c.org_id, c.key FROM cache_erasures e
       JOIN judge_cache c ON c.org_id = e.org_id AND c.used_at_ms >= e.from_ms LIMIT ${ERASE_ROWS})`,
  )
  if (erased > 0) await markDirty(tx)
  else await tx.run('DELETE FROM cache_erasures WHERE until_ms < $1', nowMs)
  return erased > 0
}

/** Forgets deletions whose spans can no longer arrive, and deletions that ended long ago. */
async function forgetTraces(tx: Sql, nowMs: number): Promise<boolean> {
  const forgottenMs = nowMs - RETENTION_HOURS_MAX * HOUR_MS
  await tx.run('DELETE FROM past_session_deletions WHERE deleted_at_ms < $1', forgottenMs)
  await tx.run('DELETE FROM deletions WHERE erased_at_ms IS NOT NULL AND requested_at_ms < $1', forgottenMs)
  const forgotten = await tx.run(
    `DELETE FROM deleted_traces WHERE (project_number, trace_id) IN (
       SELECT project_number, trace_id FROM deleted_traces WHERE has_results = 0 AND deleted_at_ms < $1
       ORDER BY deleted_at_ms LIMIT ${ERASE_ROWS})`,
    forgottenMs,
  )
  return forgotten > 0
}
