import type { ProjectTenant } from '../../domain/tenant.ts'
import { defined } from '../../lib/defined.ts'
import type { EvaluationFilter, ResultStorage, StoredEvaluation } from '../../ports/result-storage.ts'

/** Units of each side that are sampled, and evaluations that are looked at to find them. */
const SAMPLE_MAX = 500
const EXAMINED_MAX = 5_000
const PAGE = 500
/** How far from the onset a unit may be. */
const AROUND_MS = 24 * 3_600_000
/** Mostly a unit is evaluated within this time. */
const USUAL_DELAY_MS = 3_600_000

/** Which units are sampled. */
export interface SampledSeries {
  readonly application: string | undefined
  readonly monitorId: string
  readonly version: number
}

/** Judged units on both sides of an onset, those nearest to it first. */
export interface UnitSample {
  readonly before: readonly StoredEvaluation[]
  readonly after: readonly StoredEvaluation[]
}

/** Samples judged units of a series just before and after an onset. */
export async function sampleUnits(
  storage: Pick<ResultStorage, 'listEvaluations'>,
  tenant: ProjectTenant,
  series: SampledSeries,
  onsetMs: number,
): Promise<UnitSample> {
  const filter = { monitorId: series.monitorId, ...defined({ application: series.application }) }
  const sample = await collect(storage, tenant, filter, series, onsetMs)
  if (sample.before.length > 0) return sample
  // Very many units came since: those of before are looked for by the time of their recording.
  const earlier = { ...filter, toMs: onsetMs + USUAL_DELAY_MS }
  return { ...sample, before: (await collect(storage, tenant, earlier, series, onsetMs)).before }
}

async function collect(
  storage: Pick<ResultStorage, 'listEvaluations'>,
  tenant: ProjectTenant,
  filter: EvaluationFilter,
  { application, version }: SampledSeries,
  onsetMs: number,
): Promise<UnitSample> {
  const before: StoredEvaluation[] = []
  const after: StoredEvaluation[] = []
  let afterNumber: number | undefined
  for (let examined = 0; examined < EXAMINED_MAX; examined += PAGE) {
    const range = { order: 'newest', limit: PAGE, ...defined({ afterNumber }) } as const
    const page = await storage.listEvaluations(tenant, filter, range)
    for (const unit of page.evaluations) {
      const isJudged = unit.verdict === 'pass' || unit.verdict === 'fail'
      if (!isJudged || unit.version !== version || unit.application !== application) continue
      if (Math.abs(unit.unitAtMs - onsetMs) > AROUND_MS) continue
      if (unit.unitAtMs < onsetMs) before.push(unit)
      else after.push(unit)
    }
    afterNumber = page.nextAfter
    if (afterNumber === undefined || before.length >= SAMPLE_MAX) break
  }
  const byDistance = (left: StoredEvaluation, right: StoredEvaluation) =>
    Math.abs(left.unitAtMs - onsetMs) - Math.abs(right.unitAtMs - onsetMs)
  return {
    before: before.toSorted(byDistance).slice(0, SAMPLE_MAX),
    after: after.toSorted(byDistance).slice(0, SAMPLE_MAX),
  }
}
