/**
 * Whether `model_use` has a model; its value is `modelKey`. The text is searched instead of read as JSON: PostgreSQL refuses
 * to read an escaped U+0000, which a name may contain. Only the quote at the beginning of a name follows a comma or a brace.
 */
export const HAS_MODEL = "strpos(',' || substr(model_use, 2), ?) > 0"

/** A model as the text has it, up to its counts. */
export function modelKey(model: string): string {
  return `,${JSON.stringify(model)}:[`
}
