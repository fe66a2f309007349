import * as z from 'zod'
import type { FieldType, SchemaField } from '../../domain/evaluator.ts'

/** The fields of an object schema, in the flat form that setups show. */
export function schemaFields(schema: z.ZodObject): SchemaField[] {
  return Object.entries(schema.shape).map(([name, field]) => {
    const json = z.toJSONSchema(field as z.ZodType, { io: 'input' })
    return {
      name,
      type: fieldType(json),
      description: json.description ?? '',
      label: labelOf(name),
      ...(json.enum ? { enumValues: json.enum.map(String) } : {}),
    }
  })
}

// A value that may be text or something richer is shown as text, its form on the wire that always works.
function fieldType(json: { type?: unknown; enum?: unknown }): FieldType {
  if (json.enum) return 'enum'
  switch (json.type) {
    case 'integer':
      return 'int'
    case 'number':
      return 'float'
    case 'boolean':
      return 'boolean'
    default:
      return 'string'
  }
}

const ABBREVIATIONS = /\b(api|csv|html|http|id|json|llm|pii|sql|url)\b/g

/** `trajectory_prompts` is shown as `Trajectory prompts`, `has_pii` as `Has PII`. */
export function labelOf(name: string): string {
  const words = name
    .replaceAll(/[_-]+/g, ' ')
    .trim()
    .replaceAll(ABBREVIATIONS, (word) => word.toUpperCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}
