import type {
  Incident,
  IncidentChanges,
  IncidentEvent,
  IncidentEventKind,
  IncidentExample,
  IncidentMonitor,
  IncidentMonitorState,
  IncidentState,
} from '../../domain/incidents/incident.ts'
import { toHex } from './span-rows.ts'

/** A row of `incidents`. */
export interface IncidentRow {
  number: number
  id: string
  application: string | null
  state: IncidentState
  onset_ms: number
  changes: string
  opened_at_ms: number
  updated_at_ms: number
  closed_at_ms: number | null
}

/** A row of `incident_monitors`, with the names of the monitor. */
export interface IncidentMonitorRow {
  incident_number: number
  monitor_id: string
  version: number
  rule_hash: string
  onset_ms: number
  before_pass: number
  before_fail: number
  after_pass: number
  after_fail: number
  false_chance: number
  state: IncidentMonitorState
  closed_at_ms: number | null
  slug: string | null
  external_id: string | null
}

/** A row of `incident_events`. */
export interface IncidentEventRow {
  kind: IncidentEventKind
  at_ms: number
  monitor_id: string | null
  actor: string | null
  reason: string | null
}

/** A row of `incident_examples`. */
export interface IncidentExampleRow {
  evaluation_number: number
  trace_id: Uint8Array
}

/**
 * Drops incidents of the project $1 that were closed before $2, at most $3 of them. An open one stays, however old, because a person
 * has to see it.
 */
export const DROP_INCIDENTS = `DELETE FROM incidents WHERE number IN (
  SELECT number FROM incidents WHERE project_number = $1 AND closed_at_ms < $2 AND state <> 'open' LIMIT $3)`

/** Drops parts of incidents of the project $1 whose incident is gone. */
export const DROP_INCIDENT_PARTS = ['incident_monitors', 'incident_events', 'incident_examples'].map(
  (table) => `DELETE FROM ${table} AS part WHERE part.project_number = $1 AND NOT EXISTS (
    SELECT 1 FROM incidents i WHERE i.number = part.incident_number)`,
)

/** Tables of incidents that carry the number of their project, with the columns by which a few rows of each are picked. */
export const INCIDENT_TABLES: Readonly<Record<string, string>> = {
  incident_examples: 'incident_number, evaluation_number',
  incident_events: 'number',
  incident_monitors: 'incident_number, monitor_id, version',
  incidents: 'number',
  incident_looks: 'project_number',
}

/** An incident as its readers know it. */
export function toIncident(row: IncidentRow, monitors: readonly IncidentMonitorRow[]): Incident {
  const changes: IncidentChanges = JSON.parse(row.changes)
  return {
    number: row.number,
    id: row.id,
    ...(row.application === null ? {} : { application: row.application }),
    state: row.state,
    onsetMs: row.onset_ms,
    openedAtMs: row.opened_at_ms,
    updatedAtMs: row.updated_at_ms,
    ...(row.closed_at_ms === null ? {} : { closedAtMs: row.closed_at_ms }),
    monitors: monitors.map(toMonitor),
    changes,
  }
}

function toMonitor(row: IncidentMonitorRow): IncidentMonitor {
  return {
    monitorId: row.monitor_id,
    ...(row.slug === null ? {} : { slug: row.slug }),
    ...(row.external_id === null ? {} : { externalId: row.external_id }),
    version: row.version,
    ruleHash: row.rule_hash,
    onsetMs: row.onset_ms,
    before: { pass: row.before_pass, fail: row.before_fail },
    after: { pass: row.after_pass, fail: row.after_fail },
    falseChance: row.false_chance,
    state: row.state,
    ...(row.closed_at_ms === null ? {} : { closedAtMs: row.closed_at_ms }),
  }
}

export function toEvent(row: IncidentEventRow): IncidentEvent {
  return {
    kind: row.kind,
    atMs: row.at_ms,
    ...(row.monitor_id === null ? {} : { monitorId: row.monitor_id }),
    ...(row.actor === null ? {} : { actor: row.actor }),
    ...(row.reason === null ? {} : { reason: row.reason }),
  }
}

export function toExample(row: IncidentExampleRow): IncidentExample {
  return { evaluation: row.evaluation_number, traceId: toHex(row.trace_id) }
}
