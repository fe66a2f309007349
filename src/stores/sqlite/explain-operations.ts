import type { ProjectScope } from '../../domain/tenant.ts'
import type {
  BatchRange,
  BatchRef,
  ExplainedRange,
  ExplainedSpan,
  SpanDecisions,
} from '../../ports/explain-storage.ts'
import type { PassedOverRef } from '../../ports/trace-storage.ts'
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
} from '../shared/explain-rows.ts'
import { isDeleted } from './deleted-traces.ts'
import { monitorsOf } from './explain-monitors.ts'
import { entriesOf } from './read-setups.ts'
import { projectOf } from './span-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

export function readDecisions(
  db: SqliteDatabase,
  scope: ProjectScope,
  span: ExplainedSpan,
  range: ExplainedRange,
): SpanDecisions | undefined {
  const project = projectOf(db, scope).number
  const batch = db.get<DecidedBatch>(
    `SELECT b.revision, b.received_at_ms, b.env_project_id, n.slug AS environment
     FROM span_batches b JOIN environments n ON n.env_project_id = b.env_project_id
     WHERE b.id = ? AND b.project_number = ?`,
    span.batchId,
    project,
  )
  if (!batch || isDeleted(db, project, Buffer.from(span.traceId, 'hex'))) return undefined
  const rows = selectSetups(db, project, batch, span, range).map((row) =>
    isMatched(row, span) ? row : withBackfill(row, backfillsOf(db, row, span), span),
  )
  return toDecisions(batch, span, rows, entriesOf(db, rows), monitorsOf(db, project, span, rows))
}

/** The version that was valid at the revision of the batch; where there was none, the first or the last one there is. */
const IS_VALID = 'v.revision_from <= ?2 AND (v.revision_to IS NULL OR v.revision_to > ?2)'
const IS_LATER = 'v.version = 1 AND v.revision_from > ?2'
const IS_GONE = 'v.version = s.version AND v.revision_to <= ?2'

function selectSetups(
  db: SqliteDatabase,
  project: number,
  batch: DecidedBatch,
  span: ExplainedSpan,
  { externalId, afterSetupId, limit }: ExplainedRange,
): DecisionRow[] {
  // By name also those that were gone before the span came, and those of other environments: whoever names one wants to
  // know why it has nothing to say.
  const which =
    externalId === undefined
      ? `s.env_project_id = ?4 AND ((${IS_VALID}) OR (${IS_LATER} AND s.deleted_at_ms IS NULL))`
      : `s.external_id = ?4 AND ((${IS_VALID}) OR (${IS_LATER}) OR (${IS_GONE}))`
  return db.all<DecisionRow>(
    `SELECT s.id, s.external_id, s.env_project_id, n.slug AS environment, s.status, s.version AS current_version,
            s.created_at_ms, s.deleted_at_ms, v.number AS setup_version, v.version, v.selector, v.evaluators,
            (${IS_VALID}) AS is_valid, (${IS_GONE}) AS is_gone, m.units
     FROM setup_versions v JOIN setups s ON s.id = v.setup_id
     JOIN environments n ON n.env_project_id = s.env_project_id
     LEFT JOIN matches m ON m.batch_id = ?3 AND m.setup_version = v.number AND m.job_number = 0
     WHERE v.project_number = ?1 AND s.id > ?5 AND ${which} ORDER BY s.id LIMIT ?6`,
    project,
    batch.revision,
    span.batchId,
    externalId ?? batch.env_project_id,
    afterSetupId ?? '',
    limit,
  )
}

function backfillsOf(db: SqliteDatabase, { id }: DecisionRow, { batchId }: ExplainedSpan): BackfillRow[] {
  return db.all<BackfillRow>(
    `SELECT v.number AS setup_version, v.version, v.selector, v.evaluators, m.units
     FROM setup_versions v JOIN matches m ON m.batch_id = ? AND m.setup_version = v.number AND m.job_number > 0
     WHERE v.setup_id = ? ORDER BY v.version DESC`,
    batchId,
    id,
  )
}

export function listUndigestedBatches(db: SqliteDatabase, scope: ProjectScope, limit: number): BatchRef[] {
  return db
    .all<BatchRefRow>(
      // By id alone, which is what the summing up goes by; few batches are behind it.
      `${SELECT_REF} WHERE id IN (
         SELECT id FROM span_batches WHERE id > (SELECT through FROM digest_progress) AND +project_number = ?1
         UNION ALL SELECT batch_id FROM undigested_batches WHERE project_number = ?1 AND is_given_up = 0)
       ORDER BY id DESC LIMIT ?2`,
      projectOf(db, scope).number,
      limit,
    )
    .map(toRef)
}

export function listPassedOver(db: SqliteDatabase, scope: ProjectScope, limit: number): PassedOverRef[] {
  return db
    .all<PassedOverRow>(
      `${SELECT_PASSED_OVER} WHERE u.project_number = ? ORDER BY u.batch_id DESC LIMIT ?`,
      projectOf(db, scope).number,
      limit,
    )
    .map(toPassedOver)
}

export function listBatches(db: SqliteDatabase, scope: ProjectScope, range: BatchRange): BatchRef[] {
  const { envProjectId, fromMs, toMs, after, limit } = range
  return db
    .all<BatchRefRow>(
      `${SELECT_REF} WHERE project_number = ? AND received_at_ms >= ? AND received_at_ms < ? AND env_project_id = ?
         ${after ? 'AND (received_at_ms, id) < (?, ?)' : ''} ORDER BY received_at_ms DESC, id DESC LIMIT ?`,
      projectOf(db, scope).number,
      fromMs,
      toMs,
      envProjectId,
      ...(after ? [after.receivedAtMs, after.batchId] : []),
      limit,
    )
    .map(toRef)
}
