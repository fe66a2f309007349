import type { ProjectTenant } from '../../domain/tenant.ts'
import type { CatalogueChange, SpanRange, SpanRef, StoredBatch } from '../../ports/span-storage.ts'
import { notDeleted } from '../shared/not-deleted.ts'
import { projectOf } from '../shared/project-of.ts'
import {
  type BatchRow,
  type CatalogueRow,
  SELECT_BATCH,
  type SpanRow,
  toBatch,
  toCatalogueSetup,
  toSpanRef,
} from '../shared/span-rows.ts'
import type { Sql } from '../shared/sql.ts'

export async function readCatalogue(
  db: Sql,
  tenant: ProjectTenant,
  sinceRevision = -1,
): Promise<CatalogueChange> {
  const { number, catalogue_revision: revision } = await projectOf(db, tenant)
  if (revision === sinceRevision) return { revision, current: [], endedSetupIds: [] }
  const rows = await db.all<CatalogueRow>(
    `SELECT v.number, v.setup_id, s.env_project_id, v.selector
     FROM setup_versions v JOIN setups s ON s.id = v.setup_id
     WHERE v.project_number = $1 AND v.revision_from > $2 AND v.revision_to IS NULL ORDER BY v.setup_id`,
    number,
    sinceRevision,
  )
  const ended = await db.all<{ setup_id: string }>(
    `SELECT DISTINCT setup_id FROM setup_versions
     WHERE project_number = $1 AND revision_to > $2 AND revision_from <= $2`,
    number,
    sinceRevision,
  )
  return { revision, current: rows.map(toCatalogueSetup), endedSetupIds: ended.map((row) => row.setup_id) }
}

export async function listSpanRefs(db: Sql, tenant: ProjectTenant, range: SpanRange): Promise<SpanRef[]> {
  const { fromSecond, toSecond, isDescending, after, limit } = range
  const behind = isDescending ? '<' : '>'
  const order = isDescending ? 'DESC' : 'ASC'
  const rows = await db.all<SpanRow>(
    `SELECT second, trace_id, span_id, batch_id, ordinal FROM spans
     WHERE project_number = $1 AND second >= $2 AND second < $3 AND ${notDeleted('spans')}
       ${after ? `AND (second, trace_id, span_id) ${behind} ($5, $6, $7)` : ''}
     ORDER BY second ${order}, trace_id ${order}, span_id ${order} LIMIT $4`,
    (await projectOf(db, tenant)).number,
    fromSecond,
    toSecond,
    limit,
    ...(after ? [after.second, Buffer.from(after.traceId, 'hex'), Buffer.from(after.spanId, 'hex')] : []),
  )
  return rows.map(toSpanRef)
}

export async function readBatches(
  db: Sql,
  tenant: ProjectTenant,
  batchIds: readonly number[],
): Promise<StoredBatch[]> {
  const rows = await db.all<BatchRow>(
    `${SELECT_BATCH} WHERE b.project_number = $1 AND b.id = ANY($2)`,
    (await projectOf(db, tenant)).number,
    batchIds,
  )
  return rows.map(toBatch)
}
