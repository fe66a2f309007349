import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { closeCutJson } from './cut-json.ts'

const CUT: readonly [cut: string, value: unknown][] = [
  ['[{"role":"user","content":"Hel', [{ role: 'user', content: 'Hel' }]],
  ['[{"role":"user","content":"a\\', [{ role: 'user', content: 'a' }]],
  ['[{"role":"user","content":"a\\u00', [{ role: 'user', content: 'a' }]],
  ['[{"role":"user","content":"a\\"b\\n', [{ role: 'user', content: 'a"b\n' }]],
  ['["\\ud83d', ['']],
  ['["\\ud83d\\udc4b', ['👋']],
  ['{"a":1,"b', { a: 1 }],
  ['{"a":1,"b":', { a: 1 }],
  ['{"a":1,', { a: 1 }],
  ['{"a":12', {}],
  ['{"a":tru', {}],
  ['{"a":true', { a: true }],
  ['{"a":[1,{"b":null},', { a: [1, { b: null }] }],
  ['{', {}],
  ['[[', [[]]],
  ['[{"a":"b"}...', [{ a: 'b' }]],
  ['[{"a":"b"}, … (truncated)', [{ a: 'b' }]],
  ['"Hel', 'Hel'],
]

describe('a JSON text that was cut off', () => {
  for (const [cut, value] of CUT) {
    test(`${cut} is closed after what was complete`, () => {
      assert.deepEqual(JSON.parse(closeCutJson(cut) ?? '"none"'), value)
    })
  }

  test('is closed wherever it is cut', () => {
    const whole = JSON.stringify({
      a: [1, -2.5e3, 'x"\\\u0001é', { b: [], c: {}, 'd\n': [null, false] }],
      e: '👋',
    })
    for (let end = 1; end < whole.length; end++) {
      const closed = closeCutJson(whole.slice(0, end))
      assert.ok(closed !== undefined, whole.slice(0, end))
      assert.doesNotThrow(() => JSON.parse(closed), closed)
    }
  })

  test('takes time in proportion to its length', () => {
    const deep = '['.repeat(1_000_000)
    assert.equal(closeCutJson(deep)?.length, 2_000_000)
  })
})

describe('a text that is no cut JSON', () => {
  const texts = [
    '',
    'Hi',
    '[urgent] Hi',
    '{"a":1}',
    '{"a":1} and',
    '"Yes", she said',
    '{a:1',
    '["a" "b',
    '{"a"}',
    '[}',
  ]
  for (const text of texts) {
    test(`${JSON.stringify(text)} is left alone`, () => {
      assert.equal(closeCutJson(text), undefined)
    })
  }
})
