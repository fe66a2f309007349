import { crc32 } from 'node:zlib'
import type { EnvironmentTenant, ProjectTenant } from '../../domain/tenant.ts'
import { addUnit, countUnits, emptyUnits, removeUnit, type UnitSet } from '../../domain/unit-set.ts'
import type {
  Admission,
  CatalogueChange,
  PackedBatch,
  SpanRange,
  SpanRef,
  StoredBatch,
} from '../../ports/span-storage.ts'
import {
  type BatchRow,
  type CatalogueRow,
  IDS_BYTES,
  SELECT_BATCH,
  type SpanRow,
  TRACE_ID_BYTES,
  toBatch,
  toCatalogueSetup,
  toSpanRef,
} from '../shared/span-rows.ts'
import { hasDeletedTraces, isDeleted, notDeleted } from './deleted-traces.ts'
import { countLate, countLateOf } from './deletion-counts.ts'
import { addErasure } from './hidden-units.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

export { type BatchRow, SELECT_BATCH, toBatch, toHex } from '../shared/span-rows.ts'

interface ProjectRow {
  number: number
  catalogue_revision: number
  data_deleted_at_ms: number | null
}

export function readCatalogue(
  db: SqliteDatabase,
  tenant: ProjectTenant,
  sinceRevision = -1,
): CatalogueChange {
  const { number, catalogue_revision: revision } = projectOf(db, tenant)
  if (revision === sinceRevision) return { revision, current: [], endedSetupIds: [] }
  const rows = db.all<CatalogueRow>(
    `SELECT v.number, v.setup_id, s.env_project_id, v.selector
     FROM setup_versions v JOIN setups s ON s.id = v.setup_id
     WHERE v.project_number = ? AND v.revision_from > ? AND v.revision_to IS NULL ORDER BY v.setup_id`,
    number,
    sinceRevision,
  )
  const ended = db.all<{ setup_id: string }>(
    `SELECT DISTINCT setup_id FROM setup_versions
     WHERE project_number = ? AND revision_to > ? AND revision_from <= ?`,
    number,
    sinceRevision,
    sinceRevision,
  )
  return { revision, current: rows.map(toCatalogueSetup), endedSetupIds: ended.map((row) => row.setup_id) }
}

export function admitSpans(db: SqliteDatabase, tenant: EnvironmentTenant, batch: PackedBatch): Admission {
  const project = projectOf(db, tenant)
  if (project.catalogue_revision !== batch.revision && !batch.isDecidedAfterArrival) return 'stale'
  const spanCount = batch.startSeconds.length
  if (batch.isQueued && batch.receivedAtMs <= (project.data_deleted_at_ms ?? 0)) {
    countLateOf(db, tenant, spanCount)
    return { batchId: 0, newSpans: 0, hasWork: false, hasUnbound: false }
  }
  db.run(
    `INSERT INTO span_batches (project_number, env_project_id, revision, received_at_ms, span_count, byte_length,
       known_faults, bytes, checksum, is_queued)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    project.number,
    tenant.envProjectId,
    batch.revision,
    batch.receivedAtMs,
    spanCount,
    batch.byteLength,
    batch.knownFaults.length > 0 ? JSON.stringify(batch.knownFaults) : null,
    batch.bytes,
    crc32(batch.bytes),
    batch.isQueued ? 1 : null,
  )
  const batchId = db.lastInsertedId()
  const repeated = insertSpans(db, project.number, batchId, batch)
  const newSpans = spanCount - repeated.length
  if (newSpans === 0) {
    // Everything in it was here before; a sender that repeats itself must not fill the disk.
    db.run('DELETE FROM span_batches WHERE id = ?', batchId)
    return { batchId, newSpans, hasWork: false, hasUnbound: false }
  }
  if (repeated.length > 0) {
    const units = emptyUnits(spanCount)
    for (const ordinal of repeated) addUnit(units, ordinal)
    db.run('UPDATE span_batches SET repeated = ? WHERE id = ?', units, batchId)
    // A second copy of a span would outlive the deletion of its trace.
    addErasure(db, batchId, units)
  }
  let hasWork = false
  let hasUnbound = false
  for (const { setupVersion, units } of batch.matches) {
    for (const ordinal of repeated) removeUnit(units, ordinal)
    const count = countUnits(units)
    if (count === 0) continue
    db.run(
      'INSERT INTO matches (batch_id, setup_version, units) VALUES (?, ?, ?)',
      batchId,
      setupVersion,
      units,
    )
    if (addWork(db, batchId, setupVersion, units, count) > 0) hasWork = true
    if (bringNews(db, batchId, setupVersion)) hasUnbound = true
  }
  return { batchId, newSpans, hasWork, hasUnbound }
}

/** The ordinals of the spans that were stored before, or stand twice in the batch, or belong to a deleted trace. */
function insertSpans(
  db: SqliteDatabase,
  projectNumber: number,
  batchId: number,
  { ids, startSeconds }: PackedBatch,
): number[] {
  const repeated: number[] = []
  const insert = db.statement(
    `INSERT INTO spans (project_number, second, trace_id, span_id, batch_id, ordinal) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  )
  const hasDeleted = hasDeletedTraces(db, projectNumber)
  for (const [ordinal, second] of startSeconds.entries()) {
    const at = ordinal * IDS_BYTES
    const traceId = ids.subarray(at, at + TRACE_ID_BYTES)
    if (hasDeleted && isDeleted(db, projectNumber, traceId)) {
      countLate(db, projectNumber, traceId)
      repeated.push(ordinal)
      continue
    }
    const { changes } = insert.run(
      projectNumber,
      second,
      traceId,
      ids.subarray(at + TRACE_ID_BYTES, at + IDS_BYTES),
      batchId,
      ordinal,
    )
    if (changes === 0) repeated.push(ordinal)
  }
  return repeated
}

function addWork(
  db: SqliteDatabase,
  batchId: number,
  setupVersion: number,
  units: UnitSet,
  count: number,
): number {
  return db.run(
    `INSERT INTO work (batch_id, monitor_version, project_number, units, unit_count, is_judged)
     SELECT ?, version_number, project_number, ?, ?, is_judged FROM monitors
     WHERE setup_version = ? AND is_active = 1 AND is_gathered = 0`,
    batchId,
    units,
    count,
    setupVersion,
  )
}

/** Tells a setup that is not completely bound that spans have matched it; true when that is news. */
function bringNews(db: SqliteDatabase, batchId: number, setupVersion: number): boolean {
  const changed = db.run(
    `UPDATE setups SET has_news = can_heal, first_match = coalesce(first_match, ?)
     WHERE id = (SELECT setup_id FROM setup_versions WHERE number = ?) AND status <> 'completed'
       AND (first_match IS NULL OR has_news < can_heal)`,
    batchId,
    setupVersion,
  )
  return changed > 0
}

export function listSpanRefs(db: SqliteDatabase, tenant: ProjectTenant, range: SpanRange): SpanRef[] {
  const { fromSecond, toSecond, isDescending, after, limit } = range
  const behind = isDescending ? '<' : '>'
  const order = isDescending ? 'DESC' : 'ASC'
  const rows = db.all<SpanRow>(
    `SELECT second, trace_id, span_id, batch_id, ordinal FROM spans
     WHERE project_number = ? AND second >= ? AND second < ? AND ${notDeleted('spans')}
       ${after ? `AND (second, trace_id, span_id) ${behind} (?, ?, ?)` : ''}
     ORDER BY second ${order}, trace_id ${order}, span_id ${order} LIMIT ?`,
    projectOf(db, tenant).number,
    fromSecond,
    toSecond,
    ...(after ? [after.second, Buffer.from(after.traceId, 'hex'), Buffer.from(after.spanId, 'hex')] : []),
    limit,
  )
  return rows.map(toSpanRef)
}

export function readBatches(
  db: SqliteDatabase,
  tenant: ProjectTenant,
  batchIds: readonly number[],
): StoredBatch[] {
  return db
    .all<BatchRow>(
      `${SELECT_BATCH} WHERE b.project_number = ? AND b.id IN (SELECT value FROM json_each(?))`,
      projectOf(db, tenant).number,
      JSON.stringify(batchIds),
    )
    .map(toBatch)
}

/** A project that does not exist within its organization has no number; its spans then have no owner. */
export function projectOf(db: SqliteDatabase, tenant: ProjectTenant): ProjectRow {
  const row = db.get<ProjectRow>(
    'SELECT number, catalogue_revision, data_deleted_at_ms FROM projects WHERE org_id = ? AND id = ?',
    tenant.orgId,
    tenant.projectId,
  )
  if (!row) throw new Error(`project ${tenant.projectId} does not exist`)
  return row
}
