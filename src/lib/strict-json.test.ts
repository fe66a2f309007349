import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JSON_OBJECTS_MAX, parseStrictJson } from './strict-json.ts'

const parse = (text: string) => parseStrictJson(Buffer.from(text))
const refuses = (text: string, message: RegExp) =>
  assert.throws(() => parse(text), { kind: 'invalid_input', message })

test('reads what JSON.parse reads', () => {
  for (const text of [
    '{"a":[1,{"b":null}],"c":"x,{\\"y\\":1}"}',
    '[]',
    '"\\ud83d\\udc4b"',
    ' 1e3 ',
    '{"a":{"a":{}}}',
  ]) {
    assert.deepEqual(parse(text), JSON.parse(text))
  }
})

test('names the place of a syntax error without quoting the body', () => {
  refuses('{"secret": "abc",}', /^invalid input: body is not valid JSON at position 17/)
  assert.throws(
    () => parse('{"secret": abc}'),
    (error: Error) => !error.message.includes('abc'),
  )
})

test('refuses the same key twice, however it is written', () => {
  refuses('{"a":1,"a":2}', /key "a" twice/)
  refuses('{"a":1,"\\u0061":2}', /key "a" twice/)
  refuses('{"x":[{"a":1},{"b":{"c":1,"c":2}}]}', /key "c" twice/)
  assert.deepEqual(parse('[{"a":1},{"a":2}]'), [{ a: 1 }, { a: 2 }])
  assert.deepEqual(parse('{"a":["a","a"],"b":"a"}'), { a: ['a', 'a'], b: 'a' })
})

test('takes 64 levels of nesting and refuses 65', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  assert.ok(parse(nested(64)))
  refuses(nested(65), /nested deeper than 64 levels/)
  refuses(`${'[{"a":'.repeat(50)}1${'}]'.repeat(50)}`, /nested deeper/)
  refuses(nested(1_000_000), /nested deeper/)
})

test('does not count brackets inside strings', () => {
  assert.ok(parse(JSON.stringify({ a: '[{'.repeat(200), b: '\\"[' })))
})

test('refuses bytes that are not UTF-8', () => {
  assert.throws(() => parseStrictJson(Buffer.from([0x22, 0xff, 0x22])), {
    message: 'invalid input: body is not valid UTF-8',
  })
})

test('refuses unpaired surrogates, which no store could give back', () => {
  refuses('{"a":"\\ud83d"}', /unpaired surrogate/)
  refuses('{"\\udc4b":1}', /unpaired surrogate/)
})

test('keeps __proto__ an ordinary key', () => {
  const value = parse('{"__proto__":{"polluted":true}}') as object
  assert.ok(Object.hasOwn(value, '__proto__'))
  assert.equal(({} as { polluted?: boolean }).polluted, undefined)
})

test('refuses more arrays and objects than memory could take, and does not count those in texts', () => {
  const list = (count: number) => `[${'{},'.repeat(count - 2)}{}]`
  assert.ok(parse(list(JSON_OBJECTS_MAX)))
  assert.throws(() => parse(list(JSON_OBJECTS_MAX + 1)), { kind: 'too_large' })
  assert.throws(() => parse(`["\\u12",${list(JSON_OBJECTS_MAX - 1)}]`), { kind: 'invalid_input' })
  assert.ok(parse(JSON.stringify({ text: '["{'.repeat(JSON_OBJECTS_MAX) })))
})
