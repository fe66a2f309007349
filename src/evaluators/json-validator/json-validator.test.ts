import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { executeEvaluator } from '../kit/execute-evaluator.ts'
import { jsonValidator } from './json-validator.ts'

const DRAFT_4 = 'http://json-schema.org/draft-04/schema#'
const DRAFT_6 = 'http://json-schema.org/draft-06/schema#'

async function isJson(text: string): Promise<unknown> {
  return (await executeEvaluator(jsonValidator, { text }, {}))['is_valid_json']
}

async function fits(schema: unknown, value: unknown): Promise<unknown> {
  const config = { enable_schema_validation: true, schema_string: JSON.stringify(schema) }
  return (await executeEvaluator(jsonValidator, { text: JSON.stringify(value) }, config))['is_valid_json']
}

function refuses(schemaText: string | undefined, message: RegExp, text = '1'): Promise<void> {
  const config = { enable_schema_validation: true, schema_string: schemaText }
  return assert.rejects(executeEvaluator(jsonValidator, { text }, config), (error: unknown) => {
    assert.equal((error as { kind?: string }).kind, 'invalid_input', String(error))
    assert.match(String(error), message)
    return true
  })
}

for (const { name, input, config, output } of jsonValidator.examples) {
  test(name, async () => assert.deepEqual(await executeEvaluator(jsonValidator, input, config), output))
}

describe('the text', () => {
  for (const text of [
    'null',
    'true',
    'false',
    '\t\r\n {}',
    '7',
    '-0.5e+3',
    '"a"',
    ' [ ] ',
    '{"a":1,"a":2}',
    '"\\ud800"',
    '1e999',
    `${'['.repeat(1e5)}${']'.repeat(1e5)}`,
  ]) {
    test(`is JSON: ${text.slice(0, 20)}`, async () => assert.equal(await isJson(text), true))
  }
  const broken = [
    '',
    ' ',
    'NaN',
    'Infinity',
    '01',
    '+1',
    '.5',
    '1.',
    "'a'",
    '{a:1}',
    '[1,]',
    '// x\n1',
    '/* x */ 1',
    '\ufeff1',
    '```json\n1\n```',
    '"a\nb"',
    '"\\x41"',
    '1 2',
    '\u00a01',
    'True',
    '['.repeat(1e5),
  ]
  for (const text of broken) {
    test(`is not JSON: ${JSON.stringify(text.slice(0, 20))}`, async () =>
      assert.equal(await isJson(text), false))
  }

  test('is not compared with a schema unless that is asked for', async () => {
    const config = { enable_schema_validation: false, schema_string: '{"type":' }
    assert.deepEqual(await executeEvaluator(jsonValidator, { text: '1' }, config), { is_valid_json: true })
  })
})

describe('a broken schema is 400', () => {
  const faults: [schema: string | undefined, message: RegExp][] = [
    [undefined, /config\.schema_string is required/],
    ['', /config\.schema_string is required/],
    ['{"type": "string"', /config\.schema_string is not valid JSON at its end/],
    ['[]', /config\.schema_string must be a schema/],
    ['{"type": 12}', /config\.schema_string: \/type must be one of/],
    ['{"properties": {"a/b": {"type": "int"}}}', /config\.schema_string: \/properties\/a~1b\/type must be/],
    ['{"$defs": {"unused": {"minLength": -1}}}', /\/\$defs\/unused\/minLength must be a whole number/],
    ['{"anyOf": [{}, {"maxItems": 1.5}]}', /\/anyOf\/1\/maxItems must be a whole number/],
    ['{"pattern": "(a"}', /\/pattern is not a valid regular expression/],
    ['{"patternProperties": {"[": {}}}', /\/patternProperties\/\[ is not a valid regular expression/],
    ['{"required": ["a", "a"]}', /\/required must not name a property twice/],
    ['{"items": [{}]}', /\/items must be a schema/],
    ['{"multipleOf": 0}', /\/multipleOf must be a number greater than 0/],
    ['{"$id": "http://x.test/a#b"}', /\/\$id must not have a fragment/],
    ['{"$defs": {"a": {"$anchor": "n"}, "b": {"$anchor": "n"}}}', /has the anchor "n"/],
    ['{"$defs": {"a": {"$id": "n"}, "b": {"$id": "n"}}}', /\/\$defs\/b\/\$id is n, like another/],
    ['{"$schema": "http://x.test/meta"}', /\/\$schema names http:\/\/x\.test\/meta/],
    [`{"$schema": "${DRAFT_4}", "not": true}`, /\/not must be a schema: an object/],
    [`{"$schema": "${DRAFT_4}", "exclusiveMinimum": true}`, /\/exclusiveMinimum needs minimum beside it/],
    [`{"$schema": "${DRAFT_6}", "exclusiveMinimum": true}`, /\/exclusiveMinimum must be a number/],
  ]
  for (const [schema, message] of faults) {
    test(`${schema}`, () => refuses(schema, message))
  }

  test('even when the text is not JSON', () => refuses('{"type": 12}', /\/type must be/, '{'))

  test('and a well-formed one inside values that are not schemas is not looked at', async () => {
    const schema = { enum: [{ type: 12 }], default: { $ref: 'x' }, 'x-own': { $id: 5 } }
    assert.equal(await fits(schema, { type: 12 }), true)
  })
})

describe('no input runs away', () => {
  const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

  test('a schema that refers to itself on the same value is 400', async () => {
    await refuses('{"$ref": "#"}', /config\.schema_string applies itself to the same value without end/)
    await refuses(
      '{"$defs": {"a": {"not": {"$ref": "#/$defs/b"}}, "b": {"anyOf": [{"$ref": "#/$defs/a"}]}}}',
      /without end/,
    )
    await refuses('{"$dynamicAnchor": "a", "$dynamicRef": "#a"}', /without end/)
  })

  test('a deep text is 400 only where the schema follows it down', async () => {
    const config = (schema: string) => ({ enable_schema_validation: true, schema_string: schema })
    for (const schema of ['{"type": "array"}', '{"not": {"const": [[[]]]}}']) {
      const answer = await executeEvaluator(jsonValidator, { text: deep(100_000) }, config(schema))
      assert.deepEqual(answer, { is_valid_json: true })
    }
    assert.deepEqual(
      await executeEvaluator(jsonValidator, { text: deep(400) }, config('{"items": {"$ref": "#"}}')),
      { is_valid_json: true },
    )
    await refuses('{"items": {"$ref": "#"}}', /goes deeper than 1000 levels/, deep(100_000))
    await refuses(
      '{"uniqueItems": true}',
      /goes deeper than 1000 levels/,
      `[${deep(100_000)},${deep(100_000)}]`,
    )
  })

  test('a deep or long schema is 400', async () => {
    await refuses(`${'{"not":'.repeat(1e5)}{}${'}'.repeat(1e5)}`, /is nested deeper than 400 levels/)
    await refuses(JSON.stringify({ $comment: 'x'.repeat(1e6) }), /is longer than 1000000 characters/)
  })

  test('a schema whose branches multiply is 400', async () => {
    const $defs: Record<string, unknown> = { s50: false }
    for (let at = 0; at < 50; at++) {
      const next = { $ref: `#/$defs/s${at + 1}` }
      $defs[`s${at}`] = { anyOf: [next, next] }
    }
    await refuses(JSON.stringify({ $ref: '#/$defs/s0', $defs }), /takes more than 20000000 steps/)
  })

  test('a pattern that makes others backtrack ends at once', async () => {
    assert.equal(await fits({ pattern: '^(a+)+$' }, `${'a'.repeat(5_000)}!`), false)
  })

  test('uniqueItems is linear', async () => {
    const many = Array.from({ length: 20_000 }, (_, id) => ({ id, tags: [id] }))
    assert.equal(await fits({ uniqueItems: true }, many), true)
    assert.equal(await fits({ uniqueItems: true }, [...many, { tags: [7], id: 7 }]), false)
  })
})
