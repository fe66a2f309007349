import type { CustomEvaluator } from '../../domain/custom-evaluator.ts'
import type { Principal } from '../../domain/tenant.ts'
import type { JudgingPool } from '../judging/judging-pool.ts'
import type { EvaluationAnswer } from './execute-evaluation.ts'

/**
 * Runs a custom evaluator that is stored nowhere, once. It is judged, paid for and kept from personal data like one that
 * is stored. Throws what executing one throws.
 */
export type TryEvaluation = (
  who: Principal,
  custom: CustomEvaluator,
  input: unknown,
  signal: AbortSignal,
) => Promise<EvaluationAnswer>

/** Tries evaluators with the judges that execute the stored ones. */
export function createTryEvaluation(judging: JudgingPool): TryEvaluation {
  return ({ orgId, projectId }, custom, input, signal) => {
    const model = { provider: custom.provider, model: custom.modelConfig.model }
    return judging.execute({ custom }, { input }, { payer: { orgId, projectId }, model }, signal)
  }
}
