const ABBREVIATIONS = /\b(api|csv|html|http|id|json|llm|pii|sql|url)\b/g

/** What a field is called in a form, as the service itself calls it. */
export function labelOf(name: string): string {
  const words = name
    .replaceAll(/[_-]+/g, ' ')
    .trim()
    .replaceAll(ABBREVIATIONS, (word) => word.toUpperCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}
