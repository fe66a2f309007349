import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { AttributeValue, Span, SpanEvent } from '../../lib/otlp/span.ts'
import { CANONICAL_FIELDS } from '../evaluator.ts'
import { inputText } from './input-text.ts'
import { type SpanFields, spanFields } from './span-fields.ts'

type Given = Readonly<Record<string, AttributeValue>>

const emptySpan: Span = {
  ...{ traceId: '0'.repeat(32), spanId: '0'.repeat(16), traceState: '', name: 'span', kind: 3 },
  ...{ startUnixNano: 0n, endUnixNano: 1n, statusCode: 0, statusMessage: '' },
  ...{ attributes: new Map(), resource: new Map(), scopeName: '', scopeVersion: '', events: [] },
}

function fieldsOf(attributes: Given, rest: Partial<Span> = {}): SpanFields {
  return spanFields({ ...emptySpan, attributes: new Map(Object.entries(attributes)), ...rest })
}

function outputOf(...messages: AttributeValue[]): SpanFields {
  return fieldsOf({ 'gen_ai.output.messages': messages })
}

function said(role: string, content: string) {
  return { role, parts: [{ type: 'text', content }] }
}

describe('origins', () => {
  const fields = fieldsOf({
    'gen_ai.prompt.0.role': 'system',
    'gen_ai.prompt.0.content': 'Be brief.',
    'gen_ai.prompt.4.role': 'user',
    'gen_ai.prompt.4.content': 'Hi',
    'ai.response.text': 'Hello',
    'session.id': 's1',
  })
  const keys = (field: (typeof CANONICAL_FIELDS)[number]) => fields.origins(field).map(({ key }) => key)

  test('name the one attribute that a text was read from', () => {
    assert.deepEqual(fields.origins('prompt'), [
      { source: 'span_attributes', key: 'gen_ai.prompt.4.content' },
    ])
    assert.deepEqual(keys('system_prompt'), ['gen_ai.prompt.0.content'])
    assert.deepEqual(keys('completion'), ['ai.response.text'])
    assert.deepEqual(keys('session_id'), ['session.id'])
  })
  test('name a list by its numbered attributes as a whole, and only the sides that gave something', () => {
    assert.deepEqual(keys('messages'), ['gen_ai.prompt.*', 'ai.response.text'])
    assert.deepEqual(keys('input_messages'), ['gen_ai.prompt.*'])
    assert.deepEqual(keys('output_messages'), ['ai.response.text'])
    assert.deepEqual(keys('prompts'), ['gen_ai.prompt.*'])
    assert.deepEqual(keys('completions'), ['ai.response.text'])
  })
  test('are none for what is not there', () => assert.deepEqual(keys('context'), []))
  test('name the event, the resource, the name and the status of a span', () => {
    const event: SpanEvent = {
      name: 'gen_ai.user.message',
      timeUnixNano: 0n,
      attributes: new Map([['content', 'Hi']]),
    }
    assert.deepEqual(fieldsOf({}, { events: [event] }).origins('prompt'), [
      { source: 'event_attributes', event: 'gen_ai.user.message', key: 'content' },
    ])
    const onResource = fieldsOf({}, { resource: new Map([['session.id', 's2']]) })
    assert.deepEqual(onResource.origins('session_id'), [{ source: 'resource_attributes', key: 'session.id' }])
    const failed = fieldsOf({ 'openinference.span.kind': 'TOOL' }, { statusCode: 2, name: 'search' })
    assert.deepEqual(failed.origins('tool_calls'), [{ source: 'span_name', key: 'name' }])
    assert.deepEqual(failed.origins('tool_results'), [{ source: 'span_status', key: 'message' }])
  })
})

describe('of several dialects on one span', () => {
  const everything: [attribute: Given, prompt: string][] = [
    [{ 'gen_ai.input.messages': '[{"role":"user","content":"otel"}]' }, 'otel'],
    [{ 'gen_ai.prompt.0.content': 'openllmetry' }, 'openllmetry'],
    [{ 'llm.prompts.0.content': 'older openllmetry' }, 'older openllmetry'],
    [{ 'llm.input_messages.0.message.content': 'openinference' }, 'openinference'],
    [{ 'ai.prompt.messages': '[{"role":"user","content":"vercel"}]' }, 'vercel'],
    [{ 'input.value': 'value' }, 'value'],
    [{ 'traceloop.entity.input': '"entity"' }, 'entity'],
  ]
  for (const [at, [, prompt]] of everything.entries()) {
    test(`${prompt} comes before all that follow it in the order of precedence`, () => {
      const rest = Object.assign({}, ...everything.slice(at).map(([attribute]) => attribute))
      assert.equal(fieldsOf(rest).get('prompt'), prompt)
    })
  }
  test('each thing comes from the first that has it', () => {
    const fields = fieldsOf({
      'gen_ai.input.messages': '[{"role":"user","content":"Hi"}]',
      'gen_ai.output.messages': '[]',
      'ai.response.text': 'Hello',
      'retrieval.documents.0.document.content': 'A',
    })
    assert.equal(fields.get('prompt'), 'Hi')
    assert.equal(fields.get('completion'), 'Hello')
    assert.deepEqual(fields.get('context'), ['A'])
    assert.equal(fields.dialect, 'otel-genai')
  })
  test('one that is broken leaves the word to the next', () => {
    const fields = fieldsOf({
      'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"cut o',
      'gen_ai.prompt.0.content': 'Hi',
    })
    assert.equal(fields.get('prompt'), 'Hi')
  })
})

describe('the answer', () => {
  test('is the first of several alternatives', () => {
    const fields = outputOf(said('assistant', 'one'), said('assistant', 'two'))
    assert.equal(fields.get('completion'), 'one')
    assert.deepEqual(fields.get('completions'), ['one'])
    assert.equal(fields.get('messages')?.length, 2)
  })
  test('is the last step of an agent', () => {
    const call = { type: 'tool_call', id: '1', name: 'search', arguments: {} }
    const fields = outputOf(
      { role: 'assistant', parts: [{ type: 'text', content: 'I search.' }, call] },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: '1', response: { hits: 0 } }] },
      said('assistant', 'Nothing there.'),
    )
    assert.equal(fields.get('completion'), 'Nothing there.')
    assert.deepEqual(fields.get('completions'), ['I search.', 'Nothing there.'])
    assert.deepEqual(fields.get('tool_results'), [{ name: 'search', id: '1', result: { hits: 0 } }])
  })
  test('has no thoughts in it, but a refusal', () => {
    const parts = [
      { type: 'reasoning', content: 'hm' },
      { type: 'refusal', refusal: 'I cannot.' },
    ]
    assert.equal(outputOf({ role: 'assistant', parts }).get('completion'), 'I cannot.')
  })
  test('is absent, not empty, where a model says nothing', () => {
    const fields = fieldsOf({
      'gen_ai.completion.0.content': '',
      'gen_ai.completion.0.finish_reason': 'stop',
    })
    assert.equal(fields.get('completion'), undefined)
    assert.equal(fields.get('completions'), undefined)
  })
})

describe('the two sides of a conversation', () => {
  const call = { name: 'search', arguments: { q: 'tea' } }
  const fields = fieldsOf({
    'gen_ai.system_instructions': 'Be brief.',
    'gen_ai.input.messages': [said('user', 'Find tea.'), said('assistant', 'Which?'), said('user', 'Green.')],
    'gen_ai.output.messages': [{ role: 'assistant', parts: [{ type: 'tool_call', ...call }] }],
  })
  test('are what was sent, with the system prompt, and what came back, with its calls', () => {
    assert.deepEqual(fields.get('input_messages'), [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Find tea.' },
      { role: 'assistant', content: 'Which?' },
      { role: 'user', content: 'Green.' },
    ])
    assert.deepEqual(fields.get('output_messages'), [{ role: 'assistant', content: '', tool_calls: [call] }])
  })
  test('are absent where that side is', () => {
    assert.deepEqual(outputOf(said('assistant', 'Hi')).found(), [
      ...['completion', 'messages', 'output_messages', 'completions'],
    ])
    assert.equal(outputOf(said('assistant', 'Hi')).get('input_messages'), undefined)
  })
})

describe('the prompt', () => {
  test('is what the user said last, before results of tools that Anthropic sends as the user', () => {
    const fields = fieldsOf({
      'gen_ai.input.messages': [
        { role: 'user', content: 'Weather?' },
        { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'weather', input: {} }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: '1', content: [{ type: 'text', text: 'rain' }] }],
        },
      ],
    })
    assert.equal(fields.get('prompt'), 'Weather?')
    assert.deepEqual(fields.get('prompts'), ['Weather?'])
    assert.deepEqual(fields.get('tool_results'), [{ name: 'weather', id: '1', result: 'rain' }])
  })
  test('is not the system prompt', () => {
    const fields = fieldsOf({ 'gen_ai.input.messages': [said('developer', 'Be brief.')] })
    assert.equal(fields.get('prompt'), undefined)
    assert.equal(fields.get('system_prompt'), 'Be brief.')
  })
  test('keeps the system prompt once where it is sent twice', () => {
    const fields = fieldsOf({
      'gen_ai.system_instructions': 'Be brief.',
      'gen_ai.input.messages': [said('system', 'Be brief.'), said('system', 'Be kind.'), said('user', 'Hi')],
    })
    assert.equal(fields.get('system_prompt'), 'Be brief.\n\nBe kind.')
    assert.deepEqual(
      fields.get('input_messages')?.map(({ role }) => role),
      ['system', 'system', 'user'],
    )
  })
  test('is not taken from records of people that have a role', () => {
    const fields = fieldsOf({ 'traceloop.entity.input': '{"args":[{"role":"admin","question":"Hi"}]}' })
    assert.equal(fields.get('prompt'), 'Hi')
  })
})

describe('what is broken', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  const cases: readonly [name: string, attributes: Given, prompt: string | undefined][] = [
    ['a list that was cut off', { 'gen_ai.input.messages': '[{"role":"user","content":"Hi' }, 'Hi [cut off]'],
    ['a plain text in place of a list', { 'gen_ai.input.messages': 'Hi' }, 'Hi'],
    ['a text that begins like a list', { 'gen_ai.input.messages': '[urgent] Hi' }, '[urgent] Hi'],
    ['a number in place of a list', { 'gen_ai.input.messages': 7 }, '7'],
    ['null in place of a list', { 'gen_ai.input.messages': null, 'input.value': 'Hi' }, 'Hi'],
    ['an empty list', { 'gen_ai.input.messages': '[]', 'input.value': 'Hi' }, 'Hi'],
    ['nulls in a list', { 'gen_ai.input.messages': [null, { role: 'user', content: 'Hi' }, null] }, 'Hi'],
    ['messages without content', { 'gen_ai.input.messages': [said('user', 'Hi'), { role: 'user' }] }, 'Hi'],
    [
      'parts of wrong types',
      { 'gen_ai.input.messages': [{ role: 'user', parts: [1, null, [], 'Hi'] }] },
      '1\nHi',
    ],
    ['a role of the wrong type', { 'gen_ai.prompt.0.role': 5, 'gen_ai.prompt.0.content': 'Hi' }, undefined],
    ['no role', { 'gen_ai.prompt.0.content': 'Hi' }, 'Hi'],
    [
      'gaps in the numbers',
      { 'gen_ai.prompt.10.content': 'last', 'gen_ai.prompt.9.content': 'first' },
      'last',
    ],
    [
      'names that are no numbers',
      { 'gen_ai.prompt.name': 'greeting', 'gen_ai.prompt.0x.content': 'Hi' },
      undefined,
    ],
    ['nesting without end', { 'gen_ai.input.messages': deep, 'traceloop.entity.input': deep }, deep],
    ['numbers without end', { [`gen_ai.prompt.${'0.'.repeat(10_000)}content`]: 'Hi' }, undefined],
    [
      'a name that objects inherit',
      { 'input.value': '{"__proto__":{"question":"no"},"question":"Hi"}' },
      'Hi',
    ],
  ]
  for (const [name, attributes, prompt] of cases) {
    test(`gives what is there: ${name}`, () => assert.equal(fieldsOf(attributes).get('prompt'), prompt))
  }
  test('log-probabilities with a gap are none, because their mean would be of another text', () => {
    assert.deepEqual(fieldsOf({ 'gen_ai.response.logprobs': '[null,-0.5]' }).get('logprobs'), [-0.5])
    assert.equal(fieldsOf({ 'gen_ai.response.logprobs': '[-0.5,null]' }).get('logprobs'), undefined)
    assert.equal(fieldsOf({ 'gen_ai.response.logprobs': [-0.5, 'x'] }).get('logprobs'), undefined)
  })
  test('calls without a tool are left out, arguments that are no JSON stay text', () => {
    const tool_calls = [{ id: '1' }, { name: 'a', arguments: '{"x":' }, { name: 'b' }]
    const fields = fieldsOf({ 'gen_ai.output.messages': [{ role: 'assistant', tool_calls }] })
    assert.deepEqual(fields.get('tool_calls'), [
      { name: 'a', arguments: '{"x":' },
      { name: 'b', arguments: {} },
    ])
  })
})

test('10,000 messages are read in order', () => {
  const attributes = new Map<string, AttributeValue>()
  for (let at = 9999; at >= 0; at--) {
    attributes.set(`gen_ai.prompt.${at}.role`, at % 2 === 0 ? 'user' : 'assistant')
    attributes.set(`gen_ai.prompt.${at}.content`, `turn ${at}`)
  }
  const fields = spanFields({ ...emptySpan, attributes })
  assert.equal(fields.get('messages')?.length, 10_000)
  assert.equal(fields.get('prompt'), 'turn 9998')
  assert.deepEqual(fields.get('completions')?.slice(0, 2), ['turn 1', 'turn 3'])
  assert.equal(fields.origins('messages').length, 1)
})

describe('whatever the attributes hold', () => {
  const names = fc.constantFrom(
    ...['gen_ai.input.messages', 'gen_ai.output.messages', 'gen_ai.system_instructions', 'gen_ai.tool.name'],
    ...['gen_ai.tool.definitions', 'gen_ai.tool.call.arguments', 'gen_ai.tool.call.result', 'gen_ai.prompt'],
    ...[
      'gen_ai.retrieval.documents',
      'gen_ai.response.logprobs',
      'gen_ai.prompt.0',
      'gen_ai.prompt.0.content',
    ],
    ...['gen_ai.prompt.1.tool_calls.0.name', 'gen_ai.prompt.1.tool_calls', 'gen_ai.completion.0.logprobs'],
    ...['llm.prompts', 'llm.prompts.0.prompt.text', 'llm.input_messages', 'llm.input_messages.0.message'],
    ...[
      'llm.input_messages.0.message.contents.0.message_content',
      'llm.tools',
      'llm.tools.0.tool.json_schema',
    ],
    ...['retrieval.documents', 'retrieval.documents.0.document', 'input.value', 'output.value', 'tool.name'],
    ...['ai.prompt', 'ai.prompt.messages', 'ai.prompt.tools', 'ai.response.text', 'ai.response.toolCalls'],
    ...['ai.toolCall.name', 'ai.toolCall.args', 'ai.response.providerMetadata', 'llm.request.functions.0'],
    ...['traceloop.entity.input', 'traceloop.entity.output', 'traceloop.entity.name', 'session.id'],
    ...['mcp.method.name', 'mcp.request.argument', 'mcp.response.value', 'db.query.result.document'],
    ...['content', 'message', 'gen_ai.event.content', 'db.query.result.metadata', 'gen_ai.completion'],
  )
  const keys = fc.constantFrom(
    ...['role', 'content', 'parts', 'type', 'text', 'tool_calls', 'function', 'name', 'arguments', 'message'],
    ...['messages', 'args', 'kwargs', 'inputs', 'outputs', 'documents', 'choices', 'id', 'result', 'system'],
    ...[
      'message.role',
      'tool',
      'json_schema',
      'input',
      'output',
      'isError',
      'logprobs',
      'value',
      '__proto__',
    ],
  )
  const words = fc.constantFrom(
    ...['user', 'assistant', 'tool', 'text', 'tool_call', 'tool_result', 'reasoning', 'execute_tool', 'null'],
    ...['', 'Hi', '[', '{"a":', '"quoted"', 'TOOL', 'tools/call'],
  )
  const { value } = fc.letrec<{ value: AttributeValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      words,
      fc.constantFrom<AttributeValue>(null, true, 0, -1.5, Number.NaN, 2n ** 62n, new Uint8Array([1])),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(keys, tie('value'), { maxKeys: 5 }),
    ),
  }))
  const asText = value.map((one) =>
    JSON.stringify(one, (_key, inner) => (typeof inner === 'bigint' ? String(inner) : inner)),
  )
  const attributes = fc
    .array(fc.tuple(names, fc.oneof(value, asText)), { maxLength: 8 })
    .map((entries) => new Map<string, AttributeValue>(entries))
  const kinds = fc.constantFrom<Given>(
    {},
    { 'openinference.span.kind': 'TOOL' },
    { 'openinference.span.kind': 'RETRIEVER' },
    { 'traceloop.span.kind': 'tool' },
    { 'gen_ai.operation.name': 'execute_tool' },
  )
  const eventNames = fc.constantFrom(
    ...['gen_ai.user.message', 'gen_ai.tool.message', 'gen_ai.choice', 'gen_ai.content.prompt'],
    ...['gen_ai.client.inference.operation.details', 'db.query.result', 'exception'],
  )
  const events = fc.array(fc.record({ name: eventNames, timeUnixNano: fc.constant(0n), attributes }), {
    maxLength: 3,
  })

  test('nothing throws, every field has its type, and none is empty', () => {
    fc.assert(
      fc.property(attributes, kinds, events, fc.nat(2), (given, kind, happened, statusCode) => {
        const all = new Map([...given, ...Object.entries(kind)])
        const fields = spanFields({ ...emptySpan, attributes: all, events: happened, statusCode })
        assert.ok(fields.dialect === undefined || typeof fields.dialect === 'string')
        for (const field of CANONICAL_FIELDS) {
          const found = fields.get(field)
          assert.equal(fields.found().includes(field), found !== undefined)
          if (found === undefined) continue
          assert.ok(found.length > 0, field)
          assert.ok(fields.origins(field).length > 0, field)
          assert.equal(typeof inputText(found, field), 'string')
        }
        const texts = ['prompt', 'completion', 'system_prompt', 'model', 'session_id'] as const
        for (const field of texts) assert.ok(['string', 'undefined'].includes(typeof fields.get(field)))
        for (const { role, content, tool_calls = [] } of fields.get('messages') ?? []) {
          assert.deepEqual([typeof role, typeof content], ['string', 'string'])
          for (const call of tool_calls) assert.ok(call.name.length > 0)
        }
        for (const document of fields.get('context') ?? []) assert.notEqual(document, '')
      }),
      { numRuns: 3000 },
    )
  })
})
