import type { AnyEvaluator } from '../evaluators/kit/define-evaluator.ts'
import {
  type EvaluatorAnswer,
  executeEvaluator,
  requireImplementation,
} from '../evaluators/kit/execute-evaluator.ts'
import type { EvaluatorPool } from './evaluator-pool.ts'

/** Texts up to this size are handled at once by cheap evaluators; what takes longer than a moment goes to a thread. */
const AT_ONCE_CHARS_MAX = 32_768

/** Runs an evaluator on one input: at once where that is cheap, otherwise in a thread with a deadline. */
export async function runEvaluator(
  pool: EvaluatorPool,
  evaluator: AnyEvaluator,
  input: unknown,
  config: unknown,
): Promise<EvaluatorAnswer> {
  requireImplementation(evaluator)
  if (evaluator.isCheap && isSmall(input)) return executeEvaluator(evaluator, input, config)
  return pool.run({ slug: evaluator.slug, input, config })
}

// Only texts are counted: cheap evaluators take nothing else, and another type is refused before any work.
function isSmall(input: unknown): boolean {
  let chars = 0
  for (const value of Object.values(Object(input))) if (typeof value === 'string') chars += value.length
  return chars <= AT_ONCE_CHARS_MAX
}
