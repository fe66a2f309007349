/**
 * The fields that have a value. An optional field is left out rather than undefined: on the wire, where undefined would be
 * nothing, and in types, which tell the two apart.
 */
export function defined<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  const found: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) found[name] = value
  return found as { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }
}
