import { isObject } from './json-value.ts'
import { pointerStep } from './schema-fault.ts'
import type { Draft, Holds, Shape, ShapeFault } from './schema-model.ts'

const TYPE_NAMES = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'])

/** Anything at all. */
export const anything: Shape = () => undefined

/** A text. */
export const text = must('be a string', (value) => typeof value === 'string')

/** `true` or `false`. */
export const flag = must('be true or false', (value) => typeof value === 'boolean')

/** A number. */
export const number = must('be a number', (value) => typeof value === 'number')

/** A limit that draft 4 writes as a flag beside another limit, and later drafts as a number. */
export const flagInDraft4: Shape = (value, draft) => (draft === 4 ? flag : number)(value, draft)

/** A divisor. */
export const positiveNumber = must(
  'be a number greater than 0',
  (value) => typeof value === 'number' && value > 0 && Number.isFinite(value),
)

/** A length or a count. */
export const count = must(
  'be a whole number, 0 or more',
  (value) => Number.isInteger(value) && Number(value) >= 0,
)

/** A list of anything. */
export const list = must('be an array', Array.isArray)

/** The values of `enum`. Later drafts only advise against an empty list. */
export const valueList: Shape = (value, draft) => {
  if (!Array.isArray(value)) return { path: '', must: 'be an array' }
  return draft === 4 && value.length === 0 ? { path: '', must: 'not be empty' } : undefined
}

/** Property names; draft 4 wants at least one. */
export const nameList: Shape = (value, draft) => {
  if (!Array.isArray(value)) return { path: '', must: 'be an array of strings' }
  const wrong = value.findIndex((name) => typeof name !== 'string')
  if (wrong !== -1) return { path: pointerStep(wrong), must: 'be a string' }
  if (new Set(value).size < value.length) return { path: '', must: 'not name a property twice' }
  return draft === 4 && value.length === 0 ? { path: '', must: 'not be empty' } : undefined
}

/** Property names by property name. */
export const namesByName = mapOf(nameList)

/** Flags by name. */
export const flagsByName = mapOf(flag)

/** The name of a type, or several. */
export const typeNames: Shape = (value) => {
  if (!Array.isArray(value)) return typeName(value, '')
  if (value.length === 0) return { path: '', must: 'not be empty' }
  if (new Set(value).size < value.length) return { path: '', must: 'not name a type twice' }
  return firstFault(value.map((name, at) => typeName(name, pointerStep(at))))
}

/** A name for `#name` references. Both drafts' alphabets; they differ in `_` and `:` only. */
export const anchorName = must(
  'be a name of letters, digits, "-", "_", "." and ":", beginning with a letter or "_"',
  (value) => typeof value === 'string' && /^[A-Za-z_][-A-Za-z0-9._:]*$/.test(value),
)

/** The URI of a schema. Names after a `#` are allowed up to draft 7 and are `$anchor` since then. */
export const identifier: Shape = (value, draft) => {
  if (typeof value !== 'string') return { path: '', must: 'be a string' }
  return draft >= 2019 && /#./.test(value)
    ? { path: '', must: 'not have a fragment; use $anchor' }
    : undefined
}

/** A schema. */
export const schema: Shape = (value, draft) => schemaAt(value, '', draft)

/** A schema, or a boolean even in draft 4. */
export const schemaOrFlag: Shape = (value) => schemaAt(value, '', 6)

/** At least one schema. */
export const schemaList: Shape = (value, draft) => {
  if (!Array.isArray(value) || value.length === 0)
    return { path: '', must: 'be a non-empty array of schemas' }
  return firstFault(value.map((item, at) => schemaAt(item, pointerStep(at), draft)))
}

/** One schema for all, or one for each. */
export const schemaOrList: Shape = (value, draft) => {
  if (!Array.isArray(value)) return schemaAt(value, '', draft)
  return firstFault(value.map((item, at) => schemaAt(item, pointerStep(at), draft)))
}

/** Schemas by name. */
export const schemaMap = mapOf(schema)

/** Schemas or property names, by property name. */
export const schemaOrNamesMap = mapOf((value, draft) =>
  Array.isArray(value) ? nameList(value, draft) : schema(value, draft),
)

/** The subschemas in a well-formed value, each with its JSON Pointer below the keyword. */
export function subschemasOf(holds: Holds, value: unknown): (readonly [path: string, schema: unknown])[] {
  if (holds === 'one' || (holds === 'oneOrList' && !Array.isArray(value))) return [['', value]]
  if (Array.isArray(value)) return value.map((item, at) => [pointerStep(at), item] as const)
  return Object.entries(value as object)
    .filter(([, item]) => !Array.isArray(item))
    .map(([name, item]) => [pointerStep(name), item] as const)
}

function must(phrase: string, accepts: (value: unknown) => boolean): Shape {
  return (value) => (accepts(value) ? undefined : { path: '', must: phrase })
}

function mapOf(shape: Shape): Shape {
  return (value, draft) => {
    if (!isObject(value)) return { path: '', must: 'be an object' }
    return firstFault(
      Object.entries(value).map(([name, item]) => {
        const fault = shape(item, draft)
        return fault && { path: pointerStep(name) + fault.path, must: fault.must }
      }),
    )
  }
}

function firstFault(faults: readonly (ShapeFault | undefined)[]): ShapeFault | undefined {
  return faults.find((fault) => fault !== undefined)
}

function typeName(value: unknown, path: string): ShapeFault | undefined {
  if (typeof value === 'string' && TYPE_NAMES.has(value)) return undefined
  return {
    path,
    must: `be one of ${[...TYPE_NAMES].join(', ')}${path === '' ? ', or an array of these' : ''}`,
  }
}

function schemaAt(value: unknown, path: string, draft: Draft): ShapeFault | undefined {
  if (isObject(value) || (draft >= 6 && typeof value === 'boolean')) return undefined
  return { path, must: draft >= 6 ? 'be a schema: an object, true or false' : 'be a schema: an object' }
}
