import { compileSafeRegex, RegexSyntaxError, RegexTimeout } from '../safe-regex/safe-regex.ts'
import { mergeParts, noParts } from './evaluated-parts.ts'
import { isNestedDeeperThan, isObject, type JsonObject } from './json-value.ts'
import { startRun } from './run.ts'
import { findEndlessSchema } from './schema-cycles.ts'
import { schemaFault } from './schema-fault.ts'
import type { Check, SchemaNode, Site } from './schema-model.ts'
import { activeKeywords, addDocument, newRegistry, type SchemaRegistry } from './schema-registry.ts'
import { resolveReference } from './schema-resolution.ts'

/** How deep arrays and objects may lie inside each other in a schema; compiling recurses this far. */
const SCHEMA_LEVELS_MAX = 400

/** True when a parsed JSON value fits the schema. Throws a 400 when finding out would take too much time or depth. */
export type Validator = (value: unknown) => boolean

interface Compilation {
  readonly registry: SchemaRegistry
  /** Whether any reference depends on the way by which it was reached; only then is the way recorded. */
  needsScope: boolean
}

/** Compiles a parsed schema into closures. A broken schema is a 400 that names the place. */
export function compileSchema(schema: unknown): Validator {
  if (typeof schema === 'boolean') return () => schema
  if (!isObject(schema)) throw schemaFault('', 'must be a schema: an object, true or false')
  if (isNestedDeeperThan(schema, SCHEMA_LEVELS_MAX)) {
    throw schemaFault('', `is nested deeper than ${SCHEMA_LEVELS_MAX} levels`)
  }
  const compilation: Compilation = { registry: newRegistry(), needsScope: false }
  const root = addDocument(compilation.registry, schema, '')
  const check = compileKnown(compilation, schema)
  // The map grows while references pull in metaschemas and odd places; its iterator follows.
  for (const node of compilation.registry.nodes.values()) compileNode(compilation, node)
  const endless = findEndlessSchema(compilation.registry.nodes.values())
  if (endless) throw schemaFault(endless.pointer, 'applies itself to the same value without end')
  return (value) => check(value, startRun(compilation.needsScope ? [root] : undefined), undefined)
}

function compileNode(compilation: Compilation, node: SchemaNode): Check {
  if (node.check) return node.check
  const site = siteOf(compilation, node)
  const checks: Check[] = []
  const lastChecks: Check[] = []
  for (const { name, compile, isLast } of activeKeywords(node.schema, node.resource.dialect)) {
    const check = compile?.(site, node.schema[name])
    if (check) (isLast ? lastChecks : checks).push(check)
  }
  let check = lastChecks.length === 0 ? allOf(checks) : withOwnParts(allOf(checks), allOf(lastChecks))
  if (node.isResourceRoot && node.depth > 0) check = insideResource(node, check)
  node.check = check
  return check
}

function siteOf(compilation: Compilation, node: SchemaNode): Site {
  const { dialect } = node.resource
  return {
    draft: dialect.draft,
    node,
    sibling: (keyword) =>
      dialect.keywords.has(keyword) && Object.hasOwn(node.schema, keyword) ? node.schema[keyword] : undefined,
    inside: (schema) => compileSubschema(compilation, schema),
    inPlace: (schema) => {
      const inner = isObject(schema) && compilation.registry.nodes.get(schema)
      if (inner) node.appliesInPlace.push(inner)
      return compileSubschema(compilation, schema)
    },
    resolve: (keyword, reference) => {
      if (keyword !== '$ref') compilation.needsScope = true
      return resolveReference(compilation.registry, node, keyword, reference)
    },
    pattern: (source, path) => compilePatternTest(source, node.pointer + path),
    fault: (path, problem) => schemaFault(node.pointer + path, problem),
  }
}

function compileSubschema(compilation: Compilation, schema: unknown): Check {
  if (typeof schema === 'boolean') return () => schema
  return compileKnown(compilation, schema as JsonObject)
}

function compileKnown(compilation: Compilation, schema: JsonObject): Check {
  const node = compilation.registry.nodes.get(schema)
  if (!node) throw new Error('a subschema is missing in the registry')
  return compileNode(compilation, node)
}

function allOf(checks: readonly Check[]): Check {
  const [first, second, third] = checks
  if (!first) return () => true
  if (!second) return first
  if (!third) return (value, run, seen) => first(value, run, seen) && second(value, run, seen)
  return (value, run, seen) => {
    for (const check of checks) if (!check(value, run, seen)) return false
    return true
  }
}

/** The unevaluated keywords see what their own schema has evaluated and not what stands beside it, so they start afresh. */
function withOwnParts(first: Check, last: Check): Check {
  return (value, run, seen) => {
    const parts = noParts()
    if (!first(value, run, parts) || !last(value, run, parts)) return false
    if (seen) mergeParts(seen, parts)
    return true
  }
}

function insideResource(node: SchemaNode, check: Check): Check {
  return (value, run, seen) => {
    run.scope?.push(node.resource)
    const isValid = check(value, run, seen)
    run.scope?.pop()
    return isValid
  }
}

function compilePatternTest(source: string, pointer: string): (text: string) => boolean {
  const regex = compileSafe(source, pointer)
  return (text) => {
    try {
      return regex.test(text)
    } catch (error) {
      if (error instanceof RegexTimeout)
        throw schemaFault(pointer, 'is a pattern that takes too long on this text')
      throw error
    }
  }
}

function compileSafe(source: string, pointer: string) {
  try {
    return compileSafeRegex(source, { dialect: 'ecmascript' })
  } catch (error) {
    if (!(error instanceof RegexSyntaxError)) throw error
    throw schemaFault(pointer, `is not a valid regular expression: ${error.message}`)
  }
}
