import { addProperty } from './evaluated-parts.ts'
import { hasKey, isObject, type JsonObject } from './json-value.ts'
import { spend } from './run.ts'
import { pointerStep } from './schema-fault.ts'
import type { Check, Site } from './schema-model.ts'

interface PatternMember {
  readonly matches: (name: string) => boolean
  readonly check: Check
}

/**
 * `properties`, when it stands alone. Beside `patternProperties` or `additionalProperties` those check the named members
 * too, in one pass over the object, so that no name is matched twice.
 */
export function compileProperties(site: Site, value: unknown): Check | undefined {
  if (site.sibling('patternProperties') !== undefined) return undefined
  if (site.sibling('additionalProperties') !== undefined) return undefined
  const names = Object.keys(value as JsonObject)
  const checks = Object.values(value as JsonObject).map((schema) => site.inside(schema))
  // Only these can be read from an object that does not have them.
  const isInherited = names.map((name) => name in Object.prototype)
  return (instance, run, seen) => {
    if (!isObject(instance)) return true
    spend(run, names.length)
    for (let at = 0; at < names.length; at++) {
      const name = names[at] ?? ''
      const member = instance[name]
      if (member === undefined || (isInherited[at] && !hasKey(instance, name))) continue
      if (!checks[at]?.(member, run, undefined)) return false
      if (seen) addProperty(seen, name)
    }
    return true
  }
}

/** `patternProperties`, with the `properties` beside it. */
export function compilePatternProperties(site: Site): Check | undefined {
  return site.sibling('additionalProperties') === undefined ? compileMembers(site, undefined) : undefined
}

/** `additionalProperties`, with the `properties` and `patternProperties` beside it. */
export function compileAdditionalProperties(site: Site, value: unknown): Check {
  return compileMembers(site, site.inside(value))
}

function compileMembers(site: Site, additional: Check | undefined): Check {
  const named = new Map(
    Object.entries(membersOf(site, 'properties')).map(([name, schema]) => [name, site.inside(schema)]),
  )
  const patterned = Object.entries(membersOf(site, 'patternProperties')).map(
    ([source, schema]): PatternMember => ({
      matches: site.pattern(source, `/patternProperties${pointerStep(source)}`),
      check: site.inside(schema),
    }),
  )
  return (instance, run, seen) => {
    if (!isObject(instance)) return true
    for (const name in instance) {
      spend(run, 1 + patterned.length)
      const member = instance[name]
      const check = named.get(name)
      let isKnown = check !== undefined
      if (check && !check(member, run, undefined)) return false
      for (const pattern of patterned) {
        if (!pattern.matches(name)) continue
        isKnown = true
        if (!pattern.check(member, run, undefined)) return false
      }
      if (isKnown) {
        if (seen) addProperty(seen, name)
      } else if (additional && !additional(member, run, undefined)) return false
    }
    if (seen && additional) seen.allProperties = true
    return true
  }
}

function membersOf(site: Site, keyword: string): JsonObject {
  const members = site.sibling(keyword)
  return isObject(members) ? members : {}
}
