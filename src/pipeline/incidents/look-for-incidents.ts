import {
  type Incident,
  type IncidentChanges,
  incidentToJoin,
  incidentToReopen,
  unusualTimes,
  type ValueChange,
} from '../../domain/incidents/incident.ts'
import type { ProjectTenant } from '../../domain/tenant.ts'
import { defined } from '../../lib/defined.ts'
import type { Clock } from '../../ports/clock.ts'
import type { IdSource } from '../../ports/ids.ts'
import type { Storage } from '../../ports/storage.ts'
import { type ConfirmedFall, confirmFall } from './confirm-fall.ts'
import { followIncident } from './follow-incident.ts'
import type { UnitSample } from './sample-units.ts'
import { HOUR_MS, hoursOutside, readWatchedSeries, type WatchedSeries, WINDOW_MS } from './watched-series.ts'

/** Incidents of a week that one look takes into account. */
const INCIDENTS_MAX = 200
/** Versions that were first seen this long before or after the onset may have to do with it. */
const DEPLOYED_BEFORE_MS = 6 * HOUR_MS
const DEPLOYED_AFTER_MS = HOUR_MS
const DEPLOYMENTS_MAX = 10
/** A monitor of one project is read once a look. */
const MONITORS_MAX = 1_000

/** The dependencies of looking for incidents. */
export interface LookDeps {
  readonly storage: Storage
  readonly clock: Clock
  readonly ids: IdSource
  /** Compares what the spans of units on both sides of an onset say. Reading spans is not this step's. */
  readonly compareUnits: (tenant: ProjectTenant, sample: UnitSample) => Promise<ValueChange[]>
}

/** Looks at the pass rates of a project: follows its open incidents, then opens, joins and reopens what has fallen. */
export async function lookForIncidents(deps: LookDeps, tenant: ProjectTenant): Promise<void> {
  const { storage, clock } = deps
  const nowMs = clock.nowMs()
  const series = await readWatchedSeries(storage, tenant, nowMs)
  const watched = await storage.listWatchedMonitors(tenant, MONITORS_MAX)
  const openSinceMs = nowMs - WINDOW_MS
  const read = () => storage.listIncidents(tenant, { openSinceMs }, { limit: INCIDENTS_MAX })
  let incidents = await read()
  for (const incident of incidents.filter(({ state }) => state === 'open')) {
    const update = followIncident(incident, { series, monitors: watched, nowMs })
    if (update) await storage.updateIncident(tenant, incident.id, update)
  }
  for (const one of series) {
    if (isInOpenIncident(incidents, one)) continue
    const hours = hoursOutside(one.hours, unusualTimes(incidents, { ...one, ...one.monitor }))
    const fall = await confirmFall(storage, tenant, one, { hours, seriesCount: series.length })
    if (!fall) continue
    await keepFall(deps, tenant, await read(), fall)
    incidents = await read()
  }
}

function isInOpenIncident(incidents: readonly Incident[], { application, monitor }: WatchedSeries): boolean {
  return incidents.some(
    (incident) =>
      incident.state === 'open' &&
      incident.application === application &&
      incident.monitors.some(({ monitorId, state }) => monitorId === monitor.monitorId && state === 'fallen'),
  )
}

/** Makes a fall a part of the incident that it belongs to, or a new one. */
async function keepFall(
  deps: LookDeps,
  tenant: ProjectTenant,
  incidents: readonly Incident[],
  { application, monitor, sample, examples }: ConfirmedFall,
): Promise<void> {
  const { storage, clock, ids } = deps
  const atMs = clock.nowMs()
  const { monitorId, onsetMs } = monitor
  const joined = incidentToJoin(incidents, application, onsetMs)
  const reopened = incidentToReopen(incidents, { application, monitorId, onsetMs })
  if (joined) {
    const events = [{ kind: 'joined', atMs, monitorId } as const]
    // The first fall of an incident has said what changed; the examples of the newest one are the newest.
    const update = { expected: 'open', state: 'open', monitors: [monitor], events, examples, atMs } as const
    await storage.updateIncident(tenant, joined.id, update)
    return
  }
  const changes = await describeChange(deps, tenant, application, onsetMs, sample)
  if (reopened) {
    const events = [{ kind: 'reopened', atMs, monitorId } as const]
    const update = { expected: 'recovered', state: 'open', monitors: [monitor], events, atMs } as const
    await storage.updateIncident(tenant, reopened.id, { ...update, changes, examples })
  } else {
    await storage.openIncident(tenant, {
      ...{ id: ids.newId(), onsetMs, monitors: [monitor], changes, examples, atMs },
      ...defined({ application }),
    })
  }
}

async function describeChange(
  { storage, compareUnits }: LookDeps,
  tenant: ProjectTenant,
  application: string | undefined,
  onsetMs: number,
  sample: UnitSample,
): Promise<IncidentChanges> {
  const deployments =
    application === undefined
      ? []
      : await storage.listDeployments(tenant, {
          fromMs: onsetMs - DEPLOYED_BEFORE_MS,
          toMs: onsetMs + DEPLOYED_AFTER_MS,
          ...{ application, limit: DEPLOYMENTS_MAX },
        })
  return {
    values: await compareUnits(tenant, sample),
    deployments: deployments
      .filter(({ previousVersion }) => previousVersion !== undefined)
      .map(({ version, environment, firstSeenMs }) => ({ version, environment, firstSeenMs })),
    sampledBefore: sample.before.length,
    sampledAfter: sample.after.length,
  }
}
