import type { SetupEntry } from '../../domain/setup.ts'
import type { SetupStatus } from '../../domain/setup-status.ts'
import type { ProjectScope } from '../../domain/tenant.ts'
import { hasUnit, listUnits } from '../../domain/unit-set.ts'
import type {
  BatchRange,
  BatchRef,
  ExplainedRange,
  ExplainedSpan,
  MonitorDecision,
  SetupDecision,
  SpanDecisions,
} from '../../ports/explain-storage.ts'
import { isDeleted } from './deleted-traces.ts'
import { monitorsOf } from './explain-monitors.ts'
import { entriesOf } from './setup-operations.ts'
import { projectOf } from './span-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

interface DecidedBatch {
  revision: number
  received_at_ms: number
  env_project_id: string
  environment: string
}

interface DecisionRow {
  id: string
  external_id: string
  env_project_id: string
  environment: string
  status: SetupStatus
  current_version: number
  created_at_ms: number
  deleted_at_ms: number | null
  setup_version: number
  version: number
  selector: string
  evaluators: string
  is_valid: number
  is_gone: number | null
  is_backfilled?: boolean
  units: Uint8Array | null
}

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
  const rows = selectSetups(db, project, batch, span, range).map((row) => withBackfill(db, row, span))
  const entries = entriesOf(db, rows)
  const monitors = monitorsOf(db, project, span, rows)
  return {
    environment: batch.environment,
    receivedAtMs: batch.received_at_ms,
    setups: rows.map((row) =>
      toDecision(row, batch, span, entries.get(row.id) ?? [], monitors.get(row.id) ?? []),
    ),
  }
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

/** A match that a backfill has made counts where the span was not matched when it arrived. */
function withBackfill(
  db: SqliteDatabase,
  row: DecisionRow,
  { batchId, ordinal }: ExplainedSpan,
): DecisionRow {
  if (row.units !== null && hasUnit(row.units, ordinal)) return row
  const matches = db.all<
    Pick<DecisionRow, 'setup_version' | 'version' | 'selector' | 'evaluators'> & { units: Uint8Array }
  >(
    `SELECT v.number AS setup_version, v.version, v.selector, v.evaluators, m.units
     FROM setup_versions v JOIN matches m ON m.batch_id = ? AND m.setup_version = v.number AND m.job_number > 0
     WHERE v.setup_id = ? ORDER BY v.version DESC`,
    batchId,
    row.id,
  )
  const match = matches.find(({ units }) => hasUnit(units, ordinal))
  return match ? { ...row, ...match, is_valid: 1, is_gone: 0, is_backfilled: true } : row
}

function toDecision(
  row: DecisionRow,
  batch: DecidedBatch,
  { ordinal }: ExplainedSpan,
  entries: readonly SetupEntry[],
  monitors: readonly MonitorDecision[],
): SetupDecision {
  const isOfSameEnvironment = row.env_project_id === batch.env_project_id
  return {
    setupId: row.id,
    externalId: row.external_id,
    environment: row.environment,
    isOfSameEnvironment,
    ...(row.is_valid
      ? {
          decidedBy: {
            version: row.version,
            selector: JSON.parse(row.selector),
            evaluators: JSON.parse(row.evaluators),
          },
        }
      : {}),
    isGone: row.is_gone === 1,
    isBackfilled: row.is_backfilled ?? false,
    isMatched: row.units !== null && hasUnit(row.units, ordinal),
    currentVersion: row.current_version,
    status: row.status,
    entries,
    createdAtMs: row.created_at_ms,
    ...(row.deleted_at_ms === null ? {} : { deletedAtMs: row.deleted_at_ms }),
    monitors,
  }
}

interface BatchRefRow {
  id: number
  received_at_ms: number
  span_count: number
  byte_length: number
  repeated: Uint8Array | null
  erased: Uint8Array | null
}

const SELECT_REF = `SELECT id, received_at_ms, span_count, byte_length, repeated,
    (SELECT units FROM erasures WHERE batch_id = span_batches.id) AS erased FROM span_batches`

export function listUndigestedBatches(db: SqliteDatabase, scope: ProjectScope, limit: number): BatchRef[] {
  return db
    .all<BatchRefRow>(
      // By id alone, which is what the summing up goes by; few batches are behind it.
      `${SELECT_REF} WHERE id > (SELECT through FROM digest_progress) AND +project_number = ? ORDER BY id DESC LIMIT ?`,
      projectOf(db, scope).number,
      limit,
    )
    .map(toRef)
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

function toRef(row: BatchRefRow): BatchRef {
  return {
    batchId: row.id,
    receivedAtMs: row.received_at_ms,
    spanCount: row.span_count,
    byteLength: row.byte_length,
    // What was deleted is left out even before it is erased.
    repeated: [...new Set([row.repeated, row.erased].flatMap((units) => (units ? listUnits(units) : [])))],
  }
}
