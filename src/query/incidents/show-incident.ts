import { addCounts, type TimedCounts } from '../../domain/incidents/rate-change.ts'
import type { Preview } from '../../domain/preview.ts'
import type { ProjectTenant } from '../../domain/tenant.ts'
import { defined } from '../../lib/defined.ts'
import type { IncidentDetail } from '../../ports/incident-storage.ts'
import type { StoredEvaluation } from '../../ports/result-storage.ts'
import type { Storage } from '../../ports/storage.ts'
import { previewEvaluations } from '../preview-evaluations.ts'

const HOUR_MS = 3_600_000
/** Hours before and after the onset that the chart shows. */
const BEFORE_HOURS = 72
const AFTER_HOURS = 96

/** An incident with what its page shows. */
export interface IncidentView {
  readonly incident: IncidentDetail
  readonly examples: readonly { readonly evaluation: StoredEvaluation; readonly preview: Preview }[]
  readonly points: readonly TimedCounts[]
}

/** Puts together the page of an incident: its examples as far as they are kept, and the pass rate around the onset. */
export async function showIncident(
  storage: Storage,
  tenant: ProjectTenant,
  incident: IncidentDetail,
  nowMs: number,
): Promise<IncidentView> {
  const found = await Promise.all(
    incident.examples.map(({ evaluation }) => storage.getEvaluation(tenant, evaluation)),
  )
  const evaluations = found.filter((evaluation) => evaluation !== undefined)
  const previews = await previewEvaluations(storage, tenant, evaluations)
  return {
    incident,
    examples: evaluations.map((evaluation, at) => ({ evaluation, preview: previews[at] ?? {} })),
    points: await readPoints(storage, tenant, incident, nowMs),
  }
}

/** The judged units of its monitors together, hour by hour; only hours that have some. */
async function readPoints(
  storage: Pick<Storage, 'readApplicationCounts'>,
  tenant: ProjectTenant,
  { application, onsetMs, monitors }: IncidentDetail,
  nowMs: number,
): Promise<TimedCounts[]> {
  const onsetHourMs = Math.floor(onsetMs / HOUR_MS) * HOUR_MS
  const rows = await storage.readApplicationCounts(tenant, {
    fromMs: onsetHourMs - BEFORE_HOURS * HOUR_MS,
    toMs: Math.min(onsetHourMs + AFTER_HOURS * HOUR_MS, nowMs + HOUR_MS),
    bucketMs: HOUR_MS,
    ...defined({ application }),
  })
  const own = rows.filter(
    (row) =>
      row.application === application &&
      monitors.some(({ monitorId, version }) => monitorId === row.monitorId && version === row.version),
  )
  return Array.from(
    Map.groupBy(own, ({ startMs }) => startMs),
    ([startMs, counts]) => ({ startMs, ...addCounts(counts) }),
  ).filter(({ pass, fail }) => pass + fail > 0)
}
