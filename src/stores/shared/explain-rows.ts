import type { SetupEntry } from '../../domain/setup.ts'
import type { SetupStatus } from '../../domain/setup-status.ts'
import { hasUnit, listUnits } from '../../domain/unit-set.ts'
import type {
  BatchRef,
  ExplainedSpan,
  MonitorDecision,
  SetupDecision,
  SpanDecisions,
} from '../../ports/explain-storage.ts'
import type { PassedOverRef } from '../../ports/trace-storage.ts'

/** The batch of the span. */
export interface DecidedBatch {
  revision: number
  received_at_ms: number
  env_project_id: string
  environment: string
}

/** A setup with the version that was valid when the batch was decided, or another that tells why there was none. */
export interface DecisionRow {
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

/** The columns that a backfill's match changes. */
export type BackfillRow = Pick<DecisionRow, 'setup_version' | 'version' | 'selector' | 'evaluators'> & {
  units: Uint8Array
}

/** Whether the span was matched when it arrived. */
export function isMatched({ units }: DecisionRow, { ordinal }: ExplainedSpan): boolean {
  return units !== null && hasUnit(units, ordinal)
}

/** A match that a backfill has made counts where the span was not matched when it arrived; the newest versions come first. */
export function withBackfill(
  row: DecisionRow,
  matches: readonly BackfillRow[],
  { ordinal }: ExplainedSpan,
): DecisionRow {
  const match = matches.find(({ units }) => hasUnit(units, ordinal))
  return match ? { ...row, ...match, is_valid: 1, is_gone: 0, is_backfilled: true } : row
}

/** The decisions about a span, with the state of each setup. */
export function toDecisions(
  batch: DecidedBatch,
  span: ExplainedSpan,
  rows: readonly DecisionRow[],
  entries: ReadonlyMap<string, readonly SetupEntry[]>,
  monitors: ReadonlyMap<string, readonly MonitorDecision[]>,
): SpanDecisions {
  return {
    environment: batch.environment,
    receivedAtMs: batch.received_at_ms,
    setups: rows.map((row) =>
      toDecision(row, batch, span, entries.get(row.id) ?? [], monitors.get(row.id) ?? []),
    ),
  }
}

function toDecision(
  row: DecisionRow,
  batch: DecidedBatch,
  span: ExplainedSpan,
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
    isMatched: isMatched(row, span),
    currentVersion: row.current_version,
    status: row.status,
    entries,
    createdAtMs: row.created_at_ms,
    ...(row.deleted_at_ms === null ? {} : { deletedAtMs: row.deleted_at_ms }),
    monitors,
  }
}

/** A batch without its bytes. */
export interface BatchRefRow {
  id: number
  received_at_ms: number
  span_count: number
  byte_length: number
  repeated: Uint8Array | null
  erased: Uint8Array | null
}

/** Selects a `BatchRefRow`. */
export const SELECT_REF = `SELECT id, received_at_ms, span_count, byte_length, repeated,
    (SELECT units FROM erasures WHERE batch_id = span_batches.id) AS erased FROM span_batches`

/** A batch as it is told. */
export function toRef(row: BatchRefRow): BatchRef {
  return {
    batchId: row.id,
    receivedAtMs: row.received_at_ms,
    spanCount: row.span_count,
    byteLength: row.byte_length,
    // Deleted spans are left out even before they are erased.
    repeated: [...new Set([row.repeated, row.erased].flatMap((units) => (units ? listUnits(units) : [])))],
  }
}

/** A batch that the digest has passed over. */
export interface PassedOverRow {
  batch_id: number
  received_at_ms: number
  is_given_up: number
  reason: string
}

export const SELECT_PASSED_OVER = `SELECT u.batch_id, b.received_at_ms, u.is_given_up, u.reason
  FROM undigested_batches u JOIN span_batches b ON b.id = u.batch_id`

/** A row of `SELECT_PASSED_OVER` as the port wants it. */
export function toPassedOver(row: PassedOverRow): PassedOverRef {
  return {
    batchId: row.batch_id,
    receivedAtMs: row.received_at_ms,
    isGivenUp: row.is_given_up === 1,
    reason: row.reason,
  }
}
