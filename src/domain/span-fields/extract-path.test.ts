import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { extractPath, isPath } from './extract-path.ts'

const answer = {
  choices: [{ message: { content: 'first' } }, { message: { content: 'last' } }],
  'a.b': { c: 1 },
  none: null,
  zero: 0,
}

const cases: readonly [name: string, value: unknown, path: string, found: unknown][] = [
  ['an index and a name', [{ text: 'hi' }], '0.text', 'hi'],
  ['indexes in brackets', answer, 'choices[0].message.content', 'first'],
  ['indexes between dots', answer, 'choices.1.message.content', 'last'],
  ['the last of a list', answer, 'choices.-1.message.content', 'last'],
  ['a leading dollar', answer, '$.choices[0].message.content', 'first'],
  ['a quoted name with a dot', answer, '["a.b"].c', 1],
  ['JSON text', JSON.stringify(answer), 'choices.0.message.content', 'first'],
  [
    'JSON text within JSON text',
    JSON.stringify({ body: JSON.stringify([{ text: 'hi' }]) }),
    'body.0.text',
    'hi',
  ],
  ['a value that is false in conditions', answer, 'zero', 0],
  ['the empty path', 'hi', '', 'hi'],
  ['the whole by a dollar', answer, '$', answer],
  ['nothing where null is', answer, 'none', undefined],
  ['nothing beyond null', answer, 'none.more', undefined],
  ['nothing beyond the end of a list', answer, 'choices.2', undefined],
  ['nothing by a name in a list', answer, 'choices.length', undefined],
  ['nothing that objects inherit', answer, 'constructor.name', undefined],
  ['nothing in a text that is not JSON', 'hello', '0', undefined],
  ['nothing in broken JSON', '{"a": [1, 2', 'a.0', undefined],
  ['nothing by a path that ends in a dot', answer, 'choices.', undefined],
  ['nothing by a path with an open bracket', answer, 'choices[0', undefined],
  ['nothing by a path with an empty step', answer, 'choices..0', undefined],
]

for (const [name, value, path, found] of cases) {
  test(`finds ${name}`, () => assert.deepEqual(extractPath(value, path), found))
}

test('tells paths from texts that are none', () => {
  assert.deepEqual(['', '0.text', 'a[0]', '$.a', 'a.', 'a[', '.a', 'a]'].map(isPath), [
    ...[true, true, true, true],
    ...[false, false, false, false],
  ])
})

test('never throws', () => {
  fc.assert(
    fc.property(fc.anything(), fc.string(), (value, path) => {
      extractPath(value, path)
      extractPath(JSON.stringify(value) ?? '', path)
    }),
  )
})
