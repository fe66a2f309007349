/** How many items a list of a made-up answer has. */
const LIST_ITEMS = 1

/**
 * A right answer that needs no thought, always the same for the same schema: the first value of an enum, true, 1, a short
 * text, lists of one item.
 */
export function fillSchema(schema: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(schema['enum'])) return schema['enum'][0]
  switch (schema['type']) {
    case 'object':
      return Object.fromEntries(
        Object.entries((schema['properties'] ?? {}) as Record<string, Record<string, unknown>>).map(
          ([name, property]) => [name, fillSchema(property)],
        ),
      )
    case 'array':
      return Array.from({ length: LIST_ITEMS }, () =>
        fillSchema((schema['items'] ?? { type: 'string' }) as Record<string, unknown>),
      )
    case 'boolean':
      return true
    case 'number':
    case 'integer':
      return 1
    default:
      return 'text'
  }
}

/** The same value with every number as a text, which is what careless models answer. */
export function quoteNumbers(value: unknown): unknown {
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return value.map(quoteNumbers)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, quoteNumbers(item)]))
}

/** The last line of a prompt that is the JSON schema of an object: in json mode a schema travels in the text. */
export function schemaInText(text: string): Record<string, unknown> | undefined {
  for (const line of text.split('\n').reverse()) {
    if (!line.startsWith('{') || !line.includes('"properties"')) continue
    try {
      const value = JSON.parse(line) as Record<string, unknown>
      if (value['type'] === 'object') return value
    } catch {
      // The line only looked like a schema.
    }
  }
  return undefined
}
