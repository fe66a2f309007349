import type { Limits } from '../domain/limits.ts'
import { integer, type Setting } from './setting.ts'

/** The limits of an organization for which the operator has set no others. 0 is no limit. */
export interface LimitConfig {
  readonly limitRequestsPerSecond: number
  readonly limitSpansPerSecond: number
  readonly limitStoredBytes: number
  readonly limitSetups: number
  readonly limitProjects: number
  readonly limitApiKeys: number
  readonly limitCustomEvaluators: number
  readonly limitFailedAuthentications: number
}

/** Larger than anything that can be counted here, and still exact. */
const COUNT_MAX = 1_000_000_000
/** The largest limit on bytes: 8 PiB, which is as much as is exact. */
const BYTES_MAX = 9_007_199_254_740_991

export const LIMIT_SETTINGS = {
  limitRequestsPerSecond: limit(
    'REQUESTS_PER_SECOND',
    "Requests a second of one API key; ten seconds' worth may come at once, more is answered 429. 0 is no limit. This and the " +
      'next six are defaults: the operator can set others for an organization ([operations](operations.md#limits)).',
    '5000',
    1_000_000,
  ),
  limitSpansPerSecond: limit(
    'SPANS_PER_SECOND',
    "Spans a second of one API key; ten seconds' worth may come at once, after that requests are answered 429. 0 is no limit.",
    '200000',
    COUNT_MAX,
  ),
  limitStoredBytes: limit(
    'STORED_BYTES',
    'Compressed bytes of spans that an organization may store; above it spans are answered 403. 0 is no limit.',
    '0',
    BYTES_MAX,
  ),
  limitSetups: limit('SETUPS', 'Setups that an organization may have. 0 is no limit.', '100000', COUNT_MAX),
  limitProjects: limit(
    'PROJECTS',
    'Projects that an organization may have. 0 is no limit.',
    '1000',
    COUNT_MAX,
  ),
  limitApiKeys: limit(
    'API_KEYS',
    'API keys that an organization may have, without revoked ones. 0 is no limit.',
    '10000',
    COUNT_MAX,
  ),
  limitCustomEvaluators: limit(
    'CUSTOM_EVALUATORS',
    'Custom evaluators (own judges) that an organization may have. 0 is no limit.',
    '500',
    COUNT_MAX,
  ),
  limitFailedAuthentications: limit(
    'FAILED_AUTHENTICATIONS',
    'Requests without a valid API key that one address may send in a minute; further ones are answered 429 instead of 401. ' +
      'Valid keys always pass. 0 is no limit.',
    '600',
    1_000_000,
  ),
} satisfies { [Name in keyof Required<LimitConfig>]: Setting<Required<LimitConfig>[Name]> }

/** The limits of organizations without their own. */
export function defaultLimitsOf(config: LimitConfig): Limits {
  return {
    requestsPerSecond: config.limitRequestsPerSecond,
    spansPerSecond: config.limitSpansPerSecond,
    storedBytes: config.limitStoredBytes,
    setups: config.limitSetups,
    projects: config.limitProjects,
    apiKeys: config.limitApiKeys,
    customEvaluators: config.limitCustomEvaluators,
  }
}

function limit(name: string, description: string, defaultText: string, max: number): Setting<number> {
  return { name: `ASSAY_LIMIT_${name}`, description, defaultText, read: integer(0, max) }
}
