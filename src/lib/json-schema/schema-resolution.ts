import { hasKey, isObject } from './json-value.ts'
import { standardMetaschema } from './metaschemas.ts'
import { pointerStep, quoted, schemaFault } from './schema-fault.ts'
import type { Resource, SchemaNode, Target } from './schema-model.ts'
import { addDocument, addSchema, type SchemaRegistry } from './schema-registry.ts'
import { resolveUri, splitFragment } from './uri-reference.ts'

/**
 * The schema that a reference means, in the document itself or in a metaschema of the standard. Nothing is ever fetched:
 * anything else is a 400 that names the URI.
 */
export function resolveReference(
  registry: SchemaRegistry,
  from: SchemaNode,
  keyword: string,
  reference: string,
): Target {
  const { uri: relative, fragment } = splitFragment(reference)
  const uri = resolveUri(from.resource.uri, relative)
  const target = findSchema(registry, from.resource, uri, fragment)
  if (target !== undefined) return target
  const wanted = fragment === '' ? uri : `${uri}#${fragment}`
  throw schemaFault(
    from.pointer + pointerStep(keyword),
    `refers to ${quoted(wanted)}, which is not a schema in this document (remote schemas are never fetched)`,
  )
}

function findSchema(
  registry: SchemaRegistry,
  from: Resource,
  uri: string,
  fragment: string,
): Target | undefined {
  const resource = uri === from.uri ? from : (registry.resources.get(uri) ?? loadMetaschema(registry, uri))
  const decoded = decodeFragment(fragment)
  if (!resource || decoded === undefined) return undefined
  if (decoded !== '' && !decoded.startsWith('/')) return resource.anchors.get(decoded)
  return followPointer(registry, resource, decoded)
}

function loadMetaschema(registry: SchemaRegistry, uri: string): Resource | undefined {
  const document = standardMetaschema(uri)
  return document && addDocument(registry, document, uri, uri)
}

function decodeFragment(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return undefined
  }
}

/** Walks a JSON Pointer. A value outside the known places of schemas becomes a schema when it is referred to. */
function followPointer(registry: SchemaRegistry, resource: Resource, pointer: string): Target | undefined {
  let value: unknown = resource.root
  let nearest = registry.nodes.get(resource.root)
  let path = ''
  for (const step of pointer.split('/').slice(1)) {
    value = memberAt(value, step.replaceAll('~1', '/').replaceAll('~0', '~'))
    if (value === undefined) return undefined
    const node = isObject(value) ? registry.nodes.get(value) : undefined
    path = node ? '' : `${path}/${step}`
    nearest = node ?? nearest
  }
  if (typeof value === 'boolean') return value
  if (!isObject(value) || !nearest) return undefined
  if (nearest.schema === value) return nearest
  return addSchema(registry, value, {
    resource: nearest.resource,
    pointer: nearest.pointer + path,
    depth: nearest.depth + 1,
  })
}

function memberAt(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return /^(0|[1-9]\d*)$/.test(key) ? value[Number(key)] : undefined
  return isObject(value) && hasKey(value, key) ? value[key] : undefined
}
