import type { EmbeddedQuality, Judgement } from '../domain/judgement.ts'
import type { Principal } from '../domain/tenant.ts'

/** A call of an evaluator whose values are known already. */
export interface EvaluationCall {
  readonly input: unknown
  readonly config?: unknown
  /** Number or id of a version of a custom evaluator; absent: the newest. Another than there is, is an invalid input. */
  readonly version?: string
}

/** What an evaluator answered, and who judged where somebody was asked. */
export interface EvaluationAnswer {
  /** The output fields of the evaluator, nothing around them. */
  readonly output: Record<string, unknown>
  readonly judgement?: Judgement
  /** How good the embedded judge was measured to be, where it was the one that judged. */
  readonly quality?: EmbeddedQuality
}

/**
 * Runs any evaluator that the caller's organization knows, by id or slug, on a call or on the bytes of an execute
 * request. Nothing is stored. Throws public errors only: not found, invalid input that names the field, `NoVerdict`;
 * everything else is a bug.
 */
export type ExecuteEvaluation = (
  who: Principal,
  name: string,
  call: EvaluationCall | Uint8Array,
  signal: AbortSignal,
) => Promise<EvaluationAnswer>
