import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type AnswerShape, checkAnswer, type ObjectShape, toJsonSchema } from './answer-shape.ts'

const SHAPE = {
  kind: 'object',
  fields: {
    verdict: { kind: 'choice', values: ['yes', 'no'], about: 'Whether it holds.' },
    quote: { kind: 'text' },
    share: { kind: 'number', min: 0, max: 1 },
    count: { kind: 'integer', min: 1 },
    isSure: { kind: 'boolean' },
    items: {
      kind: 'list',
      of: { kind: 'object', fields: { name: { kind: 'text' } } },
      itemsMax: 2,
    },
  },
} as const satisfies ObjectShape

const RIGHT = { verdict: 'yes', quote: 'a', share: 0.5, count: 1, isSure: false, items: [{ name: 'x' }] }

describe('an answer', () => {
  test('of the shape is taken as it is', () => {
    assert.deepEqual(checkAnswer(SHAPE, RIGHT), { answer: RIGHT })
    assert.deepEqual(checkAnswer(SHAPE, { ...RIGHT, items: [] }), { answer: { ...RIGHT, items: [] } })
  })

  const FAULTS: readonly (readonly [string, unknown, string])[] = [
    ['no object', [RIGHT], 'the answer must be an object'],
    ['null', null, 'the answer must be an object'],
    ['a missing field', { ...RIGHT, quote: undefined }, 'quote must be a text'],
    ['a field too many', { ...RIGHT, score: 1 }, 'the answer has a field "score" that was not asked for'],
    ['another choice', { ...RIGHT, verdict: 'Yes' }, 'verdict must be one of yes, no'],
    ['a quoted number', { ...RIGHT, share: '0.5' }, 'share must be a number'],
    ['a number too large', { ...RIGHT, share: 1.01 }, 'share must be from 0 to 1'],
    ['a number too small', { ...RIGHT, count: 0 }, 'count must be from 1 to Infinity'],
    ['no number at all', { ...RIGHT, share: Number.NaN }, 'share must be a number'],
    ['a broken number', { ...RIGHT, count: 1.5 }, 'count must be a whole number'],
    ['a word for a boolean', { ...RIGHT, isSure: 'true' }, 'isSure must be true or false'],
    ['no list', { ...RIGHT, items: { name: 'x' } }, 'items must be a list'],
    ['too many items', { ...RIGHT, items: [{}, {}, {}] }, 'items must have at most 2 items'],
    ['a fault in an item', { ...RIGHT, items: [{ name: 'x' }, { name: 1 }] }, 'items[1].name must be a text'],
    ['a missing field of an item', { ...RIGHT, items: [{}] }, 'items[0].name is missing'],
  ]

  for (const [name, value, fault] of FAULTS) {
    test(`with ${name} is refused: ${fault}`, () => {
      assert.deepEqual(checkAnswer(SHAPE, value), { fault })
    })
  }

  test('inherits no fields', () => {
    const shape: ObjectShape = { kind: 'object', fields: { toString: { kind: 'text' as const } } }
    assert.deepEqual(checkAnswer(shape, {}), { fault: 'toString is missing' })
    const sneaky: unknown = JSON.parse('{"toString":"a","__proto__":{}}')
    assert.deepEqual(checkAnswer(shape, sneaky), {
      fault: 'the answer has a field "__proto__" that was not asked for',
    })
  })
})

describe('the JSON schema of a shape', () => {
  test('requires every field and allows no other, at every depth', () => {
    const schema = toJsonSchema(SHAPE) as {
      required: string[]
      additionalProperties: boolean
      properties: Record<string, Record<string, unknown>>
    }
    assert.deepEqual(schema.required, Object.keys(SHAPE.fields))
    assert.equal(schema.additionalProperties, false)
    assert.deepEqual(schema.properties['items'], {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: { type: 'string' } },
        required: ['name'],
        additionalProperties: false,
      },
      description: 'At most 2 items.',
    })
  })

  const FIELDS: readonly (readonly [AnswerShape, unknown])[] = [
    [SHAPE.fields.verdict, { type: 'string', enum: ['yes', 'no'], description: 'Whether it holds.' }],
    [SHAPE.fields.share, { type: 'number', description: 'From 0 to 1.' }],
    [
      { kind: 'integer', min: 1, about: 'How many.' },
      { type: 'integer', description: 'How many. At least 1.' },
    ],
    [
      { kind: 'number', max: 3 },
      { type: 'number', description: 'At most 3.' },
    ],
    [{ kind: 'boolean' }, { type: 'boolean' }],
  ]

  for (const [shape, schema] of FIELDS) {
    test(`says the range of ${JSON.stringify(shape)} in words, which every provider takes`, () => {
      assert.deepEqual(toJsonSchema(shape), schema)
    })
  }
})
