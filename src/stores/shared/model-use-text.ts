import type { ModelUse, ModelUses } from '../../domain/model-use.ts'

type Counts = [
  calls: number,
  errors: number,
  countedCalls: number,
  promptTokens: number,
  completionTokens: number,
]

/** What models were used for as JSON: the counts of each, in a fixed order. */
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
  const counts = Object.entries(JSON.parse(text) as Record<string, Counts>)
  return new Map(
    counts.map(([model, [calls, errors, countedCalls, promptTokens, completionTokens]]) => [
      model,
      { calls, errors, countedCalls, promptTokens, completionTokens },
    ]),
  )
}
