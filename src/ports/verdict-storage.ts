import type { VerdictRule } from '../domain/verdict.ts'

/** A monitor whose rule may have to be another one. */
export interface RuledMonitor {
  readonly number: number
  readonly orgId: string
  readonly evaluatorId: string
  /** The threshold of its setup. */
  readonly threshold?: number
  /** The rule that it has; absent until one was assigned. */
  readonly rule?: VerdictRule
  /** False where the setup is gone: nothing says any more which threshold it had. */
  readonly hasEntry: boolean
}

/** The rule that a monitor is to have. */
export interface AssignedRule {
  readonly monitor: number
  readonly rule: VerdictRule
}

/**
 * The rules of verdicts, and what was judged by earlier ones. It serves all tenants: every monitor is looked at after an upgrade.
 */
export interface VerdictStorage {
  /** In order of their numbers, behind `afterNumber`. `isStale`: only those whose evaluator got another rule. */
  listRuledMonitors(query: {
    readonly afterNumber: number
    readonly limit: number
    readonly isStale: boolean
  }): Promise<RuledMonitor[]>
  /**
   * From now on these rules decide. Evaluations that were judged by others are judged again by `deriveVerdicts`, unless the
   * conditions are the same.
   */
  assignRules(rules: readonly AssignedRule[]): Promise<void>
  /**
   * Judges some evaluations again whose monitor got another rule, of the monitor version that has come least far; true when there
   * are more. Verdicts and rollups change together.
   */
  deriveVerdicts(limit: number): Promise<boolean>
}
