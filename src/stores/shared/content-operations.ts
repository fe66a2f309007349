import type { ProjectTenant } from '../../domain/tenant.ts'
import type { ContentBatch, SpanContent, SpanKey } from '../../ports/content-storage.ts'
import { fromHex } from './evaluation-rows.ts'
import { notDeleted } from './not-deleted.ts'
import { projectOf } from './project-of.ts'
import { toHex } from './span-rows.ts'
import { type ColumnTypes, Rows, type Sql } from './sql.ts'

/** Events, and bytes of them, that one call reads: a span with more of them is a fault of its sender. */
const CONTENTS_MAX = 20_000
const CONTENT_BYTES_MAX = 64 * 1024 * 1024

const COLUMNS: ColumnTypes = {
  ...{ trace_id: 'bytes', span_id: 'bytes', event_key: 'bytes', byte_length: 'bigint', bytes: 'bytes' },
}

/** Drops some events of the project $1 that arrived before $2, at most $3. */
export const DROP_CONTENTS = `DELETE FROM span_contents WHERE number IN (
  SELECT number FROM span_contents WHERE project_number = $1 AND received_at_ms < $2 ORDER BY received_at_ms LIMIT $3)`

export async function addContents(
  tx: Sql,
  tenant: ProjectTenant,
  { receivedAtMs, isQueued, contents }: ContentBatch,
): Promise<number> {
  // A deletion, of a trace or of all data, comes before or after: what it deletes cannot be added behind its back.
  const project = await tx.lock.projectNumber(tenant)
  if (isQueued && receivedAtMs <= (project.data_deleted_at_ms ?? 0)) return 0
  const columns = Object.keys(COLUMNS).join(', ')
  const rows = contents.map(({ traceId, spanId, eventKey, byteLength, bytes }) => ({
    ...{ trace_id: fromHex(traceId), span_id: fromHex(spanId), event_key: eventKey },
    ...{ byte_length: byteLength, bytes },
  }))
  return tx.run(
    `INSERT INTO span_contents (project_number, received_at_ms, ${columns})
     SELECT project_number, $2, ${columns}
     FROM (SELECT CAST($1 AS bigint) AS project_number, given.* FROM ${tx.dialect.rows('$3', 'given', COLUMNS)}) AS given
     WHERE ${notDeleted('given')} ORDER BY nth
     ON CONFLICT (project_number, trace_id, span_id, event_key) DO NOTHING`,
    ...[project.number, receivedAtMs, new Rows(rows)],
  )
}

export async function readContents(
  db: Sql,
  tenant: ProjectTenant,
  spans: readonly SpanKey[],
): Promise<SpanContent[]> {
  return readContentsOf(db, (await projectOf(db, tenant)).number, spans)
}

/** The same for a caller that knows the project by its number. */
export async function readContentsOf(
  db: Sql,
  project: number,
  spans: readonly SpanKey[],
): Promise<SpanContent[]> {
  if (spans.length === 0) return []
  const rows = await db.all<ContentRow>(
    `SELECT trace_id, span_id, byte_length, bytes FROM (
       SELECT c.*, sum(c.byte_length) OVER (ORDER BY c.number) AS total
       FROM ${db.dialect.rows('$2', 'asked', { trace_id: 'bytes', span_id: 'bytes' })}
       JOIN span_contents c ON c.project_number = $1 AND c.trace_id = asked.trace_id
         AND (asked.span_id IS NULL OR c.span_id = asked.span_id)) AS c
     WHERE total <= ${CONTENT_BYTES_MAX} ORDER BY number LIMIT ${CONTENTS_MAX}`,
    project,
    new Rows(
      spans.map(({ traceId, spanId }) => ({
        trace_id: fromHex(traceId),
        span_id: spanId === undefined ? null : fromHex(spanId),
      })),
    ),
  )
  return rows.map((row) => ({
    traceId: toHex(row.trace_id),
    spanId: toHex(row.span_id),
    byteLength: row.byte_length,
    bytes: row.bytes,
  }))
}

interface ContentRow {
  trace_id: Uint8Array
  span_id: Uint8Array
  byte_length: number
  bytes: Uint8Array
}
