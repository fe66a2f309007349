import type {
  Incident,
  IncidentChanges,
  IncidentEvent,
  IncidentExample,
  IncidentMonitor,
  IncidentState,
} from '../domain/incidents/incident.ts'
import type { ProjectTenant } from '../domain/tenant.ts'

/** Which incidents are meant; all conditions hold together. */
export interface IncidentFilter {
  readonly state?: IncidentState
  readonly application?: string
  /** Open ones, and those that were closed at this time or later. */
  readonly openSinceMs?: number
}

/** An incident with its course and its examples. */
export interface IncidentDetail extends Incident {
  /** In the order in which they happened. */
  readonly events: readonly IncidentEvent[]
  /** The newest first. */
  readonly examples: readonly IncidentExample[]
}

/** An incident about to be stored. */
export interface NewIncident {
  readonly id: string
  readonly application?: string
  readonly onsetMs: number
  readonly monitors: readonly IncidentMonitor[]
  readonly changes: IncidentChanges
  readonly examples: readonly IncidentExample[]
  readonly atMs: number
}

/** A change of an incident. Monitors that it has are replaced, and others join it. */
export interface IncidentUpdate {
  /** The change is refused in any other state, because a person may have changed it meanwhile. */
  readonly expected: IncidentState
  readonly state: IncidentState
  readonly monitors: readonly IncidentMonitor[]
  readonly events: readonly IncidentEvent[]
  readonly changes?: IncidentChanges
  readonly examples?: readonly IncidentExample[]
  readonly atMs: number
}

/** A decision of a person about an incident. */
export interface IncidentDecision {
  readonly state: 'dismissed' | 'open'
  readonly actor?: string
  readonly reason?: string
  readonly atMs: number
}

/** A monitor whose pass rate is watched. */
export interface WatchedMonitor {
  readonly monitorId: string
  /** The current one. */
  readonly version: number
  readonly ruleHash: string
  /** False while stored verdicts are derived by another rule: until then they are not comparable. */
  readonly isSettled: boolean
}

/** Incidents of a project, confined to its tenant like everything else. */
export interface IncidentStorage {
  /** The newest first. */
  listIncidents(
    tenant: ProjectTenant,
    filter: IncidentFilter,
    range: { readonly beforeNumber?: number; readonly limit: number },
  ): Promise<Incident[]>
  getIncident(tenant: ProjectTenant, id: string): Promise<IncidentDetail | undefined>
  /** Dismisses or opens an incident. One that is in that state already stays as it is. */
  decideIncident(
    tenant: ProjectTenant,
    id: string,
    decision: IncidentDecision,
  ): Promise<IncidentDetail | undefined>
  /** False when a monitor of the same application is in an open incident already: another process was faster. */
  openIncident(tenant: ProjectTenant, incident: NewIncident): Promise<boolean>
  /** False when the incident is gone or in another state than expected. */
  updateIncident(tenant: ProjectTenant, id: string, update: IncidentUpdate): Promise<boolean>
  /** Active monitors that judge, at most that many. */
  listWatchedMonitors(tenant: ProjectTenant, limit: number): Promise<WatchedMonitor[]>
}

/** A project and the last look for incidents in it. */
export interface WatchedProject {
  readonly number: number
  readonly tenant: ProjectTenant
  /** The number of its newest evaluation; 0 where it has none. */
  readonly newestEvaluation: number
  /** The newest evaluation at the last look; 0 before the first. */
  readonly lookedThrough: number
  readonly lookedAtMs: number
}

/** The turns of looking for incidents. It serves all tenants: every project is looked at. */
export interface IncidentWatchStorage {
  /** In order of their numbers, behind `afterNumber`. */
  listWatchedProjects(query: {
    readonly afterNumber: number
    readonly limit: number
  }): Promise<WatchedProject[]>
  /** Notes a look. False when another process has noted one since the project was listed. */
  claimLook(project: WatchedProject, atMs: number): Promise<boolean>
}
