import type { JsonObject } from './json-value.ts'

/** The metaschema of draft 4, 6 or 7: the facts of the standard, without titles and defaults. */
export function classicMetaschema(draft: 4 | 6 | 7): JsonObject {
  return {
    $schema: `http://json-schema.org/draft-0${draft}/schema#`,
    [draft === 4 ? 'id' : '$id']: `http://json-schema.org/draft-0${draft}/schema#`,
    definitions: definitions(draft),
    type: draft === 4 ? 'object' : ['object', 'boolean'],
    properties: {
      ...sharedProperties(draft),
      ...(draft === 4 ? draft4Properties() : draft6Properties()),
      ...(draft === 7 ? draft7Properties() : {}),
    },
    ...(draft === 4
      ? { dependencies: { exclusiveMaximum: ['maximum'], exclusiveMinimum: ['minimum'] } }
      : {}),
  }
}

function definitions(draft: number): JsonObject {
  const count = draft === 4 ? 'positiveInteger' : 'nonNegativeInteger'
  return {
    schemaArray: { type: 'array', minItems: 1, items: { $ref: '#' } },
    [count]: { type: 'integer', minimum: 0 },
    [`${count}Default0`]: { allOf: [{ $ref: `#/definitions/${count}` }, { default: 0 }] },
    simpleTypes: { enum: ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] },
    stringArray: {
      type: 'array',
      items: { type: 'string' },
      uniqueItems: true,
      ...(draft === 4 ? { minItems: 1 } : {}),
    },
  }
}

function sharedProperties(draft: number): JsonObject {
  const count = `#/definitions/${draft === 4 ? 'positiveInteger' : 'nonNegativeInteger'}`
  return {
    $schema: { type: 'string' },
    title: { type: 'string' },
    description: { type: 'string' },
    default: {},
    maximum: { type: 'number' },
    minimum: { type: 'number' },
    maxLength: { $ref: count },
    minLength: { $ref: `${count}Default0` },
    pattern: { type: 'string', format: 'regex' },
    items: { anyOf: [{ $ref: '#' }, { $ref: '#/definitions/schemaArray' }] },
    maxItems: { $ref: count },
    minItems: { $ref: `${count}Default0` },
    uniqueItems: { type: 'boolean' },
    maxProperties: { $ref: count },
    minProperties: { $ref: `${count}Default0` },
    required: { $ref: '#/definitions/stringArray' },
    definitions: { type: 'object', additionalProperties: { $ref: '#' } },
    properties: { type: 'object', additionalProperties: { $ref: '#' } },
    patternProperties: { type: 'object', additionalProperties: { $ref: '#' } },
    dependencies: {
      type: 'object',
      additionalProperties: { anyOf: [{ $ref: '#' }, { $ref: '#/definitions/stringArray' }] },
    },
    enum: draft === 7 ? { type: 'array' } : { type: 'array', minItems: 1, uniqueItems: true },
    type: {
      anyOf: [
        { $ref: '#/definitions/simpleTypes' },
        { type: 'array', items: { $ref: '#/definitions/simpleTypes' }, minItems: 1, uniqueItems: true },
      ],
    },
    format: { type: 'string' },
    allOf: { $ref: '#/definitions/schemaArray' },
    anyOf: { $ref: '#/definitions/schemaArray' },
    oneOf: { $ref: '#/definitions/schemaArray' },
    not: { $ref: '#' },
  }
}

function draft4Properties(): JsonObject {
  return {
    id: { type: 'string' },
    multipleOf: { type: 'number', minimum: 0, exclusiveMinimum: true },
    exclusiveMaximum: { type: 'boolean' },
    exclusiveMinimum: { type: 'boolean' },
    additionalItems: { anyOf: [{ type: 'boolean' }, { $ref: '#' }] },
    additionalProperties: { anyOf: [{ type: 'boolean' }, { $ref: '#' }] },
  }
}

function draft6Properties(): JsonObject {
  return {
    $id: { type: 'string', format: 'uri-reference' },
    $ref: { type: 'string', format: 'uri-reference' },
    multipleOf: { type: 'number', exclusiveMinimum: 0 },
    exclusiveMaximum: { type: 'number' },
    exclusiveMinimum: { type: 'number' },
    additionalItems: { $ref: '#' },
    additionalProperties: { $ref: '#' },
    contains: { $ref: '#' },
    propertyNames: { $ref: '#' },
    const: {},
    examples: { type: 'array' },
  }
}

function draft7Properties(): JsonObject {
  return {
    $comment: { type: 'string' },
    readOnly: { type: 'boolean' },
    writeOnly: { type: 'boolean' },
    contentMediaType: { type: 'string' },
    contentEncoding: { type: 'string' },
    if: { $ref: '#' },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: { $ref: '#' },
    else: { $ref: '#' },
  }
}
