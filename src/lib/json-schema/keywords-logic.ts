import { mergeParts, noParts } from './evaluated-parts.ts'
import { spend } from './run.ts'
import type { Check, Site } from './schema-model.ts'

/** `allOf`. */
export function compileAllOf(site: Site, value: unknown): Check {
  const branches = compileBranches(site, value)
  return (instance, run, seen) => {
    spend(run, branches.length)
    for (const branch of branches) if (!branch(instance, run, seen)) return false
    return true
  }
}

/** `anyOf`: stops at the first success unless another keyword asks what the others have evaluated. */
export function compileAnyOf(site: Site, value: unknown): Check {
  const branches = compileBranches(site, value)
  return (instance, run, seen) => {
    spend(run, branches.length)
    let isValid = false
    for (const branch of branches) {
      const parts = seen && noParts()
      if (!branch(instance, run, parts)) continue
      if (!seen || !parts) return true
      mergeParts(seen, parts)
      isValid = true
    }
    return isValid
  }
}

/** `oneOf`: exactly one. */
export function compileOneOf(site: Site, value: unknown): Check {
  const branches = compileBranches(site, value)
  return (instance, run, seen) => {
    spend(run, branches.length)
    let isValid = false
    for (const branch of branches) {
      const parts = seen && noParts()
      if (!branch(instance, run, parts)) continue
      if (isValid) return false
      isValid = true
      if (seen && parts) mergeParts(seen, parts)
    }
    return isValid
  }
}

/** `not`: what it evaluates does not count. */
export function compileNot(site: Site, value: unknown): Check {
  const check = site.inPlace(value)
  return (instance, run) => !check(instance, run, undefined)
}

/** `if` with the `then` and `else` beside it. */
export function compileIf(site: Site, value: unknown): Check {
  const condition = site.inPlace(value)
  const whenTrue = compileOptional(site, 'then')
  const whenFalse = compileOptional(site, 'else')
  return (instance, run, seen) => {
    const parts = seen && noParts()
    if (!condition(instance, run, parts)) return whenFalse === undefined || whenFalse(instance, run, seen)
    if (seen && parts) mergeParts(seen, parts)
    return whenTrue === undefined || whenTrue(instance, run, seen)
  }
}

function compileBranches(site: Site, value: unknown): Check[] {
  return (value as readonly unknown[]).map((branch) => site.inPlace(branch))
}

function compileOptional(site: Site, keyword: string): Check | undefined {
  const schema = site.sibling(keyword)
  return schema === undefined ? undefined : site.inPlace(schema)
}
