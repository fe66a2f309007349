import type {
  Incident,
  IncidentEvent,
  IncidentMonitor,
  IncidentState,
} from '../../domain/incidents/incident.ts'
import { addCounts, findRecovery } from '../../domain/incidents/rate-change.ts'
import type { IncidentUpdate, WatchedMonitor } from '../../ports/incident-storage.ts'
import { HOUR_MS, type WatchedSeries, WINDOW_MS } from './watched-series.ts'

/** Counts that grow are written this often, so that an open incident costs few writes. */
const WRITE_MS = 60_000

/** The state of a project when its open incidents are followed. */
export interface Followed {
  readonly series: readonly WatchedSeries[]
  readonly monitors: readonly WatchedMonitor[]
  readonly nowMs: number
}

/**
 * The change that an open incident needs: newer counts, monitors whose rate has come back, monitors that can no longer be compared.
 * Undefined where there is nothing to write.
 */
export function followIncident(incident: Incident, followed: Followed): IncidentUpdate | undefined {
  const { nowMs } = followed
  const monitors = incident.monitors.map((monitor) => followMonitor(incident, monitor, followed))
  const left = monitors.filter((monitor, at) => monitor.state !== incident.monitors[at]?.state)
  const state = stateOf(monitors)
  const isOlder = nowMs - incident.updatedAtMs >= WRITE_MS
  const hasGrown = monitors.some(({ after }, at) => !isSame(after, incident.monitors[at]?.after))
  if (left.length === 0 && !(isOlder && hasGrown)) return undefined
  const events: IncidentEvent[] = left.map(({ monitorId, state: how }) => ({
    ...{ kind: 'left', atMs: nowMs, monitorId },
    reason: how === 'recovered' ? 'Its pass rate has come back.' : ENDED,
  }))
  if (state === 'recovered' || state === 'ended') events.push({ kind: state, atMs: nowMs })
  return { expected: 'open', state, monitors, events, atMs: nowMs }
}

const ENDED =
  'It can no longer be compared: the monitor or its verdict rule was changed, or nothing was judged for a week.'

function followMonitor(incident: Incident, monitor: IncidentMonitor, followed: Followed): IncidentMonitor {
  if (monitor.state !== 'fallen') return monitor
  const { monitorId, version, ruleHash, onsetMs } = monitor
  const { nowMs } = followed
  const current = followed.monitors.find((one) => one.monitorId === monitorId)
  if (current && !current.isSettled) return monitor
  const isComparable = current?.version === version && current.ruleHash === ruleHash
  const series = followed.series.find(
    ({ application, monitor: one }) => application === incident.application && one.monitorId === monitorId,
  )
  const hours = (series?.hours ?? []).filter(({ startMs }) => startMs + HOUR_MS > onsetMs)
  const hasGoneQuiet = hours.length === 0 && nowMs - onsetMs > WINDOW_MS
  if (!isComparable || hasGoneQuiet) return { ...monitor, state: 'ended', closedAtMs: nowMs }
  if (hours.length === 0) return monitor
  const recovery = findRecovery(hours, monitor)
  if (recovery)
    return { ...monitor, state: 'recovered', closedAtMs: recovery.onsetMs, after: recovery.before }
  // Counts of hours that the window has left behind are no longer known, so they never shrink.
  const after = addCounts(hours)
  return after.pass + after.fail > monitor.after.pass + monitor.after.fail ? { ...monitor, after } : monitor
}

function stateOf(monitors: readonly IncidentMonitor[]): IncidentState {
  if (monitors.some(({ state }) => state === 'fallen')) return 'open'
  return monitors.some(({ state }) => state === 'recovered') ? 'recovered' : 'ended'
}

function isSame(left: IncidentMonitor['after'], right: IncidentMonitor['after'] | undefined): boolean {
  return left.pass === right?.pass && left.fail === right.fail
}
