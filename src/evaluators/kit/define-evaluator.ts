import type * as z from 'zod'
import type { CanonicalField, EvaluationScope } from '../../domain/evaluator.ts'
import type { EmbeddedQuality } from '../../domain/judgement.ts'
import type { VerdictCondition, VerdictRule } from '../../domain/verdict.ts'
import type { Judge } from '../../ports/judge.ts'
import type { TextClassifier } from '../../ports/text-classifier.ts'

type Shape = z.ZodObject

/** A call of an evaluator and what it answers; shown in the docs and run as the first tests. */
export interface EvaluatorExample<Input extends Shape, Config extends Shape, Output extends Shape> {
  /** A statement in the present tense, for example `counts an emoji as one`. */
  readonly name: string
  readonly input: z.input<Input>
  readonly config?: z.input<Config>
  readonly output: z.output<Output>
}

/**
 * One evaluator, said once. Validation, the schemas that setups show, OpenAPI, docs, examples and the default mapping
 * from spans are all derived from this.
 */
export interface EvaluatorDefinition<
  Input extends Shape = Shape,
  Config extends Shape = Shape,
  Output extends Shape = Shape,
> {
  readonly slug: string
  /** One sentence for the catalogue. */
  readonly summary: string
  /** How it decides: by exact rules, by detectors and models inside the process, or by asking a judge. */
  readonly method: 'exact' | 'detector' | 'judge'
  readonly input: Input
  readonly config: Config
  readonly output: Output
  /** Raised when the same input may give another answer than before; 1 when absent. */
  readonly version?: number
  /**
   * True: cheap and linear, so that a small input is evaluated at once instead of in a thread. Everything else runs
   * where it can be ended when it takes too long.
   */
  readonly isCheap?: boolean
  /** The scope unless the setup names another. */
  readonly defaultScope: EvaluationScope
  /** Where each input comes from unless the setup says otherwise; null: a span cannot give it, the user must map it. */
  readonly fromSpan: Readonly<Record<keyof z.input<Input>, CanonicalField | null>>
  /** The rule for good answers. Verdicts, guards, the direction of changes and their colours all follow from this. */
  readonly verdict: VerdictRule
  /** When a guard lets something pass, where the vendor's clients fix another rule than that of the verdict, or that is neutral. */
  readonly guard?: VerdictCondition
  readonly examples: readonly EvaluatorExample<Input, Config, Output>[]
  /**
   * The implementation, where no judge is needed. Throws `invalidInput(...)` for
   * values that no schema can refuse; it stores nothing and calls nothing outside the process.
   */
  readonly evaluate?: (call: {
    readonly input: z.output<Input>
    readonly config: z.output<Config>
  }) => z.output<Output> | Promise<z.output<Output>>
  /** Instead of `evaluate` where the user has an own model for it; see domain/own-model.ts. */
  readonly evaluateWith?: (call: {
    readonly input: z.output<Input>
    readonly config: z.output<Config>
    readonly classifier: TextClassifier
  }) => Promise<z.output<Output>>
  /** Instead of `evaluate` where a judge decides what code cannot. */
  readonly judging?: Judging<Input, Config, Output>
}

/** The two ways of judging: with a language model, and without one. */
export interface Judging<Input extends Shape, Config extends Shape, Output extends Shape> {
  /**
   * Decides in code what code can decide and asks the judge the rest, item by item. Lets every `NoVerdict` through: no
   * verdict is an answer of its own and never a score.
   */
  readonly ask: (call: {
    readonly input: z.output<Input>
    readonly config: z.output<Config>
    readonly judge: Judge
  }) => Promise<z.output<Output>>
  /** The same without any provider, in the process; absent where nothing sensible can be said without a language model. */
  readonly embedded?: (call: {
    readonly input: z.output<Input>
    readonly config: z.output<Config>
  }) => z.output<Output> | Promise<z.output<Output>>
  /** How good `embedded` was measured to be; absent: unmeasured, so that no monitor scores with it by itself. */
  readonly embeddedQuality?: EmbeddedQuality
  /** The model that the config asks for instead of the configured judge. */
  readonly modelOf?: (config: z.output<Config>) => string | undefined
}

/** Checks a definition's types against each other; returns it as it is. */
export function defineEvaluator<Input extends Shape, Config extends Shape, Output extends Shape>(
  definition: EvaluatorDefinition<Input, Config, Output>,
): EvaluatorDefinition<Input, Config, Output> {
  return definition
}

/** Any evaluator, where its own types do not matter. Registries hold these. */
// biome-ignore lint/suspicious/noExplicitAny: the schemas of one definition belong together but differ between definitions.
export type AnyEvaluator = EvaluatorDefinition<any, any, any>
