import type { SpanEvent } from '../../lib/otlp/span.ts'
import type { DialectReader, FieldOrigin } from './canonical-values.ts'
import { structureOf, textOf } from './json-value.ts'
import { readDocument } from './read-documents.ts'
import { fromEvent } from './span-source.ts'

const RESULT_EVENTS = ['db.query.result', 'db.search.result']

/**
 * Results of vector databases, one event for each document. A database that returns no documents often has their text
 * in the metadata of a match.
 */
export const vectorDb: DialectReader = {
  dialect: 'vector-db',
  speaks: (span) =>
    span.raw('db.vector.query.top_k') !== undefined ||
    span.events.some(({ name }) => RESULT_EVENTS.includes(name)),
  context(span) {
    const value: string[] = []
    const origins = new Map<string, FieldOrigin>()
    for (const event of span.events) {
      const found = RESULT_EVENTS.includes(event.name) ? documentOf(event) : undefined
      if (!found) continue
      value.push(found.text)
      origins.set(`${event.name} ${found.key}`, fromEvent(event, found.key))
    }
    return value.length > 0 ? { value, origins: [...origins.values()] } : undefined
  },
}

function documentOf(event: SpanEvent): { key: string; text: string } | undefined {
  const documentKey = `${event.name}.document`
  const text = textOf(event.attributes.get(documentKey))
  if (text !== undefined) return { key: documentKey, text }
  for (const key of [`${event.name}.metadata`, `${event.name}.entity`, `${event.name}.payload`]) {
    const inside = readDocument(asObject(event.attributes.get(key)))
    if (inside !== undefined) return { key, text: inside }
  }
  return undefined
}

// Metadata that is a bare text describes a document; it is not the document.
function asObject(value: unknown): unknown {
  const structure = structureOf(value)
  return typeof structure === 'object' ? structure : undefined
}
