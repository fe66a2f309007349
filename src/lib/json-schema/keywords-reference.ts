import type { EvaluatedParts } from './evaluated-parts.ts'
import { descend, type Run, spend } from './run.ts'
import type { Check, SchemaNode, Site } from './schema-model.ts'
import { splitFragment } from './uri-reference.ts'

/** `$ref`. */
export function compileRef(site: Site, value: unknown): Check {
  const target = site.resolve('$ref', value as string)
  if (typeof target === 'boolean') return () => target
  return compileCall(site, target)
}

/** `$recursiveRef` of 2019-09: the outermost `$recursiveAnchor` on the way here takes the place of the target. */
export function compileRecursiveRef(site: Site, value: unknown): Check {
  return compileDynamicCall(site, '$recursiveRef', value as string)
}

/** `$dynamicRef` of 2020-12: the outermost `$dynamicAnchor` of this name on the way here takes the place of the target. */
export function compileDynamicRef(site: Site, value: unknown): Check {
  return compileDynamicCall(site, '$dynamicRef', value as string)
}

function compileDynamicCall(site: Site, keyword: string, reference: string): Check {
  const target = site.resolve(keyword, reference)
  if (typeof target === 'boolean') return () => target
  const name = splitFragment(reference).fragment
  // Without a dynamic anchor at the first target it is a plain $ref.
  if (target.resource.dynamicAnchors.get(name) !== target) return compileCall(site, target)
  const levels = site.node.depth + 1
  return (instance, run, seen) => {
    const outermost = run.scope?.find((resource) => resource.dynamicAnchors.has(name))
    return call(outermost?.dynamicAnchors.get(name) ?? target, levels, instance, run, seen)
  }
}

function compileCall(site: Site, target: SchemaNode): Check {
  site.node.appliesInPlace.push(target)
  const levels = site.node.depth + 1
  return (instance, run, seen) => call(target, levels, instance, run, seen)
}

/**
 * Only references can recurse, so only they count the depth: by all the schemas around them, which is at least as much as
 * was entered since the last reference.
 */
function call(
  target: SchemaNode,
  levels: number,
  instance: unknown,
  run: Run,
  seen: EvaluatedParts | undefined,
): boolean {
  if (!target.check) throw new Error(`schema at ${target.pointer} was not compiled`)
  spend(run, 1)
  descend(run, levels)
  run.scope?.push(target.resource)
  const isValid = target.check(instance, run, seen)
  run.scope?.pop()
  run.depth -= levels
  return isValid
}
