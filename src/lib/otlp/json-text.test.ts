import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertGrowth } from '../../../tests/support/processor-time.ts'
import { prepareJsonText } from './json-text.ts'
import { JSON_VALUES_MAX } from './otlp-limits.ts'

test('quotes integers that a JavaScript number may not hold exactly, wherever they stand', () => {
  assert.equal(
    prepareJsonText('[1234567890123456789, -9223372036854775808,{"a":1234567890123456}]'),
    '["1234567890123456789", "-9223372036854775808",{"a":"1234567890123456"}]',
  )
})

test('leaves everything else as it is', () => {
  for (const text of [
    '{"a": 123456789012345, "b": 1234567890123456.5, "c": 1234567890123456e3, "d": 1e1234567890123456}',
    '["1234567890123456789", "\\"1234567890123456789", "\\\\", "a, 1234567890123456789, b"]',
    '[123456789012345678901234567890, 0, -0, 0.1234567890123456789]',
    '[0001234567890123456, true, false, null, "\\u0031234567890123456789"]',
    '["cut off 1234567890123456789',
    '',
  ])
    assert.equal(prepareJsonText(text), text)
})

test('refuses more values than a request may have, and counts none inside strings', () => {
  const list = (count: number) => `[${'{},'.repeat(count - 2)}{}]`
  const most = JSON_VALUES_MAX / 2 + 1
  assert.equal(prepareJsonText(list(most)), list(most))
  assert.throws(() => prepareJsonText(list(most + 1)), { kind: 'too_large', message: /JSON values/ })
  const text = JSON.stringify('{[,'.repeat(JSON_VALUES_MAX))
  assert.equal(prepareJsonText(text), text)
})

test('takes time in proportion to the text, also where every character is escaped', async () => {
  for (const pair of ['\\\\', '\\"']) {
    const prepare = (count: number) => {
      const text = `"${pair.repeat(count)}"`
      return () => assert.equal(prepareJsonText(text), text)
    }
    await assertGrowth(prepare(31_250), prepare(2_000_000), { factor: 64 }, pair)
  }
})
