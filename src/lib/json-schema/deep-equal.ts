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
  let composites: Set<string> | undefined
  for (const item of items) {
    if (typeof item !== 'object' || item === null) {
      if (scalars.has(item)) return true
      scalars.add(item)
      continue
    }
    composites ??= new Set()
    const text = canonicalText(item, run)
    if (composites.has(text)) return true
    composites.add(text)
  }
  return false
}

/** Text that equal values share and different ones do not. Plain loops: this is the one recursion as deep as the text. */
function canonicalText(value: unknown, run: Run): string {
  if (typeof value === 'string') return JSON.stringify(value)
  // Not JSON.stringify: it writes 1e400, which is Infinity here, as null.
  if (typeof value !== 'object' || value === null) return String(value)
  descend(run, 1)
  let text = '['
  if (Array.isArray(value)) {
    for (const item of value) text += `${canonicalText(item, run)},`
  } else {
    text = '{'
    const object = value as JsonObject
    for (const key of Object.keys(object).sort()) {
      text += `${JSON.stringify(key)}:${canonicalText(object[key], run)},`
    }
  }
  run.depth--
  spend(run, 1 + Math.floor(text.length / CHARS_PER_STEP))
  return text
}
