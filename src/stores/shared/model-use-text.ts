import type { ModelUse, ModelUses } from '../../domain/model-use.ts'
import type { Dialect } from './sql.ts'

type Counts = [
  calls: number,
  errors: number,
  countedCalls: number,
  promptTokens: number,
  completionTokens: number,
]

/** The counts of each model, as they stand in the JSON. */
export type StoredModelUses = Readonly<Record<string, Counts>>

/** The use of models as JSON: the counts of each, in a fixed order. */
export function encodeModelUses(uses: ModelUses): string {
  return JSON.stringify(
    Object.fromEntries(
      Array.from(uses, ([model, use]) => [
        model,
        [use.calls, use.errors, use.countedCalls, use.promptTokens, use.completionTokens] satisfies Counts,
      ]),
    ),
  )
}

/** Reads what `encodeModelUses` wrote. */
export function decodeModelUses(text: string): Map<string, ModelUse> {
  return toModelUses(JSON.parse(text))
}

/** Uses whose JSON has been read already. */
export function toModelUses(stored: StoredModelUses): Map<string, ModelUse> {
  return new Map(
    Object.entries(stored).map(([model, [calls, errors, countedCalls, promptTokens, completionTokens]]) => [
      model,
      { calls, errors, countedCalls, promptTokens, completionTokens },
    ]),
  )
}

/**
 * The condition that `model_use` has a model; its value is `modelKey`. The text is searched instead of read as JSON: PostgreSQL
 * refuses to read an escaped U+0000, which a name may contain. Only the quote at the beginning of a name follows a comma or a
 * brace.
 */
export function hasModel({ contains }: Dialect): string {
  return contains("',' || substr(model_use, 2)", '?')
}

/** A model as the text has it, up to its counts. */
export function modelKey(model: string): string {
  return `,${JSON.stringify(model)}:[`
}
