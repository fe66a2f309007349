import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AttributeValue, attributeTexts } from './span.ts'

for (const [value, texts] of [
  ['a', ['a']],
  ['', ['']],
  [4096, ['4096']],
  [0.7, ['0.7']],
  [9_007_199_254_740_993n, ['9007199254740993']],
  [true, ['true']],
  [null, []],
  [[], []],
  [
    ['a', 1, null],
    ['a', '1'],
  ],
  [new Uint8Array([1, 2, 255]), ['AQL/']],
  [{ a: 1, b: [Buffer.from([1]), 2n] }, ['{"a":1,"b":["AQ==","2"]}']],
] as [AttributeValue, string[]][]) {
  test(`compares ${typeof value} by ${JSON.stringify(texts)}`, () =>
    assert.deepEqual(attributeTexts(value), texts))
}

test('an attribute that is not there has no text', () => assert.deepEqual(attributeTexts(undefined), []))
