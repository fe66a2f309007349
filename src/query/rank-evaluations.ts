import type { ProjectTenant } from '../domain/tenant.ts'
import { isLargerWorse } from '../evaluators/worse-values.ts'
import { defined } from '../lib/defined.ts'
import type { EvaluationFilter, ResultStorage, StoredEvaluation } from '../ports/result-storage.ts'

/** Newest results among which the worst and the best are looked for. */
export const RANKED_MAX = 5_000
const PAGE = 1_000

/** The first results of an order by value, and among how many they were found. */
export interface RankedEvaluations {
  readonly evaluations: readonly StoredEvaluation[]
  readonly sampled: number
}

/** The worst or the best among the newest results that a filter leaves; of equal ones the newer first. */
export async function rankEvaluations(
  storage: ResultStorage,
  tenant: ProjectTenant,
  filter: EvaluationFilter,
  { order, limit }: { readonly order: 'worst' | 'best'; readonly limit: number },
): Promise<RankedEvaluations> {
  const sample = await sampleNewest(storage, tenant, { status: 'scored', ...filter })
  const sign = order === 'worst' ? 1 : -1
  const directions = new Map<string, number>()
  const ranked = sample.flatMap((evaluation) => {
    const goodness = goodnessOf(evaluation, directions)
    return goodness === undefined ? [] : [{ evaluation, rank: sign * goodness }]
  })
  // The sample has the newest first, and sorting leaves equal ones as they are.
  ranked.sort((left, right) => left.rank - right.rank)
  return { evaluations: ranked.slice(0, limit).map(({ evaluation }) => evaluation), sampled: sample.length }
}

async function sampleNewest(
  storage: ResultStorage,
  tenant: ProjectTenant,
  filter: EvaluationFilter,
): Promise<StoredEvaluation[]> {
  const sample: StoredEvaluation[] = []
  let after: number | undefined
  for (let pages = 0; pages < RANKED_MAX / PAGE; pages++) {
    const page = await storage.listEvaluations(tenant, filter, {
      order: 'newest',
      limit: PAGE,
      ...defined({ afterNumber: after }),
    })
    sample.push(...page.evaluations)
    after = page.nextAfter
    if (after === undefined) break
  }
  return sample
}

/** The value that filters compare, the first number or boolean of the output, turned so that more is better. */
function goodnessOf(
  { slug, output = {} }: StoredEvaluation,
  directions: Map<string, number>,
): number | undefined {
  const first = Object.entries(output).find(
    ([, value]) => typeof value === 'number' || typeof value === 'boolean',
  )
  if (!first) return undefined
  const [field, value] = first
  const key = JSON.stringify([slug, field])
  const direction = directions.get(key) ?? (isLargerWorse(slug, field) ? -1 : 1)
  directions.set(key, direction)
  return direction * Number(value)
}
