import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { compileSchema } from './schema-compiler.ts'

const DRAFT_4 = 'http://json-schema.org/draft-04/schema#'
const DRAFT_6 = 'http://json-schema.org/draft-06/schema#'
const DRAFT_7 = 'http://json-schema.org/draft-07/schema#'
const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema'

function assertFits(schema: unknown, good: readonly unknown[], bad: readonly unknown[]): void {
  // Through text, as a client sends them: it is what makes "__proto__" an own key.
  const isValid = compileSchema(JSON.parse(JSON.stringify(schema)))
  for (const value of good) assert.equal(isValid(value), true, JSON.stringify(value))
  for (const value of bad) assert.equal(isValid(value), false, JSON.stringify(value))
}

function refuses(schemaText: string, message: RegExp): void {
  assert.throws(() => compileSchema(JSON.parse(schemaText)), message)
}

describe('references', () => {
  test('are never fetched: an unknown URI is 400 and named', () => {
    refuses(
      '{"$ref": "http://127.0.0.1:9/x.json#/a"}',
      /\/\$ref refers to http:\/\/127\.0\.0\.1:9\/x\.json#\/a/,
    )
    refuses(
      '{"$id": "http://h.test/a/b", "items": {"$ref": "../c"}}',
      /\/items\/\$ref refers to http:\/\/h\.test\/c/,
    )
    refuses('{"$ref": "#/$defs/none"}', /refers to #\/\$defs\/none/)
  })

  test('resolve against the nearest $id, also a relative or urn one', () => {
    const schema = {
      $id: 'shop/order',
      properties: { line: { $ref: 'line' }, unit: { $ref: 'urn:test:unit#short' } },
      $defs: {
        line: {
          $id: 'line',
          properties: { count: { $ref: '#/$defs/whole' } },
          $defs: { whole: { type: 'integer' } },
        },
        unit: { $id: 'urn:test:unit', $defs: { s: { $anchor: 'short', maxLength: 2 } } },
      },
    }
    assertFits(schema, [{ line: { count: 1 }, unit: 'kg' }], [{ line: { count: 0.5 } }, { unit: 'kilo' }])
  })

  test('reach escaped names, array items and places that are not keywords', () => {
    const schema = {
      properties: {
        a: { $ref: '#/$defs/x~1y~0%25' },
        b: { $ref: '#/allOf/0/properties/q' },
        c: { $ref: '#/x-parts/one' },
      },
      allOf: [{ properties: { q: { type: 'null' } } }],
      $defs: { 'x/y~%': { type: 'string' } },
      'x-parts': { one: { const: 3 } },
    }
    assertFits(schema, [{ a: '', b: null, c: 3 }], [{ a: 1 }, { b: 1 }, { c: 1 }])
  })

  test('hide their siblings up to draft 7 and no longer', () => {
    const body = { $ref: '#/definitions/text', maxLength: 1, definitions: { text: { type: 'string' } } }
    assertFits({ $schema: DRAFT_7, ...body }, ['abc'], [1])
    assertFits({ $schema: DRAFT_2019, ...body }, ['a'], ['abc', 1])
  })

  test('lead into the metaschemas of the standard', () => {
    for (const uri of [
      DRAFT_4,
      DRAFT_6,
      DRAFT_7,
      DRAFT_2019,
      'https://json-schema.org/draft/2020-12/schema',
    ]) {
      assertFits(
        { items: { $ref: uri } },
        [[{ type: 'string' }]],
        [[{ type: 'text' }], [{ properties: { a: 1 } }]],
      )
    }
    assertFits({ $ref: `${DRAFT_7}/definitions/nonNegativeInteger` }, [0], [-1])
    assertFits(
      { $ref: 'https://json-schema.org/draft/2020-12/meta/applicator' },
      [{ type: 12 }],
      [{ not: 1 }],
    )
  })

  test('switch to the draft of what they point to', () => {
    const schema = {
      $ref: 'old',
      $defs: { old: { $schema: DRAFT_4, id: 'old', minimum: 3, exclusiveMinimum: true } },
    }
    assertFits(schema, [4], [3])
  })

  test('that are dynamic take the outermost anchor', () => {
    const tree = {
      $id: 'tree',
      $dynamicAnchor: 'node',
      properties: { children: { items: { $dynamicRef: '#node' } } },
    }
    const strict = {
      $id: 'strict',
      $dynamicAnchor: 'node',
      $ref: 'tree',
      unevaluatedProperties: false,
      $defs: { tree },
    }
    assertFits(strict, [{ children: [{ children: [] }] }], [{ children: [{ chidren: [] }] }])
  })

  test('that are recursive take the outermost anchor in 2019-09', () => {
    const tree = {
      $id: 'http://x.test/tree',
      $recursiveAnchor: true,
      properties: { children: { items: { $recursiveRef: '#' } } },
    }
    const strict = {
      $schema: DRAFT_2019,
      $id: 'http://x.test/strict',
      $ref: 'tree',
      unevaluatedProperties: false,
      $defs: { tree },
    }
    assertFits(strict, [{ children: [{ extra: 1 }] }], [{ extra: 1 }])
    const open = { ...strict, $recursiveAnchor: true }
    assertFits(open, [{ children: [{ children: [] }] }], [{ children: [{ extra: 1 }] }])
  })
})

describe('dialects', () => {
  test('without $schema are 2020-12', () => {
    assertFits({ prefixItems: [{ type: 'string' }], items: false }, [['a']], [[1], ['a', 1]])
  })

  test('accept the standard URIs with https and without the empty fragment', () => {
    assertFits(
      { $schema: 'https://json-schema.org/draft-07/schema', items: [{ type: 'string' }] },
      [['a', 1]],
      [[1]],
    )
  })

  test('ignore keywords that came later or are gone', () => {
    assertFits({ $schema: DRAFT_4, const: 1, contains: false, if: {}, else: false }, [2, [1]], [])
    assertFits(
      { $schema: DRAFT_7, dependentRequired: { a: ['b'] }, prefixItems: [false] },
      [{ a: 1 }, [1]],
      [],
    )
    assertFits({ dependencies: { a: ['b'] }, additionalItems: false }, [{ a: 1 }, [1]], [])
  })

  test('can be left to a metaschema inside the document, which may leave vocabularies out', () => {
    const vocab = 'https://json-schema.org/draft/2020-12/vocab'
    const meta = {
      $id: 'http://x.test/meta',
      $vocabulary: { [`${vocab}/core`]: true, [`${vocab}/applicator`]: true },
    }
    const schema = {
      $schema: 'http://x.test/meta',
      properties: { a: false, b: { minimum: 5 } },
      $defs: { meta },
    }
    assertFits(schema, [{ b: 1 }], [{ a: 1 }])
    const needy = { ...meta, $vocabulary: { ...meta.$vocabulary, 'http://x.test/units': true } }
    refuses(JSON.stringify({ ...schema, $defs: { needy } }), /vocabulary http:\/\/x\.test\/units/)
  })

  test('treat format as an annotation', () => {
    assertFits({ $schema: DRAFT_7, format: 'email' }, ['not an address'], [])
  })
})

describe('keywords', () => {
  test('compare values by meaning: order of keys and 1.0 do not matter, types do', () => {
    assertFits(
      { const: { a: [1, { b: null }], c: '' } },
      [{ c: '', a: [1, { b: null }] }],
      [{ a: [1, { b: 0 }], c: '' }],
    )
    assertFits({ enum: [0, 'x', [false]] }, [-0, 'x', [false]], [false, null, [0], '0'])
    assertFits(
      { uniqueItems: true },
      [[1, '1', true, [1], { a: 1 }]],
      [
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
        [0, -0],
      ],
    )
    assertFits({ type: 'integer', enum: [1] }, [JSON.parse('1.0')], [1.5])
  })

  test('count code points in lengths', () => {
    assertFits({ minLength: 2, maxLength: 2 }, ['ab', '👋👋', '\ud800a'], ['👋', '👋👋👋', 'abcde'])
  })

  test('see only own properties of an object', () => {
    const schema = { properties: { toString: false, constructor: { type: 'string' } }, required: ['x'] }
    assertFits(schema, [{ x: 1 }], [{ x: 1, constructor: 1 }, {}])
    assertFits({ required: ['toString'] }, [{ toString: 1 }], [{}])
    const proto = JSON.parse(
      '{"properties": {"__proto__": {"type": "string"}}, "additionalProperties": false}',
    )
    assertFits(proto, [JSON.parse('{"__proto__": ""}')], [JSON.parse('{"__proto__": 1}')])
  })

  test('check members by name, by pattern and the rest', () => {
    const schema = {
      properties: { id: { type: 'integer' } },
      patternProperties: { '^i': { minimum: 5 }, s$: { type: 'array' } },
      additionalProperties: { type: 'boolean' },
    }
    assertFits(
      schema,
      [{ id: 5, tags: [], ok: true }],
      [{ id: 4 }, { id: 5.5 }, { tags: 1 }, { ok: 1 }, { is: 7 }],
    )
  })

  test('count what contains finds', () => {
    assertFits(
      { contains: { type: 'null' }, minContains: 2, maxContains: 3 },
      [[null, 1, null], 1],
      [[null], [null, null, null, null]],
    )
    assertFits({ contains: false, minContains: 0 }, [[]], [])
  })

  test('know what was evaluated in branches that succeeded', () => {
    const schema = {
      anyOf: [
        { properties: { a: true }, required: ['a'] },
        { properties: { b: true }, required: ['b'] },
      ],
      if: { properties: { c: { const: 1 } }, required: ['c'] },
      not: { not: { properties: { d: true } } },
      unevaluatedProperties: false,
    }
    assertFits(
      schema,
      [{ a: 1 }, { a: 1, b: 1 }, { b: 1, c: 1 }],
      [
        { a: 1, d: 1 },
        { b: 1, c: 2 },
      ],
    )
    const items = { prefixItems: [true], contains: { const: 9 }, unevaluatedItems: { type: 'string' } }
    assertFits(items, [[1, 9, 'a', 9]], [[1, 9, 2]])
  })

  test('do not see what cousins have evaluated', () => {
    assertFits({ allOf: [{ properties: { a: true } }, { unevaluatedProperties: false }] }, [{}], [{ a: 1 }])
  })
})
