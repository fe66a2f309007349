import type { CustomEvaluator } from '../../domain/custom-evaluator.ts'
import type { CanonicalField } from '../../domain/evaluator.ts'
import { NoVerdict } from '../../domain/no-verdict.ts'
import type { Principal } from '../../domain/tenant.ts'
import { type Verdict, verdictOf } from '../../domain/verdict.ts'
import { customEvaluatorOf } from '../../evaluators/kit/custom-evaluator.ts'
import { compileSpanInputs, type Mapping, type ReadableSpan } from '../../evaluators/kit/span-inputs.ts'
import { asTheyEnd } from '../../lib/as-they-end.ts'
import { FairRoom } from '../../lib/fair-room.ts'
import { PublicError } from '../../lib/public-error.ts'
import type { EvaluationAnswer } from './execute-evaluation.ts'
import type { TryEvaluation } from './try-evaluation.ts'

/** Evaluations of one trial that are under way at the same time. */
const AT_ONCE_MAX = 4
/** Trials under way in this process, shared fairly by projects. */
const TRIALS_MAX = 8

/** A row of a trial: inputs as they are, or a stored unit to take them from. */
export type TrialSource =
  | { readonly input: Readonly<Record<string, unknown>> }
  | { readonly read: () => Promise<{ readonly from: ReadableSpan } | { readonly reason: string }> }

/** One or two evaluators and the rows that each is tried on. */
export interface TrialPlan {
  readonly who: Principal
  readonly candidates: readonly CustomEvaluator[]
  readonly rows: readonly TrialSource[]
  /** By the name of an input: the field it is taken from, where its name does not tell. */
  readonly fields: Readonly<Record<string, CanonicalField>>
  readonly signal: AbortSignal
}

/** The outcome of one candidate on one row. */
export interface TrialResult {
  readonly row: number
  readonly candidate: number
  readonly durationMs: number
  readonly outcome: (EvaluationAnswer & { readonly verdict: Verdict }) | { readonly problem: string }
}

/**
 * Tries evaluators on many rows and stores nothing but what it costs. The first evaluation that the budget does not allow ends the
 * trial, because every later one would be refused as well.
 */
export class Trials {
  readonly #tryEvaluation: TryEvaluation
  readonly #room = new FairRoom<string>(TRIALS_MAX)

  constructor(tryEvaluation: TryEvaluation) {
    this.#tryEvaluation = tryEvaluation
  }

  /** The results in the order of their ends; throws at once when too many trials are under way. */
  run(plan: TrialPlan): AsyncGenerator<TrialResult, void, void> {
    if (!this.#room.has(plan.who.projectId, 1))
      throw new PublicError('overloaded', 'too many trials are under way; try again when one has ended')
    return this.#results(plan)
  }

  async *#results(plan: TrialPlan): AsyncGenerator<TrialResult, void, void> {
    const { projectId } = plan.who
    // Taken here and not before: a generator that is never read ends nothing.
    this.#room.take(projectId, 1)
    const ending = { isNear: false }
    try {
      for await (const result of asTheyEnd(this.#tasks(plan, ending), AT_ONCE_MAX)) yield result
    } finally {
      ending.isNear = true
      this.#room.leave(projectId, 1)
    }
  }

  *#tasks(plan: TrialPlan, ending: { isNear: boolean }): Generator<() => Promise<TrialResult>> {
    const readers = plan.candidates.map((custom) => inputReader(custom, plan.fields))
    for (const [row, source] of plan.rows.entries()) {
      for (const [candidate, custom] of plan.candidates.entries()) {
        if (ending.isNear || plan.signal.aborted) return
        yield async () => {
          const startedAt = performance.now()
          const outcome = await this.#outcome(plan, custom, source, readers[candidate] as InputReader, ending)
          return { row, candidate, durationMs: performance.now() - startedAt, outcome }
        }
      }
    }
  }

  async #outcome(
    { who, signal }: TrialPlan,
    custom: CustomEvaluator,
    source: TrialSource,
    readInput: InputReader,
    ending: { isNear: boolean },
  ): Promise<TrialResult['outcome']> {
    try {
      const found = 'input' in source ? source : readInput(await source.read())
      if ('problem' in found) return found
      const answer = await this.#tryEvaluation(who, custom, found.input, signal)
      return { ...answer, verdict: verdictOf(custom.verdict, answer.output as never) }
    } catch (error) {
      if (!(error instanceof PublicError)) throw error
      if (error instanceof NoVerdict && error.reason === 'over_budget') ending.isNear = true
      return { problem: error.message }
    }
  }
}

type InputReader = (
  unit: { readonly from: ReadableSpan } | { readonly reason: string },
) => { readonly input: Readonly<Record<string, unknown>> } | { readonly problem: string }

function inputReader(custom: CustomEvaluator, fields: TrialPlan['fields']): InputReader {
  const evaluator = customEvaluatorOf(custom)
  const mapping: Mapping = Object.fromEntries(
    Object.entries({ ...evaluator.fromSpan, ...fields }).flatMap(([name, field]) =>
      field === null || !Object.hasOwn(evaluator.fromSpan, name) ? [] : [[name, { from: { field } }]],
    ),
  )
  const inputs = compileSpanInputs(evaluator, mapping)
  return (unit) => {
    if ('reason' in unit) return { problem: unit.reason }
    const found = inputs.read(unit.from)
    return 'input' in found ? found : { problem: `this row has no ${found.missing.join(', ')}` }
  }
}
