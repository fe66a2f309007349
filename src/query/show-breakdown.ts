import type { ProjectTenant } from '../domain/tenant.ts'
import { isFailure } from '../domain/unit-counts.ts'
import { defined } from '../lib/defined.ts'
import type { SpanView } from '../lib/otlp/span-view.ts'
import type { StoredEvaluation } from '../ports/result-storage.ts'
import type { TenantStorage } from '../ports/storage.ts'
import { spanLabels } from './metric-labels.ts'
import { fieldTexts } from './show-spans.ts'
import { StoredSpanReader } from './stored-span-reader.ts'

/** Most results that are grouped, and that are looked at to find them. */
export const BREAKDOWN_SAMPLE_MAX = 1_000
const EXAMINED_MAX = 5_000
const PAGE = 1_000
/** Most groups that are told by themselves. */
export const BREAKDOWN_GROUPS_MAX = 50
/** Longer values are cut. */
const VALUE_LENGTH_MAX = 200
/** Mostly a unit is evaluated within this time; only where none was are later results looked at. */
const USUAL_DELAY_MS = 3_600_000

/** The grouping of results, and the results to group. */
export interface BreakdownQuery {
  readonly monitorId: string
  readonly version: number
  readonly property: string
  /** `model`, `service`, `environment`, or the name of an attribute. */
  readonly by: string
  /** By the start of the unit. */
  readonly fromMs: number
  /** Not included. */
  readonly toMs: number
}

/** Results that have a value in common. */
export interface BreakdownGroup {
  /** Absent where it is not known. */
  readonly value?: string
  readonly count: number
  /** Of the property; absent where nothing was scored. */
  readonly mean?: number
  readonly failed: number
  /** Results that pass and results that do not; neutral ones are neither. */
  readonly verdicts: { readonly pass: number; readonly fail: number }
}

/** The newest results in groups. */
export interface Breakdown {
  /** The most frequent first. */
  readonly groups: readonly BreakdownGroup[]
  /** All groups beyond those, as one. */
  readonly rest?: BreakdownGroup
  readonly sampled: number
}

/** Groups the newest results by what their spans carry. Spans are stored as they came in, so each has to be read. */
export async function showBreakdown(
  storage: TenantStorage,
  tenant: ProjectTenant,
  query: BreakdownQuery,
): Promise<Breakdown> {
  const usual = await sampleResults(storage, tenant, query, query.toMs + USUAL_DELAY_MS)
  const sample = usual.length > 0 ? usual : await sampleResults(storage, tenant, query, undefined)
  const groups = new Map<string | undefined, Tally>()
  const take = (evaluation: StoredEvaluation, value: string | undefined) => {
    const key = value?.slice(0, VALUE_LENGTH_MAX)
    const tally = groups.get(key) ?? new Tally()
    groups.set(key, tally)
    tally.add(evaluation, query.property)
  }
  if (query.by === 'environment') for (const evaluation of sample) take(evaluation, evaluation.environment)
  else {
    await new StoredSpanReader(storage, tenant).each(sample, (evaluation, found) => {
      const isOneSpan = evaluation.spanId !== undefined
      take(evaluation, found && isOneSpan ? groupOf(query.by, found.view) : undefined)
      return true
    })
  }
  return toBreakdown(groups, sample.length)
}

async function sampleResults(
  storage: TenantStorage,
  tenant: ProjectTenant,
  { monitorId, version, fromMs, toMs }: BreakdownQuery,
  recordedBeforeMs: number | undefined,
): Promise<StoredEvaluation[]> {
  const filter = { monitorId, fromMs, ...defined({ toMs: recordedBeforeMs }) }
  const sample: StoredEvaluation[] = []
  let after: number | undefined
  for (let examined = 0; examined < EXAMINED_MAX; examined += PAGE) {
    const page = await storage.listEvaluations(tenant, filter, {
      order: 'newest',
      limit: PAGE,
      ...defined({ afterNumber: after }),
    })
    for (const evaluation of page.evaluations) {
      const { unitAtMs } = evaluation
      if (evaluation.version === version && unitAtMs >= fromMs && unitAtMs < toMs) sample.push(evaluation)
    }
    after = page.nextAfter
    if (after === undefined || sample.length >= BREAKDOWN_SAMPLE_MAX) break
  }
  return sample.slice(0, BREAKDOWN_SAMPLE_MAX)
}

/** Of an attribute that is a list, the first. */
function groupOf(by: string, view: SpanView): string | undefined {
  if (by === 'model') return spanLabels(view.toSpan())['model']
  return fieldTexts(by === 'service' ? 'service_name' : by, view)[0]
}

class Tally {
  count = 0
  failed = 0
  readonly #verdicts = { pass: 0, fail: 0 }
  #values = 0
  #sum = 0

  add({ status, output, verdict }: StoredEvaluation, property: string): void {
    this.count++
    if (verdict === 'pass' || verdict === 'fail') this.#verdicts[verdict]++
    if (isFailure(status)) this.failed++
    const value = output?.[property]
    if (status !== 'scored' || (typeof value !== 'number' && typeof value !== 'boolean')) return
    this.#values++
    this.#sum += Number(value)
  }

  merge(other: Tally): void {
    this.count += other.count
    this.failed += other.failed
    this.#verdicts.pass += other.#verdicts.pass
    this.#verdicts.fail += other.#verdicts.fail
    this.#values += other.#values
    this.#sum += other.#sum
  }

  toGroup(value: string | undefined): BreakdownGroup {
    const mean = this.#sum / this.#values
    return {
      ...defined({ value }),
      count: this.count,
      ...(Number.isFinite(mean) ? { mean } : {}),
      failed: this.failed,
      verdicts: { ...this.#verdicts },
    }
  }
}

function toBreakdown(tallies: ReadonlyMap<string | undefined, Tally>, sampled: number): Breakdown {
  const sorted = [...tallies].sort(([, left], [, right]) => right.count - left.count)
  const groups = sorted.slice(0, BREAKDOWN_GROUPS_MAX).map(([value, tally]) => tally.toGroup(value))
  if (sorted.length <= BREAKDOWN_GROUPS_MAX) return { groups, sampled }
  const rest = new Tally()
  for (const [, tally] of sorted.slice(BREAKDOWN_GROUPS_MAX)) rest.merge(tally)
  return { groups, rest: rest.toGroup(undefined), sampled }
}
