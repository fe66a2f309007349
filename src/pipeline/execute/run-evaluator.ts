import type { AnyEvaluator } from '../../evaluators/kit/define-evaluator.ts'
import { type EvaluatorAnswer, executeBody } from '../../evaluators/kit/execute-evaluator.ts'
import { timeBudgetMs } from '../../evaluators/kit/time-budget.ts'
import { defined } from '../../lib/defined.ts'
import type { CallOptions, EvaluatorPool } from './evaluator-pool.ts'

/** Bodies up to this size are handled at once by cheap evaluators; what takes longer than a moment goes to a thread. */
const AT_ONCE_BYTES_MAX = 32_768

/**
 * Runs an evaluator on the body of an execute request: at once where that is cheap, otherwise in a thread with a deadline.
 * The thread gets the bytes, because parsing 16 MiB of JSON here would hold up every request for a quarter of a second.
 */
export async function runEvaluator(
  pool: EvaluatorPool,
  evaluator: AnyEvaluator,
  body: Uint8Array,
  options: Omit<CallOptions, 'budgetMs'>,
): Promise<EvaluatorAnswer> {
  if (evaluator.isCheap && body.length <= AT_ONCE_BYTES_MAX) return executeBody(evaluator, body)
  const budgetMs = timeBudgetMs(evaluator, body.length)
  return pool.run({ slug: evaluator.slug, body }, { ...options, ...defined({ budgetMs }) })
}
