import { notFound } from '../domain/errors.ts'
import { type LimitName, type Limits, limitsOf, type OwnLimits, type ResourceUse } from '../domain/limits.ts'
import type { OrgTenant } from '../domain/tenant.ts'
import { PublicError } from '../lib/public-error.ts'
import type { ControlDeps } from './setups.ts'

/** The wire name of each limit, as the operator sets it. */
export const LIMIT_FIELDS: Readonly<Record<LimitName, string>> = {
  requestsPerSecond: 'requests_per_second',
  spansPerSecond: 'spans_per_second',
  storedBytes: 'stored_bytes',
  setups: 'setups',
  projects: 'projects',
  apiKeys: 'api_keys',
  customEvaluators: 'custom_evaluators',
}

/** The remedy for each limit on stored resources. */
const REMEDIES: Readonly<Record<keyof ResourceUse, { readonly noun: string; readonly remedy: string }>> = {
  storedBytes: { noun: 'bytes of spans', remedy: 'delete traces' },
  setups: { noun: 'setups', remedy: 'delete setups that are no longer needed' },
  projects: { noun: 'projects', remedy: 'use an existing project' },
  apiKeys: { noun: 'API keys', remedy: 'revoke keys that are no longer used' },
  customEvaluators: { noun: 'custom evaluators', remedy: 'change an existing evaluator' },
}

/** The refusal of a write that would exceed a limit on stored resources; it says what to do. */
export function limitReached(resource: keyof ResourceUse, used: number, limit: number): PublicError {
  const { noun, remedy } = REMEDIES[resource]
  return new PublicError(
    'limit_reached',
    `limit reached: the organization has ${used} ${noun} and may have at most ${limit}; ${remedy}, or ask the operator ` +
      `to raise ${LIMIT_FIELDS[resource]}`,
  )
}

/** Refuses a creation for which the store had no room, with the numbers of now. */
export async function refuseFull(
  { storage, limits }: Pick<ControlDeps, 'storage' | 'limits'>,
  tenant: OrgTenant,
  resource: Exclude<keyof ResourceUse, 'storedBytes'>,
): Promise<never> {
  const own = await storage.readLimits(tenant)
  const use = await storage.readResourceUse(tenant)
  throw limitReached(resource, use[resource], own?.[resource] ?? limits?.[resource] ?? 0)
}

/** The limits of an organization and what it uses, or a `not found` error. */
export async function readLimitsAndUse(
  { storage, limits }: ControlDeps,
  tenant: OrgTenant,
): Promise<{ readonly own: OwnLimits; readonly limits: Limits; readonly use: ResourceUse }> {
  const own = (await storage.readLimits(tenant)) ?? throwOrganizationNotFound()
  return { own, limits: limitsOf(limits ?? NO_LIMITS, own), use: await storage.readResourceUse(tenant) }
}

/** Replaces the limits of an organization; the defaults of the installation apply to what is left out. */
export async function putLimits(
  { storage, clock }: ControlDeps,
  orgId: string,
  limits: OwnLimits,
): Promise<void> {
  if (!(await storage.system.putLimits(orgId, limits, clock.nowMs()))) throwOrganizationNotFound()
}

/** Of an installation that has not been given any. */
export const NO_LIMITS: Limits = {
  requestsPerSecond: 0,
  spansPerSecond: 0,
  storedBytes: 0,
  setups: 0,
  projects: 0,
  apiKeys: 0,
  customEvaluators: 0,
}

function throwOrganizationNotFound(): never {
  throw notFound('organization not found')
}
