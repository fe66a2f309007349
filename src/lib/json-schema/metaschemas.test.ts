import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from './json-value.ts'
import { compileSchema } from './schema-compiler.ts'

const METASCHEMAS: Readonly<Record<number, string>> = {
  4: 'http://json-schema.org/draft-04/schema#',
  6: 'http://json-schema.org/draft-06/schema#',
  7: 'http://json-schema.org/draft-07/schema#',
  2019: 'https://json-schema.org/draft/2019-09/schema',
  2020: 'https://json-schema.org/draft/2020-12/schema',
}

// Every keyword with values of every form. The compiler must say the same about them as the metaschema of a draft.
const VALUES = [
  0,
  -1,
  1.5,
  'string',
  'x',
  true,
  [],
  {},
  [{}],
  [1],
  ['a'],
  ['a', 'a'],
  { a: {} },
  { a: 1 },
  { a: ['b'] },
  { a: [1] },
]
const NAMES = (
  '$comment $defs $anchor definitions type enum multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minLength ' +
  'maxLength minItems maxItems uniqueItems minProperties maxProperties required dependentRequired minContains maxContains ' +
  'propertyNames properties patternProperties additionalProperties prefixItems items additionalItems contains dependencies ' +
  'dependentSchemas allOf anyOf oneOf not if then else unevaluatedItems unevaluatedProperties title description examples ' +
  'readOnly writeOnly deprecated format contentEncoding contentMediaType contentSchema const default'
).split(' ')

/** Where we differ on purpose: the text of the standard allows what these metaschemas refuse, or says nothing. */
function isLenient(draft: number, name: string, value: unknown): boolean {
  const isEmpty = Array.isArray(value) && value.length === 0
  if (name === 'items' && isEmpty) return true
  if (name === 'enum') return draft === 6 ? Array.isArray(value) : draft === 4 && !isEmpty
  return name === 'dependencies' && draft >= 2019
}

for (const [draft, metaschema] of Object.entries(METASCHEMAS)) {
  test(`the compiler and the metaschema of ${draft} agree about what is broken`, () => {
    const isSchema = compileSchema({ $ref: metaschema })
    for (const name of NAMES) {
      for (const value of VALUES) {
        // Both limits are there because draft 4 wants them beside their flags.
        const schema = { minimum: 0, maximum: 0, [name]: value, $schema: metaschema }
        if (isLenient(Number(draft), name, value)) continue
        assert.equal(compiles(schema), isSchema(schema), JSON.stringify(schema))
      }
    }
  })
}

function compiles(schema: JsonObject): boolean {
  try {
    compileSchema(schema)
    return true
  } catch (error) {
    assert.match(String(error), /invalid input: config\.schema_string: \//)
    return false
  }
}
