import type { EvaluationStatus } from '../../domain/evaluation.ts'
import type { EvaluationScope } from '../../domain/evaluator.ts'
import type { SkippedSpans } from '../../domain/span-role.ts'
import { hasUnit } from '../../domain/unit-set.ts'
import type { GatheredUnit, MonitorDecision, UnitEvaluation, UnitWork } from '../../ports/explain-storage.ts'
import { parseRule, toVerdict } from './stored-verdict.ts'
import { WORK_STATE } from './work-state.ts'

/** A setup and the version of it that decided. */
export interface DecidedSetup {
  readonly id: string
  readonly setup_version: number
}

/** A version of a monitor with its work on the batch, its unit and the number of its evaluation, as far as there are any. */
export interface ExplainedMonitorRow {
  setup_id: string
  slug: string
  monitor_id: string
  setup_version: number
  version: number
  scope: EvaluationScope
  sampling_rate: number
  judge: string | null
  skips: SkippedSpans | null
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
}

/** An evaluation of the span, or of the unit that it belongs to. */
export interface ExplainedEvaluationRow {
  number: number
  status: EvaluationStatus
  generation: number
  output: string | null
  error_message: string | null
  created_at_ms: number
  verdict: number | null
  verdict_rule: string | null
}

/** The rows of each setup as decisions; `setups` tell which version of each has decided. */
export function toMonitorDecisions(
  rows: readonly ExplainedMonitorRow[],
  evaluations: ReadonlyMap<number, ExplainedEvaluationRow>,
  setups: readonly DecidedSetup[],
  ordinal: number,
): Map<string, MonitorDecision[]> {
  const decidedBy = new Map(setups.map(({ id, setup_version }) => [id, setup_version]))
  const bySetup = new Map<string, MonitorDecision[]>()
  for (const row of rows) {
    const monitors = bySetup.get(row.setup_id) ?? []
    bySetup.set(row.setup_id, monitors)
    const evaluation = row.evaluation === null ? undefined : evaluations.get(row.evaluation)
    monitors.push(toMonitorDecision(row, evaluation, decidedBy.get(row.setup_id), ordinal))
  }
  return bySetup
}

function toMonitorDecision(
  row: ExplainedMonitorRow,
  evaluation: ExplainedEvaluationRow | undefined,
  decidingVersion: number | undefined,
  ordinal: number,
): MonitorDecision {
  return {
    slug: row.slug,
    monitorId: row.monitor_id,
    version: row.version,
    scope: row.scope,
    samplingRate: row.sampling_rate,
    ...(row.judge === null ? {} : { judge: row.judge }),
    ...(row.skips === null ? {} : { skips: row.skips }),
    isActive: row.is_active === 1 && row.is_current === 1,
    isOfDecision: row.is_current === 1 && row.setup_version === decidingVersion,
    ...(row.state === null ? {} : { work: toWork(row, row.state, ordinal) }),
    ...(row.unit_scope === null ? {} : { unit: toUnit(row, row.unit_scope) }),
    ...(evaluation && { evaluation: toEvaluation(evaluation) }),
  }
}

const STATE_NAMES = new Map(
  Object.entries(WORK_STATE).map(([name, state]) => [state as number, name as UnitWork['state']]),
)

function toWork(row: ExplainedMonitorRow, state: number, ordinal: number): UnitWork {
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

function toUnit(row: ExplainedMonitorRow, scope: GatheredUnit['scope']): GatheredUnit {
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

function toEvaluation(row: ExplainedEvaluationRow): UnitEvaluation {
  return {
    number: row.number,
    status: row.status,
    generation: row.generation,
    ...(row.output === null ? {} : { output: JSON.parse(row.output) }),
    ...(row.verdict === null ? {} : { verdict: toVerdict(row.verdict) }),
    ...(row.verdict_rule === null ? {} : { verdictRule: parseRule(row.verdict_rule) }),
    ...(row.error_message === null ? {} : { errorMessage: row.error_message }),
    createdAtMs: row.created_at_ms,
  }
}
