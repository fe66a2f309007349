import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { parsePythonStructure } from './python-literal.ts'

describe('the text of a Python value is read', () => {
  const cases: readonly (readonly [text: string, value: object])[] = [
    ["[{'name': 'search', 'input': {'q': 'x'}}]", [{ name: 'search', input: { q: 'x' } }]],
    ["{'a': True, 'b': False, 'c': None}", { a: true, b: false, c: null }],
    ["{'n': -1, 'f': 0.5, 'e': 1e-07, 'big': 1.5e+20}", { n: -1, f: 0.5, e: 1e-7, big: 1.5e20 }],
    [`["it's", 'say "hi"', 'both \\' and "']`, ["it's", 'say "hi"', 'both \' and "']],
    ["['a\\nb\\t\\\\', '\\x41\\u00e9\\U0001f600', 'über 👋']", ['a\nb\t\\', 'Aé😀', 'über 👋']],
    ["(1, 'a')", [1, 'a']],
    ["{'one': (1,), 'none': ()}", { one: [1], none: [] }],
    ["{1: 'a', None: 'b'}", { '1': 'a', null: 'b' }],
    [' [ 1 ,\n 2 , ] ', [1, 2]],
    ['{}', {}],
    ['[]', []],
  ]
  for (const [text, value] of cases)
    test(JSON.stringify(text), () => assert.deepEqual(parsePythonStructure(text), value))

  test('with the key __proto__ as a key like any other', () => {
    const value = parsePythonStructure("{'__proto__': {'a': 1}}") as object
    assert.deepEqual(Object.keys(value), ['__proto__'])
    assert.equal(Object.getPrototypeOf(value), Object.prototype)
  })
})

describe('any other text is not', () => {
  const texts = [
    ...['', 'prose', "'a'", '1', 'None', '[', "['a", "['a'", "['a' 'b']", '[1 2]', '[,]', "{'a'}", "{'a': }"],
    ...["{'a' 1}", "{['a']: 1}", "['a\nb']", "['\\q']", "['\\x4']", "['\\U00110000']", '[1] x', '[Trueish]'],
    ...[
      '[<Foo object at 0x1>]',
      '[datetime.date(2026, 1, 1)]',
      '[nan]',
      '[1_000]',
      '{1, 2}',
      "[b'x']",
      '[.]',
      '[-]',
    ],
  ]
  for (const text of texts)
    test(JSON.stringify(text), () => assert.equal(parsePythonStructure(text), undefined))

  test('nor one that is nested too deeply', () => {
    assert.ok(parsePythonStructure('['.repeat(64) + ']'.repeat(64)))
    assert.equal(parsePythonStructure('['.repeat(65) + ']'.repeat(65)), undefined)
    assert.equal(parsePythonStructure('['.repeat(1_000_000)), undefined)
  })
})

const hasPython = spawnSync('python3', ['--version']).status === 0

test('what Python itself writes is read as the value it is', {
  skip: hasPython ? false : 'python3 is not installed',
}, () => {
  const scalar = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  )
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      scalar,
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.string(), tie('value'), { maxKeys: 4 }),
    ),
  }))
  const values = fc
    .sample(fc.array(value, { maxLength: 3 }), 300)
    .map((one) => JSON.parse(JSON.stringify(one)))
  const script = 'import json,sys\nfor line in sys.stdin: print(json.dumps(repr(json.loads(line))))'
  const input = values.map((one) => JSON.stringify(one)).join('\n')
  const lines = execFileSync('python3', ['-c', script], { input, encoding: 'utf8' }).trim().split('\n')
  assert.equal(lines.length, values.length)
  for (const [at, line] of lines.entries())
    assert.deepEqual(parsePythonStructure(JSON.parse(line)), values[at])
})
