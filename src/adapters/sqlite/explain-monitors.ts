import type { EvaluationStatus } from '../../domain/evaluation.ts'
import type { EvaluationScope } from '../../domain/evaluator.ts'
import { hasUnit } from '../../domain/unit-set.ts'
import type {
  ExplainedSpan,
  GatheredUnit,
  MonitorDecision,
  UnitEvaluation,
  UnitWork,
} from '../../ports/explain-storage.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { WORK_STATE } from './work-state.ts'

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
  unit_scope: GatheredUnit['scope'] | null
  unit_state: number
  unit_generation: number
  changed_at_ms: number
  look_at_ms: number
  unit_attempts: number
  unit_lease_until_ms: number | null
  evaluation: number | null
  status: EvaluationStatus
  generation: number
  output: string | null
  error_message: string | null
  created_at_ms: number
}

/** Versions with work on the batch or an evaluation of the unit, and the current one of each monitor. */
export function monitorsOf(
  db: SqliteDatabase,
  project: number,
  { batchId, ordinal, traceId, spanId }: ExplainedSpan,
  setups: readonly { readonly id: string; readonly setup_version: number }[],
): Map<string, MonitorDecision[]> {
  const decidedBy = new Map(setups.map(({ id, setup_version }) => [id, setup_version]))
  const trace = Buffer.from(traceId, 'hex')
  const session = db.get<{ session_id: string | null }>(
    'SELECT session_id FROM traces WHERE project_number = ? AND trace_id = ?',
    project,
    trace,
  )?.session_id
  const rows = db.all<MonitorRow>(
    `SELECT m.setup_id, m.slug, m.id AS monitor_id, m.setup_version, v.version, v.scope, v.sampling_rate, v.judge,
            m.is_active, m.version_number = v.number AS is_current, w.state, w.units, w.attempts, w.ready_at_ms,
            w.lease_until_ms, u.scope AS unit_scope, u.state AS unit_state, u.generation AS unit_generation,
            u.changed_at_ms, u.look_at_ms, u.attempts AS unit_attempts, u.lease_until_ms AS unit_lease_until_ms,
            e.number AS evaluation, e.status, e.generation, e.output, e.error_message, e.created_at_ms
     FROM monitors m JOIN monitor_versions v ON v.monitor_number = m.number
     -- A job may have queued the unit beside the work that came with it; the newest that is open tells most.
     LEFT JOIN work w ON w.batch_id = ?1 AND w.monitor_version = v.number AND w.job_number = (
       SELECT job_number FROM work WHERE batch_id = ?1 AND monitor_version = v.number
       ORDER BY state < 2 DESC, job_number DESC LIMIT 1)
     LEFT JOIN units u ON u.monitor_version = v.number AND u.project_number = ?5
       AND ((u.scope = 'trace' AND u.unit_key = ?2) OR (u.scope = 'session' AND u.unit_key = ?6))
     LEFT JOIN evaluations e ON e.number = CASE v.scope
       WHEN 'span' THEN (SELECT number FROM evaluations WHERE monitor_version = v.number AND trace_id = ?2
         AND span_id = ?3 AND is_current = 1)
       ELSE u.evaluation END
     WHERE m.setup_id IN (SELECT value FROM json_each(?4)) AND (w.batch_id IS NOT NULL OR u.unit_key IS NOT NULL
       OR e.number IS NOT NULL OR m.version_number = v.number)
     ORDER BY m.number, v.number`,
    batchId,
    trace,
    Buffer.from(spanId, 'hex'),
    JSON.stringify([...decidedBy.keys()]),
    project,
    Buffer.from(session ?? ''),
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
      ...(row.unit_scope === null ? {} : { unit: toUnit(row, row.unit_scope) }),
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

const UNIT_STATES = ['open', 'leased', 'done'] as const
/** The generation of a unit that the sampling rate leaves out. */
const SAMPLED_OUT = -1

function toUnit(row: MonitorRow, scope: GatheredUnit['scope']): GatheredUnit {
  const state = UNIT_STATES[row.unit_state]
  if (!state) throw new Error(`a unit cannot be in state ${row.unit_state}`)
  return {
    scope,
    state,
    isSampledOut: row.unit_generation === SAMPLED_OUT,
    changedAtMs: row.changed_at_ms,
    lookAtMs: row.look_at_ms,
    attempts: row.unit_attempts,
    ...(state === 'leased' && row.unit_lease_until_ms !== null
      ? { leaseUntilMs: row.unit_lease_until_ms }
      : {}),
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
