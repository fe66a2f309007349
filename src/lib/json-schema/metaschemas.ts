import type { JsonObject } from './json-value.ts'
import { classicMetaschema } from './metaschemas-classic.ts'
import { modernMetaschemas } from './metaschemas-modern.ts'

const METASCHEMAS: ReadonlyMap<string, JsonObject> = new Map([
  ['http://json-schema.org/draft-04/schema', classicMetaschema(4)],
  ['http://json-schema.org/draft-06/schema', classicMetaschema(6)],
  ['http://json-schema.org/draft-07/schema', classicMetaschema(7)],
  ...modernMetaschemas(2019),
  ...modernMetaschemas(2020),
])

/** A metaschema of the standard by its URI without fragment: the only schemas outside a document that it may refer to. */
export function standardMetaschema(uri: string): JsonObject | undefined {
  return METASCHEMAS.get(uri)
}
