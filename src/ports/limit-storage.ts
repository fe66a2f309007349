import type { OwnLimits, ResourceUse } from '../domain/limits.ts'
import type { OrgTenant } from '../domain/tenant.ts'

/** Limits and usage of organizations. */
export interface LimitStorage {
  /** The limits that were set for the organization; undefined when there is no such organization. */
  readLimits(tenant: OrgTenant): Promise<OwnLimits | undefined>
  /**
   * The current usage of the organization. `storedBytes` is the size of its compressed spans; data that was deleted does not
   * count any more, although it may not be erased yet.
   */
  readResourceUse(tenant: OrgTenant): Promise<ResourceUse>
}

/** An organization with its limits and what it uses. */
export interface OrganizationUse {
  readonly orgId: string
  readonly name: string
  readonly limits: OwnLimits
  readonly use: ResourceUse
}

/** How much one process has let a key use since it started, as far as it was worth telling the others. */
export interface RateUse {
  readonly keyId: string
  readonly requests: number
  readonly spans: number
}

/** The same of another process. */
export interface OtherRateUse extends RateUse {
  readonly processId: string
}

/** Limits of all tenants; only the operator and the service itself look across them. */
export interface LimitAdministration {
  /** Replaces the limits of an organization; false when there is no such organization. */
  putLimits(orgId: string, limits: OwnLimits, atMs: number): Promise<boolean>
  /** Warnings: what every organization uses. */
  listResourceUse(): Promise<OrganizationUse[]>
  /**
   * Rates that hold across processes: stores what this process has let through of these keys, and answers what the others
   * have told about them. Counts only grow; a process that is gone is forgotten after a while. Nothing here is durable.
   */
  exchangeRateUse(processId: string, uses: readonly RateUse[]): Promise<OtherRateUse[]>
}
