import { hasKey, isObject, type JsonObject } from './json-value.ts'
import { descend, type Run, spend } from './run.ts'

/** How much text counts as one step of work when it is put together. */
const CHARS_PER_STEP = 16

/** Equality of JSON values: order of keys and the writing of numbers do not matter. Recurses only as deep as `schemaValue`. */
export function deepEqual(schemaValue: unknown, value: unknown): boolean {
  if (schemaValue === value) return true
  if (Array.isArray(schemaValue)) {
    return (
      Array.isArray(value) &&
      value.length === schemaValue.length &&
      schemaValue.every((item, index) => deepEqual(item, value[index]))
    )
  }
  return isObject(schemaValue) && isObject(value) && equalObjects(schemaValue, value)
}

function equalObjects(a: JsonObject, b: JsonObject): boolean {
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length && keys.every((key) => hasKey(b, key) && deepEqual(a[key], b[key]))
  )
}

/** True when two items are equal. Linear in the size of the array: large ones are compared through their canonical text. */
export function hasDuplicates(items: readonly unknown[], run: Run): boolean {
  if (items.length < 2) return false
  const scalars = new Set<unknown>()
  const composites = new Set<string>()
  for (const item of items) {
    const isScalar = typeof item !== 'object' || item === null
    const set: Set<unknown> = isScalar ? scalars : composites
    const before = set.size
    set.add(isScalar ? item : canonicalText(item, run))
    if (set.size === before) return true
  }
  return false
}

/** Text that equal values share and different ones do not. */
function canonicalText(value: unknown, run: Run): string {
  if (typeof value === 'string') return JSON.stringify(value)
  // Not JSON.stringify: it writes 1e400, which is Infinity here, as null.
  if (typeof value !== 'object' || value === null) return String(value)
  descend(run, 1)
  const text = Array.isArray(value)
    ? `[${value.map((item) => canonicalText(item, run)).join()}]`
    : `{${Object.entries(value)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, item]) => `${JSON.stringify(key)}:${canonicalText(item, run)}`)
        .join()}}`
  run.depth--
  spend(run, 1 + Math.floor(text.length / CHARS_PER_STEP))
  return text
}
