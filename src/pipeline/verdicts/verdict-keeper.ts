import { type VerdictRule, withThreshold } from '../../domain/verdict.ts'
import { findBuiltIn } from '../../evaluators/catalogue.ts'
import type { Logger } from '../../ports/logger.ts'
import type { Storage } from '../../ports/storage.ts'
import type { RuledMonitor } from '../../ports/verdict-storage.ts'
import { Loop } from '../loop.ts'

const LOOK_MS = 1_000
/** Monitors whose rules are compared in one step. */
const MONITORS = 200
/** Evaluations that are judged again in one transaction, so that no other call waits long for the store. */
const EVALUATIONS = 250

/** The dependencies of keeping verdicts. */
export interface VerdictKeeperDeps {
  readonly storage: Pick<Storage, 'verdicts' | 'findCustomEvaluator'>
  readonly logger: Logger
}

/**
 * Keeps the rules of monitors as their evaluators say, and judges what was stored under another rule again. After a start it
 * compares all of them, because an upgrade may have changed a definition; later only those whose evaluator was changed. Neither
 * evaluates anything, and a start does not wait for it.
 */
export class VerdictKeeper {
  readonly #deps: VerdictKeeperDeps
  readonly #loops: readonly Loop[]
  /** The last monitor that was compared after the start; undefined when all were. */
  #compared: number | undefined = 0

  constructor(deps: VerdictKeeperDeps) {
    this.#deps = deps
    const { logger, storage } = deps
    const derive = () => storage.verdicts.deriveVerdicts(EVALUATIONS)
    this.#loops = [
      new Loop({ name: 'verdict rules', step: () => this.#assign(), pauseMs: LOOK_MS, logger }),
      new Loop({ name: 'verdicts', step: derive, pauseMs: LOOK_MS, logger }),
    ]
  }

  start(): void {
    for (const loop of this.#loops) loop.start()
  }

  wake(): void {
    for (const loop of this.#loops) loop.wake()
  }

  async close(): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop.close()))
  }

  async #assign(): Promise<boolean> {
    const { verdicts } = this.#deps.storage
    const afterNumber = this.#compared ?? 0
    const isStale = this.#compared === undefined
    const monitors = await verdicts.listRuledMonitors({ afterNumber, limit: MONITORS, isStale })
    const assigned = []
    for (const monitor of monitors) {
      const rule = await this.#ruleOf(monitor)
      if (rule && (isStale || !isSame(rule, monitor.rule))) assigned.push({ monitor: monitor.number, rule })
    }
    if (assigned.length > 0) await verdicts.assignRules(assigned)
    if (!isStale) this.#compared = monitors.length < MONITORS ? undefined : monitors.at(-1)?.number
    return !isStale || (monitors.length === MONITORS && assigned.length > 0)
  }

  /** The rule of today; undefined where nothing can be said, so that the monitor keeps the one that it has. */
  async #ruleOf({ orgId, evaluatorId, threshold, rule, hasEntry }: RuledMonitor) {
    if (!hasEntry && rule) return rule
    const evaluator =
      findBuiltIn(evaluatorId) ?? (await this.#deps.storage.findCustomEvaluator({ orgId }, evaluatorId))
    return evaluator ? withThreshold(evaluator.verdict, threshold) : rule
  }
}

function isSame(rule: VerdictRule, other: VerdictRule | undefined): boolean {
  return JSON.stringify(rule) === JSON.stringify(other)
}
