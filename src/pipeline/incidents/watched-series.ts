import type { Stretch } from '../../domain/incidents/incident.ts'
import type { TimedCounts } from '../../domain/incidents/rate-change.ts'
import type { ProjectTenant } from '../../domain/tenant.ts'
import type { WatchedMonitor } from '../../ports/incident-storage.ts'
import type { Storage } from '../../ports/storage.ts'

export const HOUR_MS = 3_600_000
/** How far a look goes back: a week, so that every hour is compared with the same hours of other days. */
export const WINDOW_MS = 168 * HOUR_MS
/** A series without a unit that began in this time has nothing new to say. */
const RECENT_MS = 24 * HOUR_MS
/** Monitors of one project that are watched. */
const MONITORS_MAX = 1_000
/** Applications of one project that one look goes over; those without recent units are left out before. */
const APPLICATIONS_MAX = 500

/** The pass rate of one application by one monitor over time. Only its current version and rule are compared. */
export interface WatchedSeries {
  readonly application: string | undefined
  readonly monitor: WatchedMonitor
  /** Hours with judged units, in order of time; the running one included. */
  readonly hours: readonly TimedCounts[]
}

/** Reads the series of a project that have recent units. A rule that is still being applied to stored scores makes none. */
export async function readWatchedSeries(
  storage: Pick<Storage, 'readApplicationCounts' | 'listWatchedMonitors'>,
  tenant: ProjectTenant,
  nowMs: number,
): Promise<WatchedSeries[]> {
  const monitors = new Map(
    (await storage.listWatchedMonitors(tenant, MONITORS_MAX)).map((one) => [one.monitorId, one]),
  )
  if (monitors.size === 0) return []
  const toMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS + HOUR_MS
  const range = { toMs, bucketMs: HOUR_MS }
  const recent = await storage.readApplicationCounts(tenant, {
    ...{ ...range, fromMs: toMs - RECENT_MS, bucketMs: RECENT_MS },
  })
  const names = [...new Set(recent.map(({ application }) => application))].slice(0, APPLICATIONS_MAX)
  const series: WatchedSeries[] = []
  for (const application of names) {
    // Units that name no application can only be asked for together with all others.
    const chosen = application === undefined ? {} : { application }
    const query = { ...range, fromMs: toMs - WINDOW_MS, ...chosen }
    const rows = (await storage.readApplicationCounts(tenant, query)).filter(
      (row) => row.application === application,
    )
    for (const [monitorId, counts] of Map.groupBy(rows, (row) => row.monitorId)) {
      const monitor = monitors.get(monitorId)
      if (!monitor?.isSettled) continue
      const hours = counts.filter(({ version, pass, fail }) => version === monitor.version && pass + fail > 0)
      if (hours.length > 0) series.push({ application, monitor, hours })
    }
  }
  return series
}

/** The hours that lie outside of these stretches, whole hours only. */
export function hoursOutside(
  hours: readonly TimedCounts[],
  stretches: readonly Stretch[],
): readonly TimedCounts[] {
  return hours.filter(({ startMs }) =>
    stretches.every(({ fromMs, toMs }) => startMs + HOUR_MS <= fromMs || startMs >= toMs),
  )
}
