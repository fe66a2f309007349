const ABBREVIATIONS = /\b(api|csv|html|http|id|json|llm|pii|sql|url)\b/g

/** The label of a field in a form, in the words that the service uses. */
export function labelOf(name: string): string {
  const words = name
    .replaceAll(/[_-]+/g, ' ')
    .trim()
    .replaceAll(ABBREVIATIONS, (word) => word.toUpperCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}
