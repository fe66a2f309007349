import { hasKey, isObject, type JsonObject } from './json-value.ts'
import { KEYWORDS } from './keyword-table.ts'
import { quoted, schemaFault } from './schema-fault.ts'
import type { Dialect, Draft, Resource, Vocabulary } from './schema-model.ts'

/** The draft of a schema without `$schema`. */
const DEFAULT_DRAFT: Draft = 2020

const DRAFTS: ReadonlyMap<string, Draft> = new Map([
  ['json-schema.org/draft-04/schema', 4],
  ['json-schema.org/draft-06/schema', 6],
  ['json-schema.org/draft-07/schema', 7],
  ['json-schema.org/draft/2019-09/schema', 2019],
  ['json-schema.org/draft/2020-12/schema', 2020],
])

/** A vocabulary of the standard, as `$vocabulary` names it. */
const VOCABULARY_URI = /^https:\/\/json-schema\.org\/draft\/(2019-09|2020-12)\/vocab\/([a-z-]+)$/

const DIALECTS = new Map<Draft, Dialect>(
  [...DRAFTS.values()].map((draft) => [draft, dialectWith(draft, () => true)]),
)

/** The dialect that a standard `$schema` names, with http or https and with or without an empty fragment. */
export function standardDialect(schemaUri: unknown): Dialect | undefined {
  if (typeof schemaUri !== 'string') return undefined
  const draft = DRAFTS.get(schemaUri.replace(/^https?:\/\//, '').replace(/#$/, ''))
  return draft === undefined ? undefined : DIALECTS.get(draft)
}

/** The dialect of a whole document; a 400 that names the `$schema` when it is unknown. */
export function documentDialect(document: JsonObject): Dialect {
  if (!hasKey(document, '$schema')) return defaultDialect()
  const uri = document['$schema']
  if (typeof uri !== 'string') throw schemaFault('/$schema', 'must be a string')
  const dialect = standardDialect(uri) ?? embeddedDialect(document, uri)
  if (!dialect) throw unknownDialect('', uri)
  return dialect
}

/** The dialect of a part of a document that has an `$id`: its own `$schema` decides, or else what stands around it. */
export function embeddedResourceDialect(schema: JsonObject, around: Resource, pointer: string): Dialect {
  const uri = schema['$schema']
  const dialect = standardDialect(uri)
  if (dialect || typeof uri !== 'string') return dialect ?? around.dialect
  if (around.root['$schema'] === uri) return around.dialect
  throw unknownDialect(pointer, uri)
}

function unknownDialect(pointer: string, uri: string): Error {
  return schemaFault(
    `${pointer}/$schema`,
    `names ${quoted(uri)}, which is not a draft from 4 to 2020-12 (remote schemas are never fetched)`,
  )
}

function defaultDialect(): Dialect {
  return DIALECTS.get(DEFAULT_DRAFT) ?? dialectWith(DEFAULT_DRAFT, () => true)
}

/** The dialect of a metaschema that the document brings along, as its root or among its definitions. */
function embeddedDialect(document: JsonObject, uri: string): Dialect | undefined {
  const wanted = uri.replace(/#$/, '')
  const candidates = [document, ...membersOf(document['$defs']), ...membersOf(document['definitions'])]
  const metaschema = candidates.find(
    (candidate) => isObject(candidate) && String(candidate['$id']).replace(/#$/, '') === wanted,
  )
  if (!isObject(metaschema)) return undefined
  const vocabularies = isObject(metaschema['$vocabulary']) ? metaschema['$vocabulary'] : undefined
  const base = standardDialect(metaschema['$schema'])
  return vocabularies ? dialectOfVocabularies(vocabularies, base?.draft) : (base ?? defaultDialect())
}

function dialectOfVocabularies(vocabularies: JsonObject, givenDraft: Draft | undefined): Dialect {
  const known = new Set<string>(['core'])
  let draft = givenDraft
  for (const [uri, isRequired] of Object.entries(vocabularies)) {
    const [, year, name = ''] = VOCABULARY_URI.exec(uri) ?? []
    if (year === undefined || name === 'format-assertion') {
      if (isRequired === false) continue
      throw schemaFault('/$schema', `requires the vocabulary ${quoted(uri)}, which is not supported`)
    }
    draft ??= year === '2019-09' ? 2019 : 2020
    known.add(name.replace('format-annotation', 'format'))
    // 2019-09 has no vocabulary of its own for these.
    if (year === '2019-09' && name === 'applicator') known.add('unevaluated')
  }
  return dialectWith(draft ?? DEFAULT_DRAFT, (vocabulary) => known.has(vocabulary))
}

function dialectWith(draft: Draft, hasVocabulary: (vocabulary: Vocabulary) => boolean): Dialect {
  const keywords = KEYWORDS.filter(
    ({ from = 4, until = 2020, vocabulary }) => from <= draft && draft <= until && hasVocabulary(vocabulary),
  )
  return {
    draft,
    idKeyword: draft === 4 ? 'id' : '$id',
    keywords: new Map(keywords.map((keyword) => [keyword.name, keyword])),
  }
}

function membersOf(value: unknown): unknown[] {
  return isObject(value) ? Object.values(value) : []
}
