import type { EvaluationScope } from './evaluator.ts'
import { EMBEDDED_JUDGE } from './judgement.ts'
import type { InputMapping } from './setup.ts'
import type { SkippedSpans } from './span-role.ts'

/**
 * A monitor is one evaluator of one setup, bound to spans; its id is the entry's `binding_id` and stays the same when the
 * setup changes. Everything that decides a score makes up its version: the same setup, evaluator version, config,
 * mapping, scope and sampling always give the same version again, so that re-applying a file does not split a series.
 */
export interface MonitorPlan {
  readonly slug: string
  readonly evaluatorId: string
  readonly evaluatorVersion: number
  readonly scope: EvaluationScope
  readonly config: Readonly<Record<string, unknown>>
  /** Where each input of the evaluator comes from. */
  readonly mapping: Readonly<Record<string, InputMapping>>
  /** Share of matching units to evaluate, 0 to 1. */
  readonly samplingRate: number
  /** The judge, `provider/model` or `embedded`; absent where no judge is asked. No series averages two judges. */
  readonly judge?: string
  /**
   * Matching spans that are left out. Absent: none, because the selector names its spans, the mapping is explicit, the unit is
   * more than a span, or the monitor was bound before spans were told apart, and keeps what it scores.
   */
  readonly skips?: SkippedSpans
}

/** Whether scores wait for a provider outside of this machine, so that another worker takes their work. */
export function asksProvider({ judge }: Pick<MonitorPlan, 'judge'>): boolean {
  return judge !== undefined && judge !== EMBEDDED_JUDGE
}

/** A stored version of a monitor; immutable, so it can be kept in memory by its number. */
export interface MonitorVersion extends MonitorPlan {
  readonly number: number
  /** 1 for the first version of its monitor. */
  readonly version: number
}
