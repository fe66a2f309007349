import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as z from 'zod'
import type { InputMapping } from '../../domain/setup.ts'
import { spanFields } from '../../domain/span-fields/span-fields.ts'
import type { AttributeValue, Span } from '../../lib/otlp/span.ts'
import { RegexSyntaxError } from '../../lib/safe-regex/safe-regex.ts'
import { type AnyEvaluator, defineEvaluator } from './define-evaluator.ts'
import { compileSpanInputs } from './span-inputs.ts'
import { NEUTRAL } from './verdict-rule.ts'

type Given = Readonly<Record<string, AttributeValue>>

function readable(attributes: Given, resource: Given = {}) {
  const span: Span = {
    ...{ traceId: '1'.repeat(32), spanId: '1'.repeat(16), traceState: '', name: 'chat', kind: 3 },
    ...{ startUnixNano: 0n, endUnixNano: 1n, statusCode: 0, statusMessage: '', events: [] },
    ...{ scopeName: '', scopeVersion: '' },
    attributes: new Map(Object.entries(attributes)),
    resource: new Map(Object.entries(resource)),
  }
  return { span, fields: spanFields(span) }
}

function evaluatorOf(input: z.ZodObject): AnyEvaluator {
  return defineEvaluator({
    slug: 'any',
    summary: 'Any.',
    method: 'exact',
    input,
    config: z.object({}),
    output: z.object({}),
    defaultScope: 'span',
    verdict: NEUTRAL,
    fromSpan: {},
    examples: [],
  })
}

const oneText = evaluatorOf(z.object({ text: z.string() }))

/** The text that one mapping takes out of a span; undefined where it is missing. */
function taken(mapping: InputMapping, attributes: Given, resource?: Given): string | undefined {
  const result = compileSpanInputs(oneText, { text: mapping }).read(readable(attributes, resource))
  return 'input' in result ? result.input['text'] : undefined
}

const attribute = (key: string, rest: Partial<InputMapping> = {}): InputMapping => ({
  from: { source: 'span_attributes', key },
  ...rest,
})

describe('an input from a canonical field', () => {
  test('is its text, and the JSON text of a list', () => {
    const chat = {
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': 'Hi',
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.content': 'Hello',
    }
    assert.equal(taken({ from: { field: 'completion' } }, chat), 'Hello')
    assert.equal(taken({ from: { field: 'input_messages' } }, chat), '[{"role":"user","content":"Hi"}]')
    assert.equal(taken({ from: { field: 'context' } }, chat), undefined)
  })
  test('is prose for documents as a whole, and the document for a path into them', () => {
    const retrieved = {
      'retrieval.documents.0.document.content': 'A',
      'retrieval.documents.1.document.content': 'B',
    }
    assert.equal(taken({ from: { field: 'context' } }, retrieved), 'A\n\nB')
    assert.equal(taken({ from: { field: 'context' }, jsonPath: '-1' }, retrieved), 'B')
  })
})

describe('an input from an attribute', () => {
  test('is compared with nothing: numbers, booleans, lists and bytes have their text', () => {
    assert.equal(taken(attribute('a'), { a: 4096 }), '4096')
    assert.equal(taken(attribute('a'), { a: false }), 'false')
    assert.equal(taken(attribute('a'), { a: ['x', 1] }), '["x",1]')
    assert.equal(taken(attribute('a'), { a: new Uint8Array([1, 2, 255]) }), 'AQL/')
  })
  test('is there when it is empty, and missing when it is absent or null', () => {
    assert.equal(taken(attribute('a'), { a: '' }), '')
    assert.equal(taken(attribute('a'), { b: 'x' }), undefined)
    assert.equal(taken(attribute('a'), { a: null }), undefined)
  })
  test('may live on the resource, and is not looked for on the other side', () => {
    const onResource: InputMapping = { from: { source: 'resource_attributes', key: 'service.name' } }
    assert.equal(taken(onResource, {}, { 'service.name': 'shop' }), 'shop')
    assert.equal(taken(onResource, { 'service.name': 'shop' }), undefined)
  })
  test('is found under every name that selectors know for it, its own name first', () => {
    const key = attribute('llm.prompts.0.content')
    assert.equal(taken(key, { 'gen_ai.prompt.0.content': 'new' }), 'new')
    assert.equal(taken(key, { 'gen_ai.prompt.0.content': 'new', 'llm.prompts.0.content': 'old' }), 'old')
    assert.equal(taken(key, { 'gen_ai.prompt.0.content': 'new', 'llm.prompts.0.content': null }), 'new')
    assert.equal(taken(attribute('gen_ai.system'), { 'gen_ai.provider.name': 'openai' }), 'openai')
  })
})

describe('a path and a pattern', () => {
  const body = '{"answer": {"text": "id=42;", "list": ["", null]}, "id": "id=1;"}'
  test('are applied in this order', () => {
    // The pattern alone would find the first id in the text of the body, which is another one.
    const both = attribute('a', { jsonPath: 'answer.text', regex: 'id=(\\d+)' })
    assert.equal(taken(both, { a: '{"id": "id=1;", "answer": {"text": "id=42;"}}' }), '42')
    assert.equal(taken(both, { a: body }), '42')
  })
  test('give the first group, or the whole match where the pattern has none', () => {
    assert.equal(taken(attribute('a', { regex: 'id=(\\d+)(;)' }), { a: 'id=42;' }), '42')
    assert.equal(taken(attribute('a', { regex: 'id=\\d+' }), { a: 'id=42;' }), 'id=42')
    assert.equal(taken(attribute('a', { regex: 'id=(\\d*)' }), { a: 'id=;' }), '')
  })
  test('miss what is not there', () => {
    assert.equal(taken(attribute('a', { jsonPath: 'answer.none' }), { a: body }), undefined)
    assert.equal(taken(attribute('a', { jsonPath: 'answer.list.1' }), { a: body }), undefined)
    assert.equal(taken(attribute('a', { jsonPath: 'answer.list.0' }), { a: body }), '')
    assert.equal(taken(attribute('a', { regex: 'no=(\\d+)' }), { a: body }), undefined)
    assert.equal(taken(attribute('a', { regex: '(z)|id' }), { a: body }), undefined)
  })
  test('apply to a canonical field too', () => {
    const mapping: InputMapping = { from: { field: 'tool_calls' }, jsonPath: '0.arguments', regex: 'Os\\w+' }
    const call = { type: 'tool_call', name: 'weather', arguments: { city: 'Oslo' } }
    const output = [{ role: 'assistant', parts: [call] }]
    assert.equal(taken(mapping, { 'gen_ai.output.messages': output }), 'Oslo')
  })
  test('are refused when they cannot be read, and named when they take too long', () => {
    assert.throws(() => taken(attribute('a', { regex: '(' }), { a: 'x' }), RegexSyntaxError)
    assert.throws(() => taken(attribute('a', { regex: '(?=a)((?:a+)+)$' }), { a: `${'a'.repeat(40)}c` }), {
      kind: 'invalid_input',
      message: /^invalid input: mapping\.text\.regex took longer than/,
    })
  })
})

describe('several inputs', () => {
  const evaluator = evaluatorOf(
    z.object({ question: z.string(), note: z.string().optional(), answer: z.string() }),
  )
  const inputs = compileSpanInputs(evaluator, {
    question: attribute('q'),
    note: attribute('n'),
    answer: attribute('a'),
  })
  test('are one object, without those that the evaluator can do without', () => {
    assert.deepEqual(inputs.read(readable({ q: 'Q', a: 'A', n: 'N' })), {
      input: { question: 'Q', note: 'N', answer: 'A' },
    })
    assert.deepEqual(inputs.read(readable({ q: 'Q', a: 'A' })), { input: { question: 'Q', answer: 'A' } })
  })
  test('that are missing are all named', () => {
    assert.deepEqual(inputs.read(readable({ n: 'N' })), { missing: ['question', 'answer'] })
    assert.deepEqual(compileSpanInputs(evaluator, { question: attribute('q') }).read(readable({ q: 'Q' })), {
      missing: ['answer'],
    })
  })
})
