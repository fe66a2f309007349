import type { JsonObject } from './json-value.ts'

type ModernDraft = 2019 | 2020

/** The metaschemas of 2019-09 or 2020-12 by URI, one for the draft and one for each vocabulary, without titles and defaults. */
export function modernMetaschemas(draft: ModernDraft): [uri: string, metaschema: JsonObject][] {
  const vocabularies = vocabulariesOf(draft)
  const parts = Object.entries(vocabularies).map(([name, body]): [string, JsonObject] => [
    `${base(draft)}/meta/${name}`,
    { ...head(draft, `meta/${name}`, { [`${base(draft)}/vocab/${name}`]: true }), ...body },
  ])
  // Asserting formats is for metaschemas of one's own.
  const usual = Object.keys(vocabularies).filter((name) => name !== 'format-assertion')
  return [...parts, [`${base(draft)}/schema`, wholeMetaschema(draft, usual)]]
}

function base(draft: ModernDraft): string {
  return `https://json-schema.org/draft/${draft === 2019 ? '2019-09' : '2020-12'}`
}

function head(draft: ModernDraft, path: string, $vocabulary: JsonObject): JsonObject {
  return {
    $schema: `${base(draft)}/schema`,
    $id: `${base(draft)}/${path}`,
    $vocabulary,
    ...(draft === 2019 ? { $recursiveAnchor: true } : { $dynamicAnchor: 'meta' }),
    type: ['object', 'boolean'],
  }
}

/** A fresh reference to "any schema of this dialect", whichever metaschema was the way in. */
function anySchema(draft: ModernDraft): JsonObject {
  return draft === 2019 ? { $recursiveRef: '#' } : { $dynamicRef: '#meta' }
}

function schemaMap(draft: ModernDraft): JsonObject {
  return { type: 'object', additionalProperties: anySchema(draft) }
}

function wholeMetaschema(draft: ModernDraft, vocabularies: readonly string[]): JsonObject {
  const isRequired = (name: string) => draft === 2020 || name !== 'format'
  return {
    ...head(
      draft,
      'schema',
      Object.fromEntries(vocabularies.map((name) => [`${base(draft)}/vocab/${name}`, isRequired(name)])),
    ),
    allOf: vocabularies.map((name) => ({ $ref: `meta/${name}` })),
    properties: {
      definitions: schemaMap(draft),
      dependencies: {
        type: 'object',
        additionalProperties: {
          anyOf: [anySchema(draft), { $ref: 'meta/validation#/$defs/stringArray' }],
        },
      },
      ...(draft === 2020
        ? {
            $recursiveAnchor: { $ref: 'meta/core#/$defs/anchorString' },
            $recursiveRef: { $ref: 'meta/core#/$defs/uriReferenceString' },
          }
        : {}),
    },
  }
}

function vocabulariesOf(draft: ModernDraft): Record<string, JsonObject> {
  const shared = {
    core: draft === 2019 ? core2019() : core2020(),
    applicator: applicator(draft),
    ...(draft === 2020 ? { unevaluated: { properties: unevaluated(draft) } } : {}),
    validation: validation(),
    'meta-data': metadata(),
    content: {
      properties: {
        contentEncoding: { type: 'string' },
        contentMediaType: { type: 'string' },
        contentSchema: anySchema(draft),
      },
    },
  }
  const format = () => ({ properties: { format: { type: 'string' } } })
  if (draft === 2019) return { ...shared, format: format() }
  return { ...shared, 'format-annotation': format(), 'format-assertion': format() }
}

function core2019(): JsonObject {
  return {
    properties: {
      $id: { type: 'string', format: 'uri-reference', pattern: '^[^#]*#?$' },
      $schema: { type: 'string', format: 'uri' },
      $anchor: { type: 'string', pattern: '^[A-Za-z][-A-Za-z0-9.:_]*$' },
      $ref: { type: 'string', format: 'uri-reference' },
      $recursiveRef: { type: 'string', format: 'uri-reference' },
      $recursiveAnchor: { type: 'boolean' },
      $vocabulary: { type: 'object', additionalProperties: { type: 'boolean' } },
      $comment: { type: 'string' },
      $defs: schemaMap(2019),
    },
  }
}

function core2020(): JsonObject {
  return {
    properties: {
      $id: { $ref: '#/$defs/uriReferenceString', pattern: '^[^#]*#?$' },
      $schema: { $ref: '#/$defs/uriString' },
      $ref: { $ref: '#/$defs/uriReferenceString' },
      $anchor: { $ref: '#/$defs/anchorString' },
      $dynamicRef: { $ref: '#/$defs/uriReferenceString' },
      $dynamicAnchor: { $ref: '#/$defs/anchorString' },
      $vocabulary: {
        type: 'object',
        propertyNames: { $ref: '#/$defs/uriString' },
        additionalProperties: { type: 'boolean' },
      },
      $comment: { type: 'string' },
      $defs: schemaMap(2020),
    },
    $defs: {
      anchorString: { type: 'string', pattern: '^[A-Za-z_][-A-Za-z0-9._]*$' },
      uriString: { type: 'string', format: 'uri' },
      uriReferenceString: { type: 'string', format: 'uri-reference' },
    },
  }
}

function unevaluated(draft: ModernDraft): JsonObject {
  return { unevaluatedItems: anySchema(draft), unevaluatedProperties: anySchema(draft) }
}

function applicator(draft: ModernDraft): JsonObject {
  const list = () => ({ $ref: '#/$defs/schemaArray' })
  const single = ['contains', 'additionalProperties', 'propertyNames', 'if', 'then', 'else', 'not']
  const items =
    draft === 2020
      ? { prefixItems: list(), items: anySchema(draft) }
      : {
          items: { anyOf: [anySchema(draft), list()] },
          additionalItems: anySchema(draft),
          ...unevaluated(draft),
        }
  return {
    properties: {
      ...items,
      ...Object.fromEntries(single.map((name) => [name, anySchema(draft)])),
      properties: schemaMap(draft),
      patternProperties: { ...schemaMap(draft), propertyNames: { format: 'regex' } },
      dependentSchemas: schemaMap(draft),
      allOf: list(),
      anyOf: list(),
      oneOf: list(),
    },
    $defs: { schemaArray: { type: 'array', minItems: 1, items: anySchema(draft) } },
  }
}

function validation(): JsonObject {
  const numbers = ['maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum']
  const counts = ['maxLength', 'maxItems', 'maxContains', 'minContains', 'maxProperties']
  const countsDefault0 = ['minLength', 'minItems', 'minProperties']
  const each = (names: readonly string[], body: () => JsonObject) =>
    Object.fromEntries(names.map((name) => [name, body()]))
  return {
    properties: {
      type: {
        anyOf: [
          { $ref: '#/$defs/simpleTypes' },
          { type: 'array', items: { $ref: '#/$defs/simpleTypes' }, minItems: 1, uniqueItems: true },
        ],
      },
      const: true,
      enum: { type: 'array', items: true },
      multipleOf: { type: 'number', exclusiveMinimum: 0 },
      ...each(numbers, () => ({ type: 'number' })),
      ...each(counts, () => ({ $ref: '#/$defs/nonNegativeInteger' })),
      ...each(countsDefault0, () => ({ $ref: '#/$defs/nonNegativeIntegerDefault0' })),
      pattern: { type: 'string', format: 'regex' },
      uniqueItems: { type: 'boolean' },
      required: { $ref: '#/$defs/stringArray' },
      dependentRequired: { type: 'object', additionalProperties: { $ref: '#/$defs/stringArray' } },
    },
    $defs: {
      nonNegativeInteger: { type: 'integer', minimum: 0 },
      nonNegativeIntegerDefault0: { $ref: '#/$defs/nonNegativeInteger', default: 0 },
      simpleTypes: { enum: ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] },
      stringArray: { type: 'array', items: { type: 'string' }, uniqueItems: true, default: [] },
    },
  }
}

function metadata(): JsonObject {
  return {
    properties: {
      title: { type: 'string' },
      description: { type: 'string' },
      default: true,
      deprecated: { type: 'boolean' },
      readOnly: { type: 'boolean' },
      writeOnly: { type: 'boolean' },
      examples: { type: 'array', items: true },
    },
  }
}
