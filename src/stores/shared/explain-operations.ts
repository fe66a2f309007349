import type { ProjectTenant } from '../../domain/tenant.ts'
import type {
  BatchRange,
  BatchRef,
  ExplainedRange,
  ExplainedSpan,
  SpanDecisions,
} from '../../ports/explain-storage.ts'
import type { PassedOverRef } from '../../ports/trace-storage.ts'
import { isDeleted } from './deleted-traces.ts'
import { monitorsOf } from './explain-monitors.ts'
import {
  type BackfillRow,
  type BatchRefRow,
  type DecidedBatch,
  type DecisionRow,
  isMatched,
  type PassedOverRow,
  SELECT_PASSED_OVER,
  SELECT_REF,
  toDecisions,
  toPassedOver,
  toRef,
  withBackfill,
} from './explain-rows.ts'
import { projectOf } from './project-of.ts'
import { entriesOf } from './setup-entries.ts'
import type { Sql } from './sql.ts'

export async function readDecisions(
  db: Sql,
  tenant: ProjectTenant,
  span: ExplainedSpan,
  range: ExplainedRange,
): Promise<SpanDecisions | undefined> {
  const project = (await projectOf(db, tenant)).number
  const batch = await db.get<DecidedBatch>(
    `SELECT b.revision, b.received_at_ms, b.env_project_id, n.slug AS environment
     FROM span_batches b JOIN environments n ON n.env_project_id = b.env_project_id
     WHERE b.id = $1 AND b.project_number = $2`,
    span.batchId,
    project,
  )
  if (!batch || (await isDeleted(db, project, Buffer.from(span.traceId, 'hex')))) return undefined
  const rows = await addBackfills(db, await selectSetups(db, project, batch, span, range), span)
  const entries = await entriesOf(db, rows)
  return toDecisions(batch, span, rows, entries, await monitorsOf(db, project, span, rows))
}

/**
 * The version that was valid at the revision of the batch; where there was none, the first one there is, or the last one before
 * that revision. A setup that was deleted and restored had none in between.
 */
const IS_VALID = 'v.revision_from <= $2 AND (v.revision_to IS NULL OR v.revision_to > $2)'
const IS_LATER = 'v.version = 1 AND v.revision_from > $2'
const IS_GONE = `v.revision_to <= $2 AND NOT EXISTS (
  SELECT 1 FROM setup_versions w WHERE w.setup_id = v.setup_id AND w.version > v.version AND w.revision_from <= $2)`

function selectSetups(
  db: Sql,
  project: number,
  batch: DecidedBatch,
  span: ExplainedSpan,
  { externalId, afterSetupId, limit }: ExplainedRange,
): Promise<DecisionRow[]> {
  // By name also those that were gone before the span came, and those of other environments: a caller that names one wants to
  // know why it has nothing to say.
  const which =
    externalId === undefined
      ? `s.env_project_id = $4 AND ((${IS_VALID}) OR (${IS_LATER} AND s.deleted_at_ms IS NULL))`
      : `s.external_id = $4 AND ((${IS_VALID}) OR (${IS_LATER}) OR (${IS_GONE}))`
  return db.all<DecisionRow>(
    `SELECT s.id, s.external_id, s.env_project_id, n.slug AS environment, s.status, s.version AS current_version,
            s.created_at_ms, s.deleted_at_ms, v.number AS setup_version, v.version, v.selector, v.evaluators,
            CAST((${IS_VALID}) AS int) AS is_valid, CAST((${IS_GONE}) AS int) AS is_gone, m.units
     FROM setup_versions v JOIN setups s ON s.id = v.setup_id
     JOIN environments n ON n.env_project_id = s.env_project_id
     LEFT JOIN matches m ON m.batch_id = $3 AND m.setup_version = v.number AND m.job_number = 0
     WHERE v.project_number = $1 AND s.id > $5 AND ${which} ORDER BY s.id LIMIT $6`,
    project,
    batch.revision,
    span.batchId,
    externalId ?? batch.env_project_id,
    afterSetupId ?? '',
    limit,
  )
}

/** A match that a backfill has made counts where the span was not matched when it arrived. */
async function addBackfills(
  db: Sql,
  rows: readonly DecisionRow[],
  span: ExplainedSpan,
): Promise<DecisionRow[]> {
  const unmatched = rows.filter((row) => !isMatched(row, span))
  if (unmatched.length === 0) return [...rows]
  const matches = await db.all<BackfillRow & { setup_id: string }>(
    `SELECT v.setup_id, v.number AS setup_version, v.version, v.selector, v.evaluators, m.units
     FROM setup_versions v JOIN matches m ON m.batch_id = $1 AND m.setup_version = v.number AND m.job_number > 0
     WHERE ${db.dialect.oneOf('v.setup_id', '$2')} ORDER BY v.version DESC`,
    span.batchId,
    unmatched.map(({ id }) => id),
  )
  return rows.map((row) =>
    isMatched(row, span)
      ? row
      : withBackfill(
          row,
          matches.filter((match) => match.setup_id === row.id),
          span,
        ),
  )
}

export async function listUndigestedBatches(
  db: Sql,
  tenant: ProjectTenant,
  limit: number,
): Promise<BatchRef[]> {
  const rows = await db.all<BatchRefRow>(
    `${SELECT_REF} WHERE ${db.dialect.undigestedOf('$1')} ORDER BY id DESC LIMIT $2`,
    (await projectOf(db, tenant)).number,
    limit,
  )
  return rows.map(toRef)
}

export async function listPassedOver(
  db: Sql,
  tenant: ProjectTenant,
  limit: number,
): Promise<PassedOverRef[]> {
  const rows = await db.all<PassedOverRow>(
    `${SELECT_PASSED_OVER} WHERE u.project_number = $1 ORDER BY u.batch_id DESC LIMIT $2`,
    (await projectOf(db, tenant)).number,
    limit,
  )
  return rows.map(toPassedOver)
}

export async function listBatches(db: Sql, tenant: ProjectTenant, range: BatchRange): Promise<BatchRef[]> {
  const { envProjectId, fromMs, toMs, after, limit } = range
  const rows = await db.all<BatchRefRow>(
    `${SELECT_REF} WHERE project_number = $1 AND received_at_ms >= $2 AND received_at_ms < $3 AND env_project_id = $4
       ${after ? 'AND (received_at_ms, id) < ($6, $7)' : ''} ORDER BY received_at_ms DESC, id DESC LIMIT $5`,
    (await projectOf(db, tenant)).number,
    fromMs,
    toMs,
    envProjectId,
    limit,
    ...(after ? [after.receivedAtMs, after.batchId] : []),
  )
  return rows.map(toRef)
}
