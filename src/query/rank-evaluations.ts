import type { ProjectTenant } from '../domain/tenant.ts'
import { isLargerWorse } from '../domain/verdict.ts'
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
  const ranked = sample.flatMap((evaluation) => {
    const goodness = goodnessOf(evaluation)
    return goodness === undefined ? [] : [{ evaluation, goodness }]
  })
  // The sample has the newest first, and sorting leaves equal ones as they are.
  ranked.sort(({ goodness: left }, { goodness: right }) => sign * (left[0] - right[0] || left[1] - right[1]))
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

/**
 * The number or boolean that decides the verdict, or else the first one of the output, turned so that more is better. Failures are
 * worse than everything else.
 */
function goodnessOf({
  output = {},
  verdict,
  verdictRule,
}: StoredEvaluation): readonly [passes: number, value: number] | undefined {
  const { conditions = [] } = verdictRule ?? {}
  const fields = [...conditions.map(({ field }) => field), ...Object.keys(output)]
  const field = fields.find((name) => typeof output[name] === 'number' || typeof output[name] === 'boolean')
  if (field === undefined) return undefined
  const sign = isLargerWorse({ conditions }, field) ? -1 : 1
  return [verdict === 'fail' ? 0 : 1, sign * Number(output[field])]
}
