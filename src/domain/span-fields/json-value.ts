import { attributeText } from '../../lib/otlp/span.ts'
import { JSON_DEPTH_MAX } from '../../lib/strict-json.ts'

/** An object of JSON or a map of an attribute. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Whether a value is an object with names, so neither null, nor a list, nor bytes. */
export function isObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
  )
}

/**
 * The list or object that a value is or that its text holds; any other value as it is. A list or object nested so deeply
 * that writing it again could exhaust the stack counts as absent.
 */
export function structureOf(value: unknown): unknown {
  if (typeof value === 'string') return parseStructure(value) ?? value
  if (typeof value !== 'object' || value === null) return value
  return isShallow(value) ? value : undefined
}

/** Like structureOf, but also for a text in JSON's quotes and for null: some senders write every value as JSON. */
export function jsonOf(value: unknown): unknown {
  if (value === 'null') return null
  if (typeof value === 'string' && value.startsWith('"')) {
    const parsed = tryParse(value)
    return typeof parsed === 'string' ? parsed : value
  }
  return structureOf(value)
}

/** The list or object that a text holds, else undefined. */
export function parseStructure(text: string): object | undefined {
  // Most texts are prose; a look at the first character saves the exception of a failed parse.
  if (!/^\s*[[{]/.test(text)) return undefined
  const parsed = tryParse(text)
  return typeof parsed === 'object' && parsed !== null && isShallow(parsed) ? parsed : undefined
}

/**
 * Whether what structureOf gave is still the text of a list or object: JSON that was cut off or broken. It is not a text
 * that somebody said, and the part that is missing could be the message that matters.
 */
export function isCutOff(structure: unknown): boolean {
  return typeof structure === 'string' && /^\s*(\[\s*[[{"\]]|\{\s*["}])/.test(structure)
}

/** The text of a scalar; undefined for everything else and for an empty text. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean'
    ? String(value)
    : undefined
}

/** The text of a scalar, the JSON text of anything else; undefined for null and for an empty text. */
export function textOrJson(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value !== 'object') return textOf(value)
  // Bytes and integers beyond 2^53 are written as everywhere else in the service.
  return isShallow(value) ? attributeText(value as Parameters<typeof attributeText>[0]) : undefined
}

/** The value of the first of several names that an object has with something other than null. */
export function firstOf(object: JsonObject, names: readonly string[]): unknown {
  for (const name of names) {
    if (Object.hasOwn(object, name) && object[name] !== null && object[name] !== undefined)
      return object[name]
  }
  return undefined
}

/** The text of the first of several names that has one. */
export function firstText(object: JsonObject, names: readonly string[]): string | undefined {
  for (const name of names) {
    const text = Object.hasOwn(object, name) ? textOf(object[name]) : undefined
    if (text !== undefined) return text
  }
  return undefined
}

/** The value as a list: itself, the list that its text holds, or none. */
export function listOf(value: unknown): readonly unknown[] {
  const structure = structureOf(value)
  return Array.isArray(structure) ? structure : []
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// Bounded by its own limit, so the recursion is safe.
function isShallow(value: object, levelsLeft = JSON_DEPTH_MAX): boolean {
  if (levelsLeft === 0) return false
  if (value instanceof Uint8Array) return true
  const isChildShallow = (child: unknown) =>
    typeof child !== 'object' || child === null || isShallow(child, levelsLeft - 1)
  return Array.isArray(value)
    ? value.every(isChildShallow)
    : Object.keys(value).every((key) => isChildShallow((value as JsonObject)[key]))
}
