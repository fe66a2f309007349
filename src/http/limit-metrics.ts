import { Counter, Gauge, type Registry } from 'prom-client'
import type { LimitCounts } from '../control/limit-watch.ts'
import { LIMIT_FIELDS } from '../control/limits.ts'
import type { RefusedLimit } from './limits/request-limits.ts'

/** Numbers about limits. */
export interface LimitMetrics {
  /** Counts a request that was turned away because of a limit. */
  countRefusal(limit: RefusedLimit): void
  /** Shows how many organizations are near a limit or at it. */
  showStates(counts: LimitCounts): void
}

/** Makes the numbers about limits. Organizations are not told apart here: there may be very many, and the log names them. */
export function createLimitMetrics(registry: Registry): LimitMetrics {
  const refusals = new Counter({
    name: 'assay_limit_refusals_total',
    help: 'Requests that were turned away because of a limit, by limit.',
    labelNames: ['limit'],
    registers: [registry],
  })
  const states = new Gauge({
    name: 'assay_limit_organizations',
    help: 'Organizations that use 80 % of a limit or more (warning), or all of it (reached).',
    labelNames: ['limit', 'state'],
    registers: [registry],
  })
  return {
    countRefusal: (limit) =>
      refusals.inc({
        limit: limit === 'failedAuthentications' ? 'failed_authentications' : LIMIT_FIELDS[limit],
      }),
    showStates(counts) {
      for (const [resource, { warning, reached }] of counts) {
        states.set({ limit: LIMIT_FIELDS[resource], state: 'warning' }, warning)
        states.set({ limit: LIMIT_FIELDS[resource], state: 'reached' }, reached)
      }
    },
  }
}
