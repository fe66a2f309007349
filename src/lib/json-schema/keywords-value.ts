import { countCodePoints } from '../count-text.ts'
import { deepEqual } from './deep-equal.ts'
import { isObject } from './json-value.ts'
import { multipleOfTest } from './multiple-of.ts'
import type { Check, Site } from './schema-model.ts'

const TYPE_TESTS: Readonly<Record<string, (value: unknown) => boolean>> = {
  array: Array.isArray,
  boolean: (value) => typeof value === 'boolean',
  // Draft 4 leaves 1.0 out, later drafts do not; a parsed number no longer shows how it was written.
  integer: Number.isInteger,
  null: (value) => value === null,
  number: (value) => typeof value === 'number',
  object: isObject,
  string: (value) => typeof value === 'string',
}

/** `type`: one name or several. */
export function compileType(_site: Site, value: unknown): Check | undefined {
  const tests = [value].flat().map((name) => TYPE_TESTS[String(name)])
  const [first, second] = tests
  if (!first) return undefined
  if (!second) return (instance) => first(instance)
  return (instance) => {
    for (const test of tests) if (test?.(instance)) return true
    return false
  }
}

/** `const`. */
export function compileConst(_site: Site, value: unknown): Check {
  if (typeof value !== 'object' || value === null) return (instance) => instance === value
  return (instance) => deepEqual(value, instance)
}

/** `enum`: scalars by look-up, the rest one by one. */
export function compileEnum(_site: Site, value: unknown): Check {
  const allowed = value as readonly unknown[]
  const scalars = new Set(allowed.filter((item) => typeof item !== 'object' || item === null))
  const composites = allowed.filter((item) => typeof item === 'object' && item !== null)
  return (instance) =>
    typeof instance === 'object' && instance !== null
      ? composites.some((item) => deepEqual(item, instance))
      : scalars.has(instance)
}

/** `multipleOf`. */
export function compileMultipleOf(_site: Site, value: unknown): Check {
  const isMultiple = multipleOfTest(value as number)
  return (instance) => typeof instance !== 'number' || isMultiple(instance)
}

/** `minimum`; in draft 4 a flag beside it makes it exclusive. */
export function compileMinimum(site: Site, value: unknown): Check {
  const limit = value as number
  return site.draft === 4 && site.sibling('exclusiveMinimum') === true
    ? (instance) => typeof instance !== 'number' || instance > limit
    : (instance) => typeof instance !== 'number' || instance >= limit
}

/** `maximum`; in draft 4 a flag beside it makes it exclusive. */
export function compileMaximum(site: Site, value: unknown): Check {
  const limit = value as number
  return site.draft === 4 && site.sibling('exclusiveMaximum') === true
    ? (instance) => typeof instance !== 'number' || instance < limit
    : (instance) => typeof instance !== 'number' || instance <= limit
}

/** `exclusiveMinimum`: a number since draft 6. */
export function compileExclusiveMinimum(site: Site, value: unknown): Check | undefined {
  if (site.draft === 4) return requireSibling(site, 'exclusiveMinimum', 'minimum')
  const limit = value as number
  return (instance) => typeof instance !== 'number' || instance > limit
}

/** `exclusiveMaximum`: a number since draft 6. */
export function compileExclusiveMaximum(site: Site, value: unknown): Check | undefined {
  if (site.draft === 4) return requireSibling(site, 'exclusiveMaximum', 'maximum')
  const limit = value as number
  return (instance) => typeof instance !== 'number' || instance < limit
}

/** `minLength`, in code points. */
export function compileMinLength(_site: Site, value: unknown): Check {
  const limit = value as number
  return (instance) => {
    if (typeof instance !== 'string') return true
    // A code point is one or two units, so most texts need no counting.
    if (instance.length < limit) return false
    return instance.length >= 2 * limit || countCodePoints(instance) >= limit
  }
}

/** `maxLength`, in code points. */
export function compileMaxLength(_site: Site, value: unknown): Check {
  const limit = value as number
  return (instance) => {
    if (typeof instance !== 'string' || instance.length <= limit) return true
    return instance.length <= 2 * limit && countCodePoints(instance) <= limit
  }
}

/** `pattern`: found anywhere in the text. */
export function compilePattern(site: Site, value: unknown): Check {
  const matches = site.pattern(value as string, '/pattern')
  return (instance) => typeof instance !== 'string' || matches(instance)
}

function requireSibling(site: Site, keyword: string, needed: string): undefined {
  if (site.sibling(needed) === undefined) throw site.fault(`/${keyword}`, `needs ${needed} beside it`)
}
