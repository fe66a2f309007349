import type { OwnLimits } from './limits.ts'

/**
 * The tenancy: organization > project > environment > API key. One key stands for one project in one
 * environment, so everything a request may touch follows from its key.
 */

/** Reaches everything of one organization. */
export interface OrgTenant {
  readonly orgId: string
}

/** Reaches everything of one project, in all of its environments. */
export interface ProjectTenant extends OrgTenant {
  readonly projectId: string
}

/** One project in one environment: where spans arrive and where new setups belong. */
export interface EnvironmentTenant extends ProjectTenant {
  readonly envProjectId: string
}

/** The permissions of a key. They do not imply each other: a key that may write cannot read unless it says so. */
export const KEY_PERMISSIONS = ['ingest', 'read', 'write', 'admin'] as const
export type KeyPermission = (typeof KEY_PERMISSIONS)[number]

/**
 * The permissions of a key whose maker names none: everything an application or a deploy script needs, no key
 * management.
 */
export const DEFAULT_KEY_PERMISSIONS: readonly KeyPermission[] = ['ingest', 'read', 'write']

/** The authenticated caller. It is itself a tenant, so it can be handed to the storage as it is. */
export interface Principal extends EnvironmentTenant {
  readonly keyId: string
  readonly environment: string
  readonly permissions: readonly KeyPermission[]
  /** True in the organization made at the first start: only its admin keys may create organizations. */
  readonly isOperator: boolean
  /** True for keys of the default project: their permission `admin` reaches all projects of the organization, others' only their own. */
  readonly administersOrganization: boolean
  /** The limits that were set for the organization; absent: none were. */
  readonly limits?: OwnLimits
}

/** A customer, or on a private installation simply the owner. */
export interface Organization {
  readonly id: string
  readonly name: string
  readonly isOperator: boolean
  /** How long spans are kept, 1 to 720. */
  readonly retentionHours: number
  readonly createdAtMs: number
}

/** An environment of a project. `envProjectId` names the pair and is what setups and spans refer to. */
export interface Environment {
  readonly envProjectId: string
  readonly slug: string
}

/** A project isolates setups, spans and results; within an organization its slug is unique. */
export interface Project {
  readonly id: string
  readonly name: string
  readonly slug: string
  readonly environments: readonly Environment[]
  readonly createdAtMs: number
}

/** A stored key. The secret is never stored: only its hash, and its last characters so that people can tell keys apart. */
export interface ApiKey {
  readonly id: string
  readonly name: string
  readonly hint: string
  readonly projectId: string
  readonly envProjectId: string
  readonly environment: string
  readonly permissions: readonly KeyPermission[]
  readonly createdAtMs: number
  readonly revokedAtMs?: number
}

/** Any 16 to 256 visible ASCII characters can be a key. */
export const KEY_PATTERN = /^[!-~]{16,256}$/

/** The slug of the project that an organization is made with. No other project can get it. */
export const DEFAULT_PROJECT = 'default'
/** The environment an installation or an organization starts with. */
export const DEFAULT_ENVIRONMENT = 'prd'
export const DEFAULT_RETENTION_HOURS = 720
export const RETENTION_HOURS_MAX = 720
/** An environment or project slug: lower-case letters, digits and inner hyphens, at most 63 of them. */
export const SLUG_PATTERN = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
