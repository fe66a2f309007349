import type { ToolDefinition } from '../../domain/span-fields/canonical-values.ts'
import { isObject, type JsonObject } from '../../domain/span-fields/json-value.ts'

/** How deeply the values of arguments are compared with their schema. */
const DEPTH_MAX = 8

// JSON's names of types and what other senders of tool definitions write for them.
const TYPES: Readonly<Record<string, string>> = {
  string: 'string',
  str: 'string',
  text: 'string',
  integer: 'integer',
  int: 'integer',
  long: 'integer',
  number: 'number',
  float: 'number',
  double: 'number',
  boolean: 'boolean',
  bool: 'boolean',
  array: 'array',
  list: 'array',
  tuple: 'array',
  object: 'object',
  dict: 'object',
  map: 'object',
  null: 'null',
}

/**
 * A fault in the arguments of a call by the definition of its tool alone: an argument that is missing, unknown, of
 * another type or none of the allowed values. A definition without parameters says nothing about them.
 */
export function findArgumentFault(tool: ToolDefinition, args: object | string): string | undefined {
  const schema = tool.parameters
  if (!isObject(schema)) return undefined
  if (typeof args === 'string') return 'the arguments are no JSON object'
  return objectFault(schema, args as JsonObject, '', DEPTH_MAX)
}

function objectFault(schema: JsonObject, value: JsonObject, path: string, depth: number): string | undefined {
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const missing = required.find((name) => typeof name === 'string' && !Object.hasOwn(value, name))
  if (missing !== undefined) return `the required argument ${path}${missing} is missing`
  const takesOthers = schema['additionalProperties'] !== undefined && schema['additionalProperties'] !== false
  for (const [name, inner] of Object.entries(value)) {
    if (Object.hasOwn(properties, name)) {
      const fault = valueFault(properties[name], inner, `${path}${name}`, depth - 1)
      if (fault !== undefined) return fault
    } else if (!takesOthers && Object.keys(properties).length > 0) {
      return `the tool has no argument ${path}${name}`
    }
  }
  return undefined
}

function valueFault(schema: unknown, value: unknown, path: string, depth: number): string | undefined {
  if (!isObject(schema) || depth <= 0) return undefined
  const types = typesOf(schema['type'])
  const isNullable = schema['nullable'] === true || types.includes('null')
  if (value === null && isNullable) return undefined
  if (types.length > 0 && !types.some((type) => isOfType(type, value)))
    return `the argument ${path} must be of type ${types.join(' or ')}`
  const allowed = schema['enum']
  if (Array.isArray(allowed) && allowed.length > 0 && !isAmong(allowed, value))
    return `the argument ${path} must be one of ${allowed.map((one) => JSON.stringify(one)).join(', ')}`
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      const fault = valueFault(schema['items'], item, `${path}[${at}]`, depth - 1)
      if (fault !== undefined) return fault
    }
  }
  return isObject(value) && isObject(schema['properties'])
    ? objectFault(schema, value, `${path}.`, depth - 1)
    : undefined
}

/** Types that are known; one that is not, for example `any`, allows everything. */
function typesOf(type: unknown): string[] {
  const names = (Array.isArray(type) ? type : [type]).filter((name) => typeof name === 'string')
  const known = names.map((name) => TYPES[name.toLowerCase()])
  return known.includes(undefined) ? [] : known.filter((name) => name !== undefined)
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value)
    case 'number':
      return typeof value === 'number'
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    case 'null':
      return value === null
    default:
      return typeof value === type
  }
}

/** Allowed values of a list are, in definitions as they are written, those of its items. */
function isAmong(allowed: readonly unknown[], value: unknown): boolean {
  return Array.isArray(value) ? value.every((item) => allowed.includes(item)) : allowed.includes(value)
}
