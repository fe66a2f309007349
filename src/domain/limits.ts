/** The limited resources of an organization. The first two are rates of one API key, the others are totals of the organization. */
export const LIMIT_NAMES = [
  'requestsPerSecond',
  'spansPerSecond',
  'storedBytes',
  'setups',
  'projects',
  'apiKeys',
  'customEvaluators',
] as const
export type LimitName = (typeof LIMIT_NAMES)[number]

/** Things that are counted when one of them is created. */
export type CountedResource = 'setups' | 'projects' | 'apiKeys' | 'customEvaluators'

/** The limits that apply; 0 means that there is none. */
export type Limits = Readonly<Record<LimitName, number>>

/** The limits that the operator set for one organization; defaults apply to the rest. */
export type OwnLimits = Partial<Limits>

/** The stored resources of an organization. */
export type ResourceUse = Readonly<Record<CountedResource | 'storedBytes', number>>

/** From this share of a limit on, people are warned. */
export const WARNING_SHARE = 0.8

/** How far an organization is from a limit. */
export type LimitState = 'ok' | 'warning' | 'reached'

/** The limits of an organization: its own where it has one, the installation's elsewhere. */
export function limitsOf(defaults: Limits, own: OwnLimits = {}): Limits {
  return { ...defaults, ...own }
}

/** Judges a use against its limit; without a limit everything is fine. */
export function limitState(used: number, limit: number): LimitState {
  if (limit === 0 || used < limit * WARNING_SHARE) return 'ok'
  return used < limit ? 'warning' : 'reached'
}
