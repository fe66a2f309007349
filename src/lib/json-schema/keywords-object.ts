import { hasProperty } from './evaluated-parts.ts'
import { hasKey, isObject, type JsonObject } from './json-value.ts'
import { spend } from './run.ts'
import type { Check, Site } from './schema-model.ts'

/** `minProperties`. */
export function compileMinProperties(_site: Site, value: unknown): Check {
  const limit = value as number
  return (instance) => !isObject(instance) || Object.keys(instance).length >= limit
}

/** `maxProperties`. */
export function compileMaxProperties(_site: Site, value: unknown): Check {
  const limit = value as number
  return (instance) => !isObject(instance) || Object.keys(instance).length <= limit
}

/** `required`. */
export function compileRequired(_site: Site, value: unknown): Check {
  const hasAll = requirementTest(value as readonly string[])
  return (instance) => !isObject(instance) || hasAll(instance)
}

/** `dependentRequired`: a name that is there requires others. */
export function compileDependentRequired(_site: Site, value: unknown): Check {
  const rules = Object.entries(value as Record<string, string[]>).map(
    ([name, needed]) => [name, requirementTest(needed)] as const,
  )
  return (instance) => {
    if (!isObject(instance)) return true
    for (const [name, hasAll] of rules) if (hasKey(instance, name) && !hasAll(instance)) return false
    return true
  }
}

/** `dependentSchemas`: a name that is there applies a schema to the whole object. */
export function compileDependentSchemas(site: Site, value: unknown): Check {
  const rules = Object.entries(value as JsonObject).map(
    ([name, schema]) => [name, site.inPlace(schema)] as const,
  )
  return (instance, run, seen) => {
    if (!isObject(instance)) return true
    spend(run, rules.length)
    for (const [name, check] of rules) if (hasKey(instance, name) && !check(instance, run, seen)) return false
    return true
  }
}

/** `dependencies` up to draft 7: both of the above under one name. */
export function compileDependencies(site: Site, value: unknown): Check {
  const entries = Object.entries(value as JsonObject)
  const isNameList = ([, rule]: [string, unknown]) => Array.isArray(rule)
  const required = compileDependentRequired(site, Object.fromEntries(entries.filter(isNameList)))
  const schemas = Object.fromEntries(entries.filter((entry) => !isNameList(entry)))
  const dependent = compileDependentSchemas(site, schemas)
  return (instance, run, seen) => required(instance, run, seen) && dependent(instance, run, seen)
}

/** `propertyNames`: each name, as a string. */
export function compilePropertyNames(site: Site, value: unknown): Check {
  const check = site.inside(value)
  return (instance, run) => {
    if (!isObject(instance)) return true
    for (const name in instance) {
      spend(run, 1)
      if (!check(name, run, undefined)) return false
    }
    return true
  }
}

/** `unevaluatedProperties`: the properties that no other keyword has looked at. */
export function compileUnevaluatedProperties(site: Site, value: unknown): Check {
  const check = site.inside(value)
  return (instance, run, seen) => {
    if (!isObject(instance) || !seen) return true
    for (const name in instance) {
      spend(run, 1)
      if (!hasProperty(seen, name) && !check(instance[name], run, undefined)) return false
    }
    seen.allProperties = true
    return true
  }
}

function requirementTest(names: readonly string[]): (instance: JsonObject) => boolean {
  // Reading is faster than asking, and only the names that every object inherits need the question.
  const plain = names.filter((name) => !(name in Object.prototype))
  const inherited = names.filter((name) => name in Object.prototype)
  return (instance) => {
    for (const name of plain) if (instance[name] === undefined) return false
    for (const name of inherited) if (!hasKey(instance, name)) return false
    return true
  }
}
