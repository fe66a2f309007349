import type { AnyEvaluator } from './define-evaluator.ts'

/**
 * The base time budget of an exact evaluator. Usual inputs need less than a hundredth of it. The rest allows for a
 * busy machine, and for models and word lists that an evaluator loads on first use.
 */
const EXACT_MS = 5_000
/** Additional budget per byte: a megabyte adds a second. */
const EXACT_MS_PER_BYTE = 0.001

/**
 * How long one input may take before it counts as hostile; undefined where only the general limit holds. Exact evaluators take
 * time in proportion to their input; those that run models take as long as their models do, and judges as their providers.
 */
export function timeBudgetMs(
  { method }: Pick<AnyEvaluator, 'method'>,
  inputBytes: number,
): number | undefined {
  return method === 'exact' ? Math.ceil(EXACT_MS + inputBytes * EXACT_MS_PER_BYTE) : undefined
}
