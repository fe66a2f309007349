import { hasDuplicates } from './deep-equal.ts'
import { addItem, addItemsBefore, hasItem } from './evaluated-parts.ts'
import { spend } from './run.ts'
import type { Check, Site } from './schema-model.ts'

/** `minItems`. */
export function compileMinItems(_site: Site, value: unknown): Check {
  const limit = value as number
  return (instance) => !Array.isArray(instance) || instance.length >= limit
}

/** `maxItems`. */
export function compileMaxItems(_site: Site, value: unknown): Check {
  const limit = value as number
  return (instance) => !Array.isArray(instance) || instance.length <= limit
}

/** `uniqueItems`. */
export function compileUniqueItems(_site: Site, value: unknown): Check | undefined {
  if (value !== true) return undefined
  return (instance, run) => !Array.isArray(instance) || !hasDuplicates(instance, run)
}

/** `prefixItems`, and `items` with an array up to 2019-09: one schema for each of the first items. */
export function compileTuple(site: Site, value: unknown): Check {
  const checks = (value as readonly unknown[]).map((schema) => site.inside(schema))
  return (instance, run, seen) => {
    if (!Array.isArray(instance)) return true
    const end = Math.min(checks.length, instance.length)
    spend(run, end)
    for (let index = 0; index < end; index++) {
      if (!checks[index]?.(instance[index], run, undefined)) return false
    }
    if (seen) addItemsBefore(seen, end)
    return true
  }
}

/** `items` of 2020-12: all items after those of `prefixItems`. */
export function compileItems(site: Site, value: unknown): Check {
  const prefix = site.sibling('prefixItems')
  return compileItemsFrom(site, value, Array.isArray(prefix) ? prefix.length : 0)
}

/** `items` up to 2019-09: a schema for all items, or an array of them for the first ones. */
export function compileItemsOrTuple(site: Site, value: unknown): Check {
  return Array.isArray(value) ? compileTuple(site, value) : compileItemsFrom(site, value, 0)
}

/** `additionalItems`: the items after those of an `items` array; without one it means nothing. */
export function compileAdditionalItems(site: Site, value: unknown): Check | undefined {
  const tuple = site.sibling('items')
  return Array.isArray(tuple) ? compileItemsFrom(site, value, tuple.length) : undefined
}

/** `contains` with the `minContains` and `maxContains` beside it. */
export function compileContains(site: Site, value: unknown): Check {
  const check = site.inside(value)
  const atLeast = Number(site.sibling('minContains') ?? 1)
  const atMost = Number(site.sibling('maxContains') ?? Number.POSITIVE_INFINITY)
  // 2019-09 does not count what contains has found as evaluated.
  const isCollecting = site.draft >= 2020
  return (instance, run, seen) => {
    if (!Array.isArray(instance)) return true
    spend(run, instance.length)
    let found = 0
    for (let index = 0; index < instance.length; index++) {
      if (!check(instance[index], run, undefined)) continue
      found++
      if (found > atMost) return false
      if (seen && isCollecting) addItem(seen, index)
      else if (found >= atLeast && atMost === Number.POSITIVE_INFINITY) return true
    }
    return found >= atLeast
  }
}

/** `unevaluatedItems`: the items that no other keyword has looked at. */
export function compileUnevaluatedItems(site: Site, value: unknown): Check {
  const check = site.inside(value)
  return (instance, run, seen) => {
    if (!Array.isArray(instance) || !seen) return true
    spend(run, instance.length)
    for (let index = seen.itemsBefore; index < instance.length; index++) {
      if (!hasItem(seen, index) && !check(instance[index], run, undefined)) return false
    }
    seen.allItems = true
    return true
  }
}

function compileItemsFrom(site: Site, value: unknown, start: number): Check {
  const check = site.inside(value)
  return (instance, run, seen) => {
    if (!Array.isArray(instance)) return true
    spend(run, instance.length)
    for (let index = start; index < instance.length; index++) {
      if (!check(instance[index], run, undefined)) return false
    }
    if (seen) seen.allItems = true
    return true
  }
}
