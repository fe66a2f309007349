import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { jsonFaultPlace, jsonFaultPosition } from './json-fault.ts'

for (const [text, position] of [
  ['[NaN]', 1],
  ['{"a":1,}', 7],
  ["{'a':1}", 1],
  ['[1 2]', 3],
  ['[1,]', 3],
  ['{"a" 1}', 5],
  ['{"a":}', 5],
  ['{1:2}', 1],
  ['01', 1],
  ['"a\nb"', 2],
  ['"\\x"', 1],
  ['[1}', 2],
  ['1 2', 2],
  ['\ufeff[]', 0],
  ['nul', 0],
  ['// c', 0],
  ['', 0],
  ['[', 1],
  ['{"a": [1, 2', 11],
  ['"abc', 4],
] as const) {
  test(`finds the fault of ${JSON.stringify(text)} at ${position}`, () => {
    assert.throws(() => JSON.parse(text))
    assert.equal(jsonFaultPosition(text), position)
  })
}

test('tells line and column', () => {
  assert.equal(jsonFaultPlace('{\n  "a": oops\n}'), ' at position 9 (line 2 column 8)')
  assert.equal(jsonFaultPlace('[1,'), ' at its end')
})

test('finds no fault in valid JSON, and a broken place not later than it is', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 3 }), fc.nat(), (json, seed) => {
      assert.equal(jsonFaultPosition(json), json.length)
      const at = seed % (json.length + 1)
      const broken = `${json.slice(0, at)}\u0001${json.slice(at)}`
      // Not exactly there when the place is inside a word, a number or an escape, which are told by their beginning.
      assert.ok(jsonFaultPosition(broken) <= at)
    }),
  )
})
