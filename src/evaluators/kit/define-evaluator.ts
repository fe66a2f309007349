import type * as z from 'zod'
import type { CanonicalField, EvaluationScope } from '../../domain/evaluator.ts'

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
  /** What it looks at unless the setup says otherwise. */
  readonly defaultScope: EvaluationScope
  /** Where each input comes from unless the setup says otherwise; null: a span cannot give it, the user must map it. */
  readonly fromSpan: Readonly<Record<keyof z.input<Input>, CanonicalField | null>>
  readonly examples: readonly EvaluatorExample<Input, Config, Output>[]
  /**
   * The implementation. A definition without one is known to setups but cannot run yet. Throws `invalidInput(...)` for
   * values that no schema can refuse; it stores nothing and asks nobody outside the process.
   */
  readonly evaluate?: (call: {
    readonly input: z.output<Input>
    readonly config: z.output<Config>
  }) => z.output<Output> | Promise<z.output<Output>>
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
