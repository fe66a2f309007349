import type { UnitOutcome } from '../../domain/evaluation.ts'

/** What an evaluation says, as it is stored. */
export interface OutcomeColumns {
  /** What filters compare: the first number or boolean of the output, in the order of its schema. */
  readonly value: number | null
  readonly output: string | null
  readonly errorMessage: string | null
  readonly sessionId: string | null
  readonly judgement: string | null
}

/** An outcome as it is stored. */
export function toOutcomeColumns(outcome: UnitOutcome): OutcomeColumns {
  return {
    value: firstValue(outcome) ?? null,
    output: outcome.output === undefined ? null : JSON.stringify(outcome.output),
    errorMessage: outcome.errorMessage ?? null,
    sessionId: outcome.sessionId ?? null,
    judgement: outcome.judgement === undefined ? null : JSON.stringify(outcome.judgement),
  }
}

function firstValue({ output = {} }: UnitOutcome): number | undefined {
  const first = Object.values(output).find((value) => typeof value === 'number' || typeof value === 'boolean')
  return first === undefined ? undefined : Number(first)
}
