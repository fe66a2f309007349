import type { JudgedCounts } from './rate-change.ts'

/**
 * The states of an incident.
 *
 *   open       the pass rate has fallen and has not come back; a person may dismiss it
 *   recovered  the pass rate of every monitor in it has come back; another fall within a day opens it again
 *   ended      no monitor in it can be compared any more: it was changed or stopped, or has judged nothing for a week
 *   dismissed  a person has said that it needs no attention, and may open it again; its level is the new normal
 */
export const INCIDENT_STATES = ['open', 'recovered', 'ended', 'dismissed'] as const
export type IncidentState = (typeof INCIDENT_STATES)[number]

/** The course of an incident, event by event. `joined` and `left` are about one monitor. */
export const INCIDENT_EVENTS = [
  'opened',
  'joined',
  'left',
  'recovered',
  'ended',
  'dismissed',
  'reopened',
] as const
export type IncidentEventKind = (typeof INCIDENT_EVENTS)[number]

/** Whether the pass rate of a monitor in an incident is still low. */
export const INCIDENT_MONITOR_STATES = ['fallen', 'recovered', 'ended'] as const
export type IncidentMonitorState = (typeof INCIDENT_MONITOR_STATES)[number]

/** One event. */
export interface IncidentEvent {
  readonly kind: IncidentEventKind
  readonly atMs: number
  readonly monitorId?: string
  /** The name of the person who did it; absent where the service did. */
  readonly actor?: string
  readonly reason?: string
}

/** A monitor whose pass rate fell. Only units of one version, judged by one rule, are compared. */
export interface IncidentMonitor {
  readonly monitorId: string
  /** Of its evaluator and its setup; absent once the monitor is gone, and where it is written. */
  readonly slug?: string
  readonly externalId?: string
  readonly version: number
  /** Identifies the verdict rule that the counts were made by. */
  readonly ruleHash: string
  readonly onsetMs: number
  readonly before: JudgedCounts
  readonly after: JudgedCounts
  /** The chance that a stable project has such an incident in a day. */
  readonly falseChance: number
  readonly state: IncidentMonitorState
  /** When it recovered, or could no longer be compared. */
  readonly closedAtMs?: number
}

/** Properties of calls that are compared before and after an onset. */
export const CHANGE_PROPERTIES = [
  'model',
  'service_version',
  'prompt_name',
  'prompt_version',
  'system_prompt',
] as const
export type ChangeProperty = (typeof CHANGE_PROPERTIES)[number]

/** A value whose share of the calls changed clearly at the onset. */
export interface ValueChange {
  readonly property: ChangeProperty
  /** Of `system_prompt` the first 12 hex digits of its SHA-256. */
  readonly value: string
  readonly shareBefore: number
  readonly shareAfter: number
}

/** A version of an application that was first seen around the onset. */
export interface SeenDeployment {
  readonly version: string
  readonly environment: string
  readonly firstSeenMs: number
}

/** The differences after the onset. Shares are of a sample. */
export interface IncidentChanges {
  readonly values: readonly ValueChange[]
  readonly deployments: readonly SeenDeployment[]
  /** Calls that were looked at. */
  readonly sampledBefore: number
  readonly sampledAfter: number
}

/** A failed evaluation since the onset. */
export interface IncidentExample {
  readonly evaluation: number
  readonly traceId: string
}

/** A fall of the pass rate of an application that is more than chance. */
export interface Incident {
  readonly number: number
  readonly id: string
  /** Absent for units whose application is not known. */
  readonly application?: string
  readonly state: IncidentState
  /** When the first of its monitors fell. */
  readonly onsetMs: number
  readonly openedAtMs: number
  readonly updatedAtMs: number
  readonly closedAtMs?: number
  readonly monitors: readonly IncidentMonitor[]
  readonly changes: IncidentChanges
}

/** Monitors of one application that fall within so long of each other are one incident. */
const SAME_INCIDENT_MS = 2 * 3_600_000
/** A fall so soon after a recovery opens the same incident again. */
const REOPEN_MS = 24 * 3_600_000

/** The open incident that a fall belongs to. */
export function incidentToJoin(
  incidents: readonly Incident[],
  application: string | undefined,
  onsetMs: number,
): Incident | undefined {
  return incidents.find(
    (incident) =>
      incident.state === 'open' &&
      incident.application === application &&
      incident.monitors.some((monitor) => Math.abs(monitor.onsetMs - onsetMs) <= SAME_INCIDENT_MS),
  )
}

/** The incident that a fall opens again: the monitor had recovered in it shortly before. */
export function incidentToReopen(
  incidents: readonly Incident[],
  { application, monitorId, onsetMs }: SeriesOnset,
): Incident | undefined {
  return incidents.find(
    (incident) =>
      incident.state === 'recovered' &&
      incident.application === application &&
      incident.monitors.some((monitor) => monitor.monitorId === monitorId) &&
      onsetMs - (incident.closedAtMs ?? 0) <= REOPEN_MS,
  )
}

/** A monitor of an application and when its pass rate fell. */
interface SeriesOnset {
  readonly application: string | undefined
  readonly monitorId: string
  readonly onsetMs: number
}

/** A stretch of time; the end is not included. */
export interface Stretch {
  readonly fromMs: number
  readonly toMs: number
}

/**
 * The time that says nothing about how a series usually is: while it was in an incident. Before a dismissed incident, too, because
 * its level was accepted as the new normal.
 */
export function unusualTimes(
  incidents: readonly Incident[],
  series: { readonly application: string | undefined; readonly monitorId: string; readonly version: number },
): Stretch[] {
  return incidents.flatMap((incident) => {
    if (incident.application !== series.application || incident.state === 'open') return []
    const monitor = incident.monitors.find(
      ({ monitorId, version }) => monitorId === series.monitorId && version === series.version,
    )
    if (!monitor) return []
    if (incident.state === 'dismissed') return [{ fromMs: 0, toMs: monitor.onsetMs }]
    const toMs = monitor.closedAtMs ?? incident.closedAtMs ?? monitor.onsetMs
    return [{ fromMs: monitor.onsetMs, toMs }]
  })
}
