import type { ProjectTenant } from '../domain/tenant.ts'

/** A service or workflow that evaluated units belong to. */
export interface Application {
  readonly name: string
  /** When the earliest and the latest of its units began, as far as that was not after they were recorded. */
  readonly firstSeenMs: number
  /** Exact to a minute. */
  readonly lastSeenMs: number
}

/** A choice of counts: all hours that the range touches, added up in buckets that begin at multiples of their length. */
export interface ApplicationCountsQuery {
  readonly fromMs: number
  /** Not included. */
  readonly toMs: number
  /** A whole number of hours. */
  readonly bucketMs: number
  /** Absent: all applications, and the units that name none. */
  readonly application?: string
}

/**
 * The verdicts on the units of one application by one monitor version in one bucket. An evaluation that still has to be judged
 * is in none of the counts.
 */
export interface ApplicationCounts {
  /** Absent for units that name no application. */
  readonly application?: string
  readonly monitorId: string
  /** Of the monitor. */
  readonly version: number
  /** When the bucket begins. */
  readonly startMs: number
  readonly pass: number
  readonly fail: number
  readonly neutral: number
  /** Units whose evaluation has no score: errors, missing inputs, refusals. */
  readonly notScored: number
}

/** The place of a deployment in a list of them. */
export interface DeploymentKey {
  readonly firstSeenMs: number
  readonly environment: string
  readonly application: string
  readonly version: string
}

/** A choice of deployments by the time at which their first span began. */
export interface DeploymentQuery {
  readonly fromMs: number
  /** Not included. */
  readonly toMs: number
  readonly application?: string
  readonly limit: number
  /** Only those behind this one in the order of the list. */
  readonly after?: DeploymentKey
}

/** A version of an application, and when spans of it began. */
export interface Deployment extends DeploymentKey {
  readonly lastSeenMs: number
  /** The version that was first seen last before this one; absent for the first that is known. With it, this is a deploy. */
  readonly previousVersion?: string
}

/** The applications of a project, their verdicts and their versions. Evaluations from before applications were kept belong to none. */
export interface ApplicationStorage {
  /** In the order of their names. */
  listApplications(
    tenant: ProjectTenant,
    range: { readonly limit: number; readonly afterName?: string },
  ): Promise<Application[]>
  /** Only buckets that have something; in the order of their time. */
  readApplicationCounts(tenant: ProjectTenant, query: ApplicationCountsQuery): Promise<ApplicationCounts[]>
  /** The newest first. */
  listDeployments(tenant: ProjectTenant, query: DeploymentQuery): Promise<Deployment[]>
}
