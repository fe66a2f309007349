import { firstOf, firstText, isObject, type JsonObject, jsonOf, parseStructure } from './json-value.ts'
import { beforeCut, markCutText } from './read-cut.ts'

const TEXT_NAMES = ['content', 'page_content', 'pageContent', 'text', 'document.content', 'chunk', 'body']
const LIST_NAMES = [
  ...[
    'documents',
    'docs',
    'source_documents',
    'sourceDocuments',
    'retrieved_documents',
    'retrieved_contexts',
  ],
  ...['contexts', 'context', 'nodes', 'source_nodes', 'sourceNodes', 'matches', 'results', 'outputs'],
]

/** The texts of retrieved documents, whatever their shape; documents without a text are left out. */
export function readDocuments(value: unknown): string[] {
  const part = beforeCut(value)
  if (part !== undefined) {
    const documents = readDocuments(part)
    return documents.map((text, at) => (at === documents.length - 1 ? markCutText(text) : text))
  }
  const list = jsonOf(value)
  return (Array.isArray(list) ? list : [list]).flatMap((item) => readDocument(item) ?? [])
}

/**
 * The documents in what a chain or a retriever returned. `isRetriever` says that it can be nothing but documents; else
 * a list counts only where its elements are unmistakably documents.
 */
export function documentsIn(value: unknown, isRetriever: boolean): string[] {
  const payload = jsonOf(value)
  if (Array.isArray(payload)) {
    return isRetriever || payload.some(isUnmistakable) ? readDocuments(payload) : []
  }
  if (!isObject(payload)) return isRetriever ? readDocuments(payload) : []
  for (const name of LIST_NAMES) {
    const inner = Object.hasOwn(payload, name) ? jsonOf(payload[name]) : undefined
    if (isObject(inner) && name === 'outputs') return documentsIn(inner, isRetriever)
    if (!Array.isArray(inner)) continue
    const isOwn = isRetriever || !['outputs', 'results', 'matches', 'nodes'].includes(name)
    const documents = isOwn || inner.some(isUnmistakable) ? readDocuments(inner) : []
    if (documents.length > 0) return documents
  }
  return []
}

/** The text of one document, which may be wrapped as `{document: ...}` or `{node: ...}` or keep it in its metadata. */
export function readDocument(value: unknown): string | undefined {
  if (typeof value === 'string') return textDocument(value)
  if (!isObject(value)) return undefined
  const inner = firstOf(value, ['document', 'node', 'kwargs'])
  if (typeof inner === 'string') return inner === '' ? undefined : inner
  const document = isObject(inner) ? inner : value
  return firstText(document, TEXT_NAMES) ?? metadataText(document['metadata'])
}

/** The name that Python has for an object without a text of its own. */
const OBJECT_NAME = /^<\w+(\(| object).*>$/s

// LlamaIndex writes each node as JSON text.
function textDocument(text: string): string | undefined {
  if (text === '' || OBJECT_NAME.test(text)) return undefined
  const node = parseStructure(text)
  return (isObject(node) && isObject(node['node']) ? readDocument(node) : undefined) ?? text
}

function metadataText(value: unknown): string | undefined {
  const metadata = jsonOf(value)
  return isObject(metadata) ? firstText(metadata as JsonObject, TEXT_NAMES) : undefined
}

function isUnmistakable(value: unknown): boolean {
  if (!isObject(value)) return false
  const document = isObject(value['kwargs']) ? value['kwargs'] : value
  return ['page_content', 'pageContent', 'document.content'].some((name) => Object.hasOwn(document, name))
}
