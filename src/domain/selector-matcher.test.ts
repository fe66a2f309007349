import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { matches, rule, span } from '../../tests/support/selector-fixture.ts'
import type { AttributeValue } from '../lib/otlp/span.ts'
import { ATTRIBUTE_SOURCES } from '../lib/otlp/span.ts'
import type { Operator } from './operators.ts'
import { compileMatcher, explainRules } from './selector-matcher.ts'
import type { SpanAttributes } from './selector-rule.ts'

interface TypeCase {
  readonly type: string
  /** Undefined where the attribute is absent. */
  readonly value: AttributeValue | undefined
  /** Texts that equal the value or an element of it. */
  readonly equal: readonly string[]
  /** Texts that are contained but do not equal. */
  readonly within: readonly string[]
  /** Texts that look like the value and neither equal nor are contained. */
  readonly unlike: readonly string[]
}

const TYPES: readonly TypeCase[] = [
  {
    type: 'string',
    value: 'gpt-4o',
    equal: ['gpt-4o'],
    within: ['gpt', '4o', ''],
    unlike: ['GPT-4o', 'gpt-4o '],
  },
  { type: 'empty string', value: '', equal: [''], within: [], unlike: [' ', 'null'] },
  { type: 'int', value: 4096, equal: ['4096'], within: ['09', ''], unlike: ['4096.0', '4,096'] },
  { type: 'negative zero', value: -0, equal: ['0'], within: [''], unlike: ['-0', '0.0'] },
  {
    type: 'int beyond 2^53',
    value: 9_007_199_254_740_993n,
    equal: ['9007199254740993'],
    within: ['740993'],
    unlike: ['9007199254740992', '9007199254740993n'],
  },
  { type: 'double', value: 0.7, equal: ['0.7'], within: ['.'], unlike: ['.70', '0.70'] },
  { type: 'true', value: true, equal: ['true'], within: ['ru'], unlike: ['True', '1'] },
  { type: 'false', value: false, equal: ['false'], within: ['als'], unlike: ['0', 'no'] },
  { type: 'bytes', value: new Uint8Array([1, 2, 255]), equal: ['AQL/'], within: ['QL'], unlike: ['1,2,255'] },
  {
    type: 'array',
    value: ['stop', 7, false],
    equal: ['stop', '7', 'false'],
    within: ['to', ''],
    unlike: ['["stop",7,false]', 'stop,7', 'stop7'],
  },
  {
    type: 'array in an array',
    value: [['a'], [1, ['bc']]],
    equal: ['a', '1', 'bc'],
    within: ['c'],
    unlike: ['[', 'a1'],
  },
  {
    type: 'map',
    value: { name: 'search', args: [1, { deep: true }] },
    equal: ['{"name":"search","args":[1,{"deep":true}]}'],
    within: ['"search"', 'deep'],
    unlike: ['name=search', '[object Object]'],
  },
  {
    type: 'array of maps',
    value: [{ a: 1 }, { a: 2 }],
    equal: ['{"a":1}', '{"a":2}'],
    within: ['2'],
    unlike: ['},{'],
  },
  { type: 'array with null', value: [null, 'x'], equal: ['x'], within: [''], unlike: ['null'] },
  { type: 'null', value: null, equal: [], within: [], unlike: ['', 'null', 'undefined'] },
  { type: 'empty array', value: [], equal: [], within: [], unlike: ['', '[]'] },
  { type: 'nothing', value: undefined, equal: [], within: [], unlike: ['', 'null', 'undefined'] },
]

for (const source of ATTRIBUTE_SOURCES) {
  const elsewhere = source === 'span_attributes' ? 'resource_attributes' : 'span_attributes'
  for (const { type, value, equal, within, unlike } of TYPES) {
    describe(`${source} with ${type}`, () => {
      const attributes = value === undefined ? {} : { attribute: value }
      const on = source === 'span_attributes' ? span(attributes) : span({}, attributes)
      const expect = (
        operator: Operator,
        operand: string | readonly string[] | undefined,
        expected: boolean,
      ) => {
        assert.equal(
          matches([rule('attribute', operator, operand, source)], on),
          expected,
          `${operator} ${operand}`,
        )
        // At the other source there is nothing, so only the negative operators hold.
        const isNegative = operator.startsWith('not_')
        assert.equal(matches([rule('attribute', operator, operand, elsewhere)], on), isNegative, 'elsewhere')
      }

      test('equals and not_equals', () => {
        for (const text of equal) expect('equals', text, true)
        for (const text of [...within, ...unlike]) expect('equals', text, false)
        for (const text of equal) expect('not_equals', text, false)
        for (const text of [...within, ...unlike]) expect('not_equals', text, true)
      })

      test('in and not_in', () => {
        for (const text of equal) expect('in', ['other', text, text], true)
        expect('in', [...within, ...unlike], false)
        for (const text of equal) expect('not_in', ['other', text], false)
        expect('not_in', [...within, ...unlike], true)
      })

      test('contains and not_contains', () => {
        for (const text of [...equal, ...within]) expect('contains', text, true)
        for (const text of unlike) expect('contains', text, false)
        for (const text of [...equal, ...within]) expect('not_contains', text, false)
        for (const text of unlike) expect('not_contains', text, true)
      })

      test('exists and not_exists', () => {
        expect('exists', undefined, value !== undefined)
        expect('not_exists', undefined, value === undefined)
      })
    })
  }
}

describe('selectors', () => {
  test('no rules match every span', () => {
    assert.ok(matches([], span({})))
    assert.ok(matches([], span({ a: 1 })))
  })

  test('all rules must hold', () => {
    const selector = [rule('a', 'equals', '1'), rule('b', 'contains', 'x'), rule('c', 'not_exists')]
    assert.ok(matches(selector, span({ a: 1, b: 'xy' })))
    assert.ok(!matches(selector, span({ a: 2, b: 'xy' })))
    assert.ok(!matches(selector, span({ a: 1, b: 'y' })))
    assert.ok(!matches(selector, span({ a: 1, b: 'xy', c: null })))
  })

  test('two values of one attribute are possible where it is an array', () => {
    const selector = [rule('a', 'equals', '1'), rule('a', 'in', ['2', '3'])]
    assert.ok(matches(selector, span({ a: [3, 1] })))
    assert.ok(!matches(selector, span({ a: 1 })))
  })

  test('a setup that wants one of several texts is found once though the span has all of them', () => {
    const matcher = compileMatcher([{ id: 'it', selector: [rule('a', 'in', ['1', '2'])] }])
    assert.deepEqual(matcher.match(span({ a: [2, 1, 2] })), ['it'])
  })

  test('a rule without an operand, which no stored rule is, is met by nothing', () => {
    assert.ok(!matches([rule('a', 'equals')], span({ a: '' })))
    assert.ok(!matches([rule('a', 'in', [])], span({ a: '' })))
    assert.ok(matches([rule('a', 'not_contains')], span({ a: '' })))
  })
})

describe('the loop guard', () => {
  test('no setup matches a span with the marker, whatever the value and the rules', () => {
    for (const value of [true, false, null, '', []]) {
      const marked = span({ 'assay.judge': value })
      assert.ok(!matches([], marked))
      assert.ok(!matches([rule('assay.judge', 'exists')], marked))
      assert.deepEqual(explainRules([rule('a', 'not_exists')], marked), {
        matches: false,
        isJudgeCall: true,
        rules: [{ rule: rule('a', 'not_exists'), found: [], holds: true }],
      })
    }
  })

  test('the marker on the resource is an attribute like any other', () => {
    assert.ok(matches([], span({}, { 'assay.judge': true })))
  })
})

describe('the matcher', () => {
  const on = span({ a: 1 })
  const selector = [rule('a', 'equals', '1')]

  test('matches come in the order in which the setups were given', () => {
    const ids = ['d', 'b', 'z', 'a', 'c']
    const matcher = compileMatcher(ids.map((id, at) => ({ id, selector: at % 2 ? [] : selector })))
    assert.deepEqual(matcher.match(on), ids)
  })

  test('a replaced setup keeps its place, a new one comes last', () => {
    const matcher = compileMatcher(['x', 'y', 'z'].map((id) => ({ id, selector })))
    matcher.set({ id: 'y', selector: [] })
    matcher.set({ id: 'a', selector })
    assert.deepEqual(matcher.match(on), ['x', 'y', 'z', 'a'])
    assert.equal(matcher.delete('x'), true)
    assert.equal(matcher.delete('x'), false)
    matcher.set({ id: 'x', selector })
    assert.deepEqual(matcher.match(on), ['y', 'z', 'a', 'x'])
  })

  test('of two setups with one id the last counts', () => {
    const matcher = compileMatcher([
      { id: 'x', selector: [] },
      { id: 'y', selector: [] },
      { id: 'x', selector: [rule('a', 'equals', '2')] },
    ])
    assert.deepEqual(matcher.match(on), ['y'])
    assert.deepEqual(matcher.match(span({ a: 2 })), ['x', 'y'])
  })

  test('the keys are the marker and every alias, and the same array until they change', () => {
    const matcher = compileMatcher([{ id: 1, selector: [rule('gen_ai.request.model', 'exists')] }])
    const keys = matcher.keys
    assert.deepEqual(
      keys.map(({ source, key }) => `${source} ${key}`),
      [
        'span_attributes assay.judge',
        'span_attributes gen_ai.request.model',
        'span_attributes llm.request.model',
        'span_attributes llm.model_name',
      ],
    )
    matcher.set({ id: 2, selector: [rule('llm.request.model', 'equals', 'x')] })
    assert.equal(matcher.keys, keys)
    matcher.set({ id: 3, selector: [rule('service.name', 'equals', 'x', 'resource_attributes')] })
    assert.equal(matcher.keys.length, 5)
    for (const id of [1, 2, 3]) matcher.delete(id)
    assert.deepEqual(matcher.keys, [{ source: 'span_attributes', key: 'assay.judge' }])
  })

  test('a rule on the marker does not list it twice', () => {
    assert.equal(compileMatcher([{ id: 1, selector: [rule('assay.judge', 'not_exists')] }]).keys.length, 1)
  })
})

describe('many setups', () => {
  test('a rule on one of several texts holds for each of them wherever it stands among the rules', () => {
    const setups = Array.from({ length: 30 }, (_, id) => ({
      id,
      selector: [rule('a', 'equals', '1'), rule('b', 'in', ['p', 'q']), rule('c', 'not_equals', `${id}`)],
    }))
    const matcher = compileMatcher(setups)
    for (const b of ['p', 'q', ['q', 'p']]) {
      assert.equal(matcher.match(span({ a: 1, b })).length, 30)
      assert.equal(matcher.match(span({ a: 1, b, c: 7 })).length, 29)
      assert.equal(matcher.match(span({ a: 2, b })).length, 0)
    }
    assert.equal(matcher.match(span({ a: 1, b: 'r' })).length, 0)
  })

  test('a span that lists its names is not asked for attributes it does not have, however many are looked at', () => {
    const setups = Array.from({ length: 1_000 }, (_, id) => ({
      id,
      selector: [rule(`key ${id}`, 'equals', 'x')],
    }))
    const matcher = compileMatcher(setups)
    const asked: string[] = []
    const listing: SpanAttributes = {
      attribute: (source, key) => {
        asked.push(key)
        return span({ 'key 7': 'x', 'key 8': 'y', other: 'x' }, { 'key 9': 'x' }).attribute(source, key)
      },
      names: (source) => (source === 'span_attributes' ? ['key 8', 'other', 'key 7'] : ['key 9']),
    }
    assert.deepEqual(matcher.match(listing), [7])
    assert.deepEqual(asked, ['assay.judge', 'key 8', 'key 7'])
  })

  test('an attribute is read once, though many rules look at it', () => {
    const setups = Array.from({ length: 100 }, (_, id) => ({
      id,
      selector: [rule('a', id % 2 ? 'not_contains' : 'contains', `${id}`), rule('a', 'not_equals', `${id}`)],
    }))
    let reads = 0
    compileMatcher(setups).match({
      attribute: (_source, key) => {
        if (key === 'a') reads += 1
        return key === 'a' ? '1 2 3' : undefined
      },
    })
    assert.equal(reads, 1)
  })
})

test('an explanation names what was found under which name, rule by rule', () => {
  const selector = [
    rule('gen_ai.system', 'equals', 'openai'),
    rule('gen_ai.system', 'not_equals', 'openai'),
    rule('service.name', 'exists', undefined, 'resource_attributes'),
  ]
  const found = [
    { key: 'gen_ai.provider.name', value: 'azure' },
    { key: 'llm.vendor', value: ['openai'] },
  ]
  assert.deepEqual(
    explainRules(selector, span({ 'llm.vendor': ['openai'], 'gen_ai.provider.name': 'azure' })),
    {
      matches: false,
      isJudgeCall: false,
      rules: [
        { rule: selector[0], found, holds: true },
        { rule: selector[1], found, holds: false },
        { rule: selector[2], found: [], holds: false },
      ],
    },
  )
})
