import { CANONICAL_FIELDS, type CanonicalField } from '../../domain/evaluator.ts'

/** Names that the clients of this interface use for the same thing; the first that is there is taken. */
const SYNONYMS: readonly (readonly string[])[] = [
  ['completion', 'text', 'answer', 'response', 'output'],
  ['reference', 'ground_truth', 'context'],
  ['prompt', 'question', 'instructions', 'query', 'input'],
  ['prompts', 'trajectory_prompts'],
  ['completions', 'trajectory_completions'],
]

/**
 * Where an input of that name most likely comes from in a span. A reference is no answer and in no span, so that it
 * has to be mapped; a name that says nothing too.
 */
export function canonicalFieldOf(name: string): CanonicalField | null {
  const group = SYNONYMS.find((names) => names.includes(name)) ?? []
  const fields = CANONICAL_FIELDS.filter((field) => field === name || group[0] === field)
  return fields.find((field) => field === name) ?? fields[0] ?? null
}

/** The values with what is missing of the wanted names taken from a synonym. Nothing that was given is changed; null is not given. */
export function withSynonyms(
  wanted: readonly string[],
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const isGiven = (name: string) => Object.hasOwn(values, name) && values[name] !== null
  const completed = { ...values }
  for (const name of wanted) {
    if (isGiven(name)) continue
    const group = SYNONYMS.find((names) => names.includes(name)) ?? []
    const given = group.find(isGiven)
    if (given !== undefined) completed[name] = values[given]
  }
  return completed
}
