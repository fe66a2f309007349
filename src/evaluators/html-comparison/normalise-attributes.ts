import type { Token } from 'parse5'

/**
 * The attributes of an element as a list in which only meaning is left: sorted by name, one entry per class whatever
 * their order and number, no white space around the declarations of a style. Other values count as they are.
 */
export function normaliseAttributes(attributes: readonly Token.Attribute[]): string[] {
  const entries: string[] = []
  for (const { prefix, name, value } of attributes) {
    const fullName = prefix ? `${prefix}:${name}` : name
    if (fullName === 'class') for (const entry of classEntries(value)) entries.push(entry)
    else entries.push(`${fullName}=${fullName === 'style' ? normaliseStyle(value) : value}`)
  }
  return entries.sort()
}

function* classEntries(value: string): Generator<string> {
  for (const name of new Set(value.split(/[ \t\n\f\r]+/))) if (name !== '') yield `class ${name}`
}

/**
 * Trims declarations and drops empty ones; their order stays, for a later one wins over an earlier one. A semicolon
 * inside a string or a URL is taken for a separator too, which does no harm: both documents are read the same way.
 */
function normaliseStyle(value: string): string {
  return value
    .split(';')
    .map((declaration) => {
      const colon = declaration.indexOf(':')
      if (colon < 0) return declaration.trim()
      return `${declaration.slice(0, colon).trim()}:${declaration.slice(colon + 1).trim()}`
    })
    .filter((declaration) => declaration !== '')
    .join(';')
}
