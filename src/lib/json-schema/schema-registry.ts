import { documentDialect, embeddedResourceDialect, standardDialect } from './dialects.ts'
import { hasKey, isObject, type JsonObject } from './json-value.ts'
import { subschemasOf } from './keyword-shapes.ts'
import { pointerStep, schemaFault } from './schema-fault.ts'
import type { Dialect, Keyword, Resource, SchemaNode } from './schema-model.ts'
import { resolveUri, splitFragment } from './uri-reference.ts'

/** The schemas of a document and of the metaschemas it refers to, each at its place and findable by its URI. */
export interface SchemaRegistry {
  /** Every schema object found so far; grows while references are resolved. */
  readonly nodes: Map<JsonObject, SchemaNode>
  readonly resources: Map<string, Resource>
}

/** An empty registry. */
export function newRegistry(): SchemaRegistry {
  return { nodes: new Map(), resources: new Map() }
}

/**
 * Finds all schemas of a document, with their identifiers and anchors, and checks the form of their keywords. A broken
 * one is a 400 that names its place. `place` stands before all pointers in messages.
 */
export function addDocument(
  registry: SchemaRegistry,
  document: JsonObject,
  uri: string,
  place = '',
): Resource {
  const resource = newResource(uri, documentDialect(document), document)
  const node = addSchema(registry, document, { resource, pointer: place, depth: 0, isDocument: true })
  registry.resources.set(uri, node.resource)
  return node.resource
}

/** The keywords of a schema that count in its dialect, in the order of checking. */
export function activeKeywords(schema: JsonObject, dialect: Dialect): Keyword[] {
  const keywords = [...dialect.keywords.values()].filter(({ name }) => hasKey(schema, name))
  if (!refHidesSiblings(schema, dialect)) return keywords
  // Definitions stay, hidden or not: they assert nothing, and references look for the identifiers in them.
  return keywords.filter(({ name }) => name === '$ref' || name === 'definitions')
}

/** Where a schema was found. */
export interface Surroundings {
  readonly resource: Resource
  readonly pointer: string
  readonly depth: number
  readonly isDocument?: boolean
}

/** Adds a schema and all schemas inside it, unless it is known already. */
export function addSchema(registry: SchemaRegistry, schema: JsonObject, around: Surroundings): SchemaNode {
  const known = registry.nodes.get(schema)
  if (known) return known
  const resource = resourceOf(registry, schema, around)
  const node: SchemaNode = {
    schema,
    pointer: around.pointer,
    depth: around.depth,
    resource,
    isResourceRoot: around.isDocument === true || resource !== around.resource,
    appliesInPlace: [],
    check: undefined,
  }
  registry.nodes.set(schema, node)
  for (const keyword of activeKeywords(schema, resource.dialect)) addKeyword(registry, node, keyword)
  addAnchors(node)
  return node
}

function addKeyword(registry: SchemaRegistry, node: SchemaNode, keyword: Keyword): void {
  const value = node.schema[keyword.name]
  const pointer = node.pointer + pointerStep(keyword.name)
  const fault = keyword.shape(value, node.resource.dialect.draft)
  if (fault) throw schemaFault(pointer + fault.path, `must ${fault.must}`)
  if (!keyword.holds) return
  for (const [path, schema] of subschemasOf(keyword.holds, value)) {
    if (!isObject(schema)) continue
    addSchema(registry, schema, { resource: node.resource, pointer: pointer + path, depth: node.depth + 1 })
  }
}

/** The resource a schema belongs to: a new one when it has an identifier of its own. */
function resourceOf(registry: SchemaRegistry, schema: JsonObject, around: Surroundings): Resource {
  const dialect = standardDialect(schema['$schema']) ?? around.resource.dialect
  const id = schema[dialect.idKeyword]
  if (typeof id !== 'string' || refHidesSiblings(schema, dialect)) return around.resource
  const reference = splitFragment(id).uri
  // Up to draft 7 "#name" is not an identifier but an anchor.
  if (reference === '') return around.resource
  const uri = resolveUri(around.resource.uri, reference)
  if (registry.resources.has(uri)) {
    throw schemaFault(`${around.pointer}/${dialect.idKeyword}`, `is ${uri}, like another schema`)
  }
  const resource = newResource(uri, embeddedResourceDialect(schema, around.resource, around.pointer), schema)
  registry.resources.set(uri, resource)
  return resource
}

function addAnchors(node: SchemaNode): void {
  const { schema, resource } = node
  const { draft, idKeyword } = resource.dialect
  if (refHidesSiblings(schema, resource.dialect)) return
  if (draft <= 7) {
    const id = schema[idKeyword]
    const name = typeof id === 'string' ? splitFragment(id).fragment : ''
    if (name !== '') addAnchor(resource.anchors, name, node)
    return
  }
  if (typeof schema['$anchor'] === 'string') addAnchor(resource.anchors, schema['$anchor'], node)
  if (draft === 2019) {
    if (schema['$recursiveAnchor'] === true && node.isResourceRoot)
      addAnchor(resource.dynamicAnchors, '', node)
    return
  }
  const dynamicAnchor = schema['$dynamicAnchor']
  if (typeof dynamicAnchor !== 'string') return
  addAnchor(resource.anchors, dynamicAnchor, node)
  addAnchor(resource.dynamicAnchors, dynamicAnchor, node)
}

function addAnchor(anchors: Map<string, SchemaNode>, name: string, node: SchemaNode): void {
  const other = anchors.get(name)
  if (other && other !== node)
    throw schemaFault(node.pointer, `has the anchor "${name}", like ${other.pointer || 'the root'}`)
  anchors.set(name, node)
}

function refHidesSiblings(schema: JsonObject, dialect: Dialect): boolean {
  return dialect.draft <= 7 && hasKey(schema, '$ref')
}

function newResource(uri: string, dialect: Dialect, root: JsonObject): Resource {
  return { uri, dialect, root, anchors: new Map(), dynamicAnchors: new Map() }
}
