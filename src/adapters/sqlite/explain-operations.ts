import type { EvaluationStatus } from '../../domain/evaluation.ts'
import type { EvaluationScope } from '../../domain/evaluator.ts'
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
  UnitEvaluation,
  UnitWork,
} from '../../ports/explain-storage.ts'
import { entriesOf } from './setup-operations.ts'
import { projectOf } from './span-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { WORK_STATE } from './work-state.ts'

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
  if (!batch) return undefined
  const rows = selectSetups(db, project, batch, span, range)
  const entries = entriesOf(db, rows)
  const monitors = monitorsOf(db, span, rows)
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
     LEFT JOIN matches m ON m.batch_id = ?3 AND m.setup_version = v.number
     WHERE v.project_number = ?1 AND s.id > ?5 AND ${which} ORDER BY s.id LIMIT ?6`,
    project,
    batch.revision,
    span.batchId,
    externalId ?? batch.env_project_id,
    afterSetupId ?? '',
    limit,
  )
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
    isMatched: row.units !== null && hasUnit(row.units, ordinal),
    currentVersion: row.current_version,
    status: row.status,
    entries,
    createdAtMs: row.created_at_ms,
    ...(row.deleted_at_ms === null ? {} : { deletedAtMs: row.deleted_at_ms }),
    monitors,
  }
}

interface MonitorRow {
  setup_id: string
  slug: string
  monitor_id: string
  setup_version: number
  version: number
  scope: EvaluationScope
  sampling_rate: number
  judge: string | null
  is_active: number
  is_current: number
  state: number | null
  units: Uint8Array
  attempts: number
  ready_at_ms: number
  lease_until_ms: number | null
  evaluation: number | null
  status: EvaluationStatus
  generation: number
  output: string | null
  error_message: string | null
  created_at_ms: number
}

/** Versions with work on the batch or an evaluation of the unit, and the current one of each monitor. */
function monitorsOf(
  db: SqliteDatabase,
  { batchId, ordinal, traceId, spanId }: ExplainedSpan,
  setups: readonly DecisionRow[],
): Map<string, MonitorDecision[]> {
  const decidedBy = new Map(setups.map(({ id, setup_version }) => [id, setup_version]))
  const rows = db.all<MonitorRow>(
    `SELECT m.setup_id, m.slug, m.id AS monitor_id, m.setup_version, v.version, v.scope, v.sampling_rate, v.judge,
            m.is_active, m.version_number = v.number AS is_current, w.state, w.units, w.attempts, w.ready_at_ms,
            w.lease_until_ms, e.number AS evaluation, e.status, e.generation, e.output, e.error_message, e.created_at_ms
     FROM monitors m JOIN monitor_versions v ON v.monitor_number = m.number
     LEFT JOIN work w ON w.batch_id = ?1 AND w.monitor_version = v.number
     LEFT JOIN evaluations e ON e.monitor_version = v.number AND e.trace_id = ?2
       AND e.span_id = CASE v.scope WHEN 'span' THEN ?3 ELSE x'' END AND e.is_current = 1
     WHERE m.setup_id IN (SELECT value FROM json_each(?4))
       AND (w.batch_id IS NOT NULL OR e.number IS NOT NULL OR m.version_number = v.number)
     ORDER BY m.number, v.number`,
    batchId,
    Buffer.from(traceId, 'hex'),
    Buffer.from(spanId, 'hex'),
    JSON.stringify([...decidedBy.keys()]),
  )
  const bySetup = new Map<string, MonitorDecision[]>()
  for (const row of rows) {
    const monitors = bySetup.get(row.setup_id) ?? []
    bySetup.set(row.setup_id, monitors)
    const isOfDecision = row.is_current === 1 && row.setup_version === decidedBy.get(row.setup_id)
    monitors.push({
      slug: row.slug,
      monitorId: row.monitor_id,
      version: row.version,
      scope: row.scope,
      samplingRate: row.sampling_rate,
      ...(row.judge === null ? {} : { judge: row.judge }),
      isActive: row.is_active === 1 && row.is_current === 1,
      isOfDecision,
      ...(row.state === null ? {} : { work: toWork(row, row.state, ordinal) }),
      ...(row.evaluation === null ? {} : { evaluation: toEvaluation(row, row.evaluation) }),
    })
  }
  return bySetup
}

const STATE_NAMES = new Map(
  Object.entries(WORK_STATE).map(([name, state]) => [state as number, name as UnitWork['state']]),
)

function toWork(row: MonitorRow, state: number, ordinal: number): UnitWork {
  const name = STATE_NAMES.get(state)
  if (!name) throw new Error(`work cannot be in state ${state}`)
  return {
    state: name,
    hasUnit: hasUnit(row.units, ordinal),
    attempts: row.attempts,
    readyAtMs: row.ready_at_ms,
    ...(name === 'leased' && row.lease_until_ms !== null ? { leaseUntilMs: row.lease_until_ms } : {}),
  }
}

function toEvaluation(row: MonitorRow, number: number): UnitEvaluation {
  return {
    number,
    status: row.status,
    generation: row.generation,
    ...(row.output === null ? {} : { output: JSON.parse(row.output) }),
    ...(row.error_message === null ? {} : { errorMessage: row.error_message }),
    createdAtMs: row.created_at_ms,
  }
}

interface BatchRefRow {
  id: number
  received_at_ms: number
  span_count: number
  byte_length: number
  repeated: Uint8Array | null
}

const SELECT_REF = 'SELECT id, received_at_ms, span_count, byte_length, repeated FROM span_batches'

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
    repeated: row.repeated === null ? [] : listUnits(row.repeated),
  }
}
