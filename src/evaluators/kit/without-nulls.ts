import * as z from 'zod'

type Schema = z.core.$ZodType
type Definition = z.core.$ZodTypes['_zod']['def']

/**
 * The value with every field left out that is null and whose schema knows no null: clients that are written with typed models
 * send null for what they do not set. Names that the client makes up, such as those of a selector, are kept as they are: a
 * condition that vanished would let more spans match. Undefined for a value that is such a null itself; the value itself
 * where there is nothing to leave out.
 */
export function withoutNulls(schema: Schema, value: unknown): unknown {
  if (value === null) return z.safeParse(schema, null).success ? null : undefined
  if (typeof value !== 'object') return value
  const definition = (schema as z.core.$ZodTypes)._zod.def
  switch (definition.type) {
    case 'object':
      return Array.isArray(value) ? value : fieldsWithoutNulls(definition.shape, value)
    case 'array':
      return Array.isArray(value) ? itemsWithoutNulls(definition.element, value) : value
    case 'record':
      return Array.isArray(value) ? value : valuesWithoutNulls(definition.valueType, value)
    default:
      return partsOf(definition).reduce<unknown>((given, part) => withoutNulls(part, given), value)
  }
}

/** The schemas that a schema hands a value on to as it is. */
function partsOf(definition: Definition): readonly Schema[] {
  switch (definition.type) {
    case 'union':
      return definition.options
    case 'intersection':
      return [definition.left, definition.right]
    // A transformation in front of a schema: it is the schema behind it that says which fields there are.
    case 'pipe':
      return [definition.in, definition.out]
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
      return [definition.innerType]
    default:
      return []
  }
}

function fieldsWithoutNulls(shape: Readonly<Record<string, Schema>>, value: object): object {
  let changed: Record<string, unknown> | undefined
  for (const [name, field] of Object.entries(shape)) {
    if (!Object.hasOwn(value, name)) continue
    const given = (value as Record<string, unknown>)[name]
    const kept = withoutNulls(field, given)
    if (kept === given) continue
    changed ??= { ...value }
    if (kept === undefined) delete changed[name]
    else changed[name] = kept
  }
  return changed ?? value
}

function itemsWithoutNulls(element: Schema, items: readonly unknown[]): readonly unknown[] {
  const kept = items.map((item) => (item === null ? null : withoutNulls(element, item)))
  return kept.some((item, at) => item !== items[at]) ? kept : items
}

function valuesWithoutNulls(valueType: Schema, value: object): object {
  let changed: Record<string, unknown> | undefined
  for (const [name, given] of Object.entries(value)) {
    const kept = given === null ? null : withoutNulls(valueType, given)
    if (kept === given) continue
    changed ??= { ...value }
    changed[name] = kept
  }
  return changed ?? value
}
