import { type FailureGroup, groupFailures } from '../../domain/failure-reasons.ts'
import { addCounts, type JudgedCounts } from '../../domain/incidents/rate-change.ts'
import type { ModelPrices } from '../../domain/model-prices.ts'
import type { ProjectTenant } from '../../domain/tenant.ts'
import { reasonOf } from '../../domain/verdict-reason.ts'
import { defined } from '../../lib/defined.ts'
import type { ApplicationCounts } from '../../ports/application-storage.ts'
import type { StoredEvaluation } from '../../ports/result-storage.ts'
import type { Storage } from '../../ports/storage.ts'
import { costOfModels, type ModelCosts } from '../model-costs.ts'

/** The newest failures of an application that are grouped by their reasons. */
export const REASONS_SAMPLE_MAX = 100
/** Monitors with the most failures that are told. */
export const FAILING_MONITORS_MAX = 5
const OPEN_INCIDENTS_MAX = 200

/** A range in whole buckets of whole hours, which begin at multiples of their length. */
export interface ApplicationRange {
  readonly fromMs: number
  readonly toMs: number
  readonly bucketMs: number
}

/** A monitor and its failures in an application. */
export interface FailingMonitor extends JudgedCounts {
  readonly monitorId: string
}

/** How one application fares. */
export interface ApplicationOverview {
  /** Absent for units whose application is not known. */
  readonly name?: string
  readonly judged: JudgedCounts
  /** In the time of the same length before. */
  readonly previous: JudgedCounts
  readonly neutral: number
  readonly notScored: number
  /** One for each bucket, in order of time. */
  readonly points: readonly (JudgedCounts & { readonly startMs: number })[]
  /** Those with the most failures first. */
  readonly failing: readonly FailingMonitor[]
  readonly reasons: readonly FailureGroup[]
  /** Failures that were looked at for the reasons. */
  readonly sampled: number
  readonly modelCalls: number
  readonly cost: ModelCosts
  readonly openIncidents: number
}

/** A page of applications, and the name behind which there are more. */
export interface ApplicationPage {
  readonly applications: readonly ApplicationOverview[]
  readonly nextAfter?: string
}

/** The storage and prices that applications are shown with. */
export interface ApplicationsDeps {
  readonly storage: Storage
  readonly prices: ModelPrices
}

/** Looks at the applications of a project one by one: how good they are, what fails and why, what they cost. */
export async function showApplications(
  deps: ApplicationsDeps,
  tenant: ProjectTenant,
  range: ApplicationRange,
  page: { readonly limit: number; readonly afterName?: string },
): Promise<ApplicationPage> {
  const { storage } = deps
  const found = await storage.listApplications(tenant, { ...page, limit: page.limit + 1 })
  const names: (string | undefined)[] = found.slice(0, page.limit).map(({ name }) => name)
  const hasMore = found.length > page.limit
  const isWhole = !hasMore && page.afterName === undefined
  const counts = await readCounts(storage, tenant, range, isWhole ? undefined : names)
  // Units without an application can only be told from the counts of all.
  if (isWhole && counts.some(({ application }) => application === undefined)) names.push(undefined)
  const [use, open] = await Promise.all([
    readUse(deps, tenant, range),
    storage.listIncidents(tenant, { state: 'open' }, { limit: OPEN_INCIDENTS_MAX }),
  ])
  const applications: ApplicationOverview[] = []
  for (const name of names) {
    const failures = await newestFailures(storage, tenant, name, range.fromMs)
    applications.push({
      ...defined({ name }),
      ...summarize(
        counts.filter(({ application }) => application === name),
        range,
      ),
      reasons: groupFailures(failures.map(toFailure)),
      sampled: failures.length,
      ...(use.get(name ?? '') ?? NO_USE),
      openIncidents: open.filter(({ application }) => application === name).length,
    })
  }
  const last = names.at(-1)
  return { applications, ...(hasMore && last !== undefined ? { nextAfter: last } : {}) }
}

/** Counts of the range and of the time of the same length before: of all applications at once, or of these. */
async function readCounts(
  storage: Pick<Storage, 'readApplicationCounts'>,
  tenant: ProjectTenant,
  { fromMs, toMs, bucketMs }: ApplicationRange,
  names: readonly (string | undefined)[] | undefined,
): Promise<ApplicationCounts[]> {
  const query = { fromMs: fromMs - (toMs - fromMs), toMs, bucketMs }
  if (!names) return storage.readApplicationCounts(tenant, query)
  const parts = await Promise.all(
    names.map((application) =>
      storage.readApplicationCounts(tenant, { ...query, ...defined({ application }) }),
    ),
  )
  return parts.flat()
}

function summarize(rows: readonly ApplicationCounts[], { fromMs, toMs, bucketMs }: ApplicationRange) {
  const current = rows.filter(({ startMs }) => startMs >= fromMs)
  const byBucket = Map.groupBy(current, ({ startMs }) => startMs)
  const failing = Array.from(
    Map.groupBy(current, ({ monitorId }) => monitorId),
    ([monitorId, counts]) => ({ monitorId, ...addCounts(counts) }),
  )
  return {
    judged: addCounts(current),
    previous: addCounts(rows.filter(({ startMs }) => startMs < fromMs)),
    neutral: current.reduce((sum, { neutral }) => sum + neutral, 0),
    notScored: current.reduce((sum, { notScored }) => sum + notScored, 0),
    points: Array.from({ length: Math.round((toMs - fromMs) / bucketMs) }, (_, at) => {
      const startMs = fromMs + at * bucketMs
      return { startMs, ...addCounts(byBucket.get(startMs) ?? []) }
    }),
    failing: failing
      .filter(({ fail }) => fail > 0)
      .toSorted((left, right) => right.fail - left.fail)
      .slice(0, FAILING_MONITORS_MAX),
  }
}

const NO_USE = { modelCalls: 0, cost: { costMicros: 0, unpricedCalls: 0 } }

/** The use of models by service, which is the name of an application wherever a service has one. */
async function readUse(
  { storage, prices }: ApplicationsDeps,
  tenant: ProjectTenant,
  range: ApplicationRange,
) {
  const lines = await storage.readUsage(tenant, { ...range, groupBy: ['service'] })
  const uses = new Map<string, { modelCalls: number; cost: ModelCosts }>()
  for (const { service = '', models } of lines) {
    const known = uses.get(service) ?? { modelCalls: 0, cost: { unpricedCalls: 0 } }
    const { costMicros, unpricedCalls } = costOfModels(prices, models)
    const calls = Array.from(models.values()).reduce((sum, use) => sum + use.calls, 0)
    const costs = [known.cost.costMicros, costMicros].filter((cost) => cost !== undefined)
    uses.set(service, {
      modelCalls: known.modelCalls + calls,
      cost: {
        ...(costs.length > 0 ? { costMicros: costs.reduce((sum, cost) => sum + cost, 0) } : {}),
        unpricedCalls: known.cost.unpricedCalls + unpricedCalls,
      },
    })
  }
  return uses
}

async function newestFailures(
  storage: Pick<Storage, 'listEvaluations'>,
  tenant: ProjectTenant,
  application: string | undefined,
  fromMs: number,
): Promise<StoredEvaluation[]> {
  const filter = { verdict: 'fail', fromMs, ...defined({ application }) } as const
  const range = { order: 'newest', limit: REASONS_SAMPLE_MAX } as const
  const { evaluations } = await storage.listEvaluations(tenant, filter, range)
  return evaluations.filter((evaluation) => evaluation.application === application)
}

function toFailure(evaluation: StoredEvaluation) {
  const reason = reasonOf(evaluation)
  return {
    slug: evaluation.slug,
    label: evaluation.verdictRule?.labels.fail ?? 'Failed',
    reason: reason?.text ?? reason?.claim ?? reason?.rule ?? '',
    number: evaluation.number,
  }
}
