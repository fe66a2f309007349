import { type LimitState, type Limits, limitState, limitsOf, type ResourceUse } from '../domain/limits.ts'
import type { Logger } from '../ports/logger.ts'
import type { Storage } from '../ports/storage.ts'
import { LIMIT_FIELDS } from './limits.ts'

/** Organizations in a state, for one limit. */
export type LimitCounts = ReadonlyMap<keyof ResourceUse, Readonly<Record<LimitState, number>>>

/** Dependencies of the watch. */
export interface LimitWatchDeps {
  readonly storage: { readonly system: Pick<Storage['system'], 'listResourceUse'> }
  readonly logger: Logger
  readonly limits: Limits
  /** Told after each look how many organizations are near a limit or at it. */
  readonly onLook?: (counts: LimitCounts) => void
}

const RESOURCES = ['storedBytes', 'setups', 'projects', 'apiKeys', 'customEvaluators'] as const

/** Looks from time to time at what organizations use, and says once in the log when one comes near a limit or reaches it. */
export class LimitWatch {
  readonly #deps: LimitWatchDeps
  /** By organization and limit; those that are far from it are not in here. */
  #states = new Map<string, LimitState>()

  constructor(deps: LimitWatchDeps) {
    this.#deps = deps
  }

  async look(): Promise<void> {
    const { storage, logger, limits: defaults, onLook } = this.#deps
    const states = new Map<string, LimitState>()
    const counts = new Map(RESOURCES.map((resource) => [resource, { ok: 0, warning: 0, reached: 0 }]))
    for (const { orgId, name, limits: own, use } of await storage.system.listResourceUse()) {
      const limits = limitsOf(defaults, own)
      for (const resource of RESOURCES) {
        const state = limitState(use[resource], limits[resource])
        const count = counts.get(resource)
        if (count) count[state]++
        if (state === 'ok') continue
        const subject = `${orgId} ${resource}`
        states.set(subject, state)
        if (this.#states.get(subject) === state) continue
        const fields = { orgId, organization: name, limit: LIMIT_FIELDS[resource] }
        const numbers = { used: use[resource], allowed: limits[resource] }
        logger.warn({ ...fields, ...numbers }, MESSAGES[state])
      }
    }
    this.#states = states
    onLook?.(counts)
  }
}

const MESSAGES: Readonly<Record<Exclude<LimitState, 'ok'>, string>> = {
  warning: 'an organization uses more than 80 % of a limit',
  reached: 'an organization has reached a limit',
}
