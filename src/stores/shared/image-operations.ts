import { crc32 } from 'node:zlib'
import type { ImageType, SpanImage } from '../../domain/span-image.ts'
import type { EnvironmentTenant, ProjectTenant } from '../../domain/tenant.ts'
import type { StoredImage } from '../../ports/image-storage.ts'
import { isDeleted } from './deleted-traces.ts'
import { fromHex } from './evaluation-rows.ts'
import { notDeleted } from './not-deleted.ts'
import { projectOf } from './project-of.ts'
import { toHex } from './span-rows.ts'
import type { Sql } from './sql.ts'

/** Images that are dropped or erased in one step: overwriting a few takes as long as many rows. */
export const IMAGES_AT_ONCE = 8

/**
 * Drops images of the project $1 that came before $3 among its $2 oldest. Their numbers grow with time, so the expired ones are
 * a range at the beginning.
 */
export const DROP_IMAGES = `DELETE FROM span_images WHERE number IN (SELECT number FROM (
  SELECT number, created_at_ms FROM span_images WHERE project_number = $1 ORDER BY number LIMIT $2) AS oldest
  WHERE created_at_ms < $3)`

/** Erases images of the trace $2 of the project $1, $3 at a time. */
export const ERASE_TRACE_IMAGES = `DELETE FROM span_images WHERE number IN (
  SELECT number FROM span_images WHERE project_number = $1 AND trace_id = $2 LIMIT $3)`

/** Erases images of the project $1, $2 at a time. */
export const ERASE_PROJECT_IMAGES = `DELETE FROM span_images WHERE number IN (
  SELECT number FROM span_images WHERE project_number = $1 LIMIT $2)`

export async function addImage(
  tx: Sql,
  tenant: EnvironmentTenant,
  image: SpanImage,
  countsMax: { readonly perSpan: number; readonly perTrace: number },
  atMs: number,
): Promise<'kept' | 'full' | 'deleted'> {
  // Until the image is stored: a deletion of the trace, or of all data of the project, comes before it or after it.
  const { number: project } = await tx.lock.projectNumber(tenant)
  const traceId = fromHex(image.traceId)
  const spanId = fromHex(image.spanId)
  if (await isDeleted(tx, project, traceId)) return 'deleted'
  const counts = await tx.get<{ in_trace: number; in_span: number; is_known: number }>(
    `SELECT count(*) AS in_trace, count(CASE WHEN span_id = $3 THEN 1 END) AS in_span,
       count(CASE WHEN span_id = $3 AND name = $4 THEN 1 END) AS is_known
     FROM span_images WHERE project_number = $1 AND trace_id = $2`,
    project,
    traceId,
    spanId,
    image.name,
  )
  if (counts && counts.is_known > 0) return 'kept'
  if (counts && (counts.in_trace >= countsMax.perTrace || counts.in_span >= countsMax.perSpan)) return 'full'
  await tx.run(
    `INSERT INTO span_images (project_number, env_project_id, trace_id, span_id, name, content_type, bytes, checksum,
       created_at_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    ...[project, tenant.envProjectId, traceId, spanId, image.name, image.type],
    ...[image.bytes, crc32(image.bytes), atMs],
  )
  return 'kept'
}

interface ImageRow {
  span_id: Uint8Array
  name: string
  content_type: ImageType
  byte_length: number
  created_at_ms: number
}

export async function listImages(tx: Sql, tenant: ProjectTenant, traceId: string): Promise<StoredImage[]> {
  const { number } = await projectOf(tx, tenant)
  const rows = await tx.all<ImageRow>(
    `SELECT span_id, name, content_type, length(bytes) AS byte_length, created_at_ms FROM span_images i
     WHERE project_number = $1 AND trace_id = $2 AND ${notDeleted('i')} ORDER BY number`,
    number,
    fromHex(traceId),
  )
  return rows.map((row) => ({
    traceId,
    spanId: toHex(row.span_id),
    name: row.name,
    type: row.content_type,
    byteLength: row.byte_length,
    createdAtMs: row.created_at_ms,
  }))
}

export async function readImage(
  tx: Sql,
  tenant: ProjectTenant,
  { traceId, spanId, name }: Pick<SpanImage, 'traceId' | 'spanId' | 'name'>,
): Promise<{ readonly type: ImageType; readonly bytes: Uint8Array } | undefined> {
  const { number } = await projectOf(tx, tenant)
  const row = await tx.get<{ content_type: ImageType; bytes: Uint8Array }>(
    `SELECT content_type, bytes FROM span_images i
     WHERE project_number = $1 AND trace_id = $2 AND span_id = $3 AND name = $4 AND ${notDeleted('i')}`,
    number,
    fromHex(traceId),
    fromHex(spanId),
    name,
  )
  return row && { type: row.content_type, bytes: row.bytes }
}
