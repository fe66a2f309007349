import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chat, tool, workflow } from '../../tests/support/trace-builders.ts'
import { type SampleSpan, spansOfTrace } from '../../tests/support/trace-case.ts'
import { PREVIEW_CHARS_MAX, previewOf } from './preview.ts'
import { spanFields } from './span-fields/span-fields.ts'
import { traceFields } from './trace-fields/trace-fields.ts'

/** The preview of one span. */
function ofSpan(attributes: SampleSpan['attributes'] = {}) {
  const [span] = spansOfTrace(1, { name: 'chat', attributes })
  assert.ok(span)
  return previewOf(spanFields(span), [span])
}

function ofTrace(...samples: readonly SampleSpan[]) {
  const spans = spansOfTrace(1, ...samples)
  const fields = traceFields(spans)
  assert.ok(fields)
  return previewOf(fields, spans)
}

const messages = (value: object[]) => JSON.stringify(value)

describe('a preview', () => {
  test('is the last message of the user and the final answer', () => {
    const sent = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi' },
      { role: 'user', content: 'Where is\n\n my   parcel?' },
    ]
    const preview = ofSpan({
      'gen_ai.input.messages': messages(sent),
      'gen_ai.output.messages': messages([{ role: 'assistant', content: ' On its\tway. ' }]),
    })
    assert.deepEqual(preview, { input: 'Where is my parcel?', output: 'On its way.' })
  })

  test('has no side that the span does not tell', () => {
    assert.deepEqual(ofSpan({ 'http.method': 'GET' }), {})
    const asked = { 'gen_ai.prompt.0.role': 'user', 'gen_ai.prompt.0.content': 'Hello' }
    assert.deepEqual(ofSpan(asked), { input: 'Hello' })
  })

  test('is cut between characters and ends in an ellipsis', () => {
    const { input = '', output } = ofSpan(
      chat('👋🏽'.repeat(5_000), 'x'.repeat(PREVIEW_CHARS_MAX)).attributes,
    )
    assert.equal(Array.from(input).length, PREVIEW_CHARS_MAX)
    assert.ok(input.endsWith('…'))
    assert.ok(input.isWellFormed())
    assert.equal(output, 'x'.repeat(PREVIEW_CHARS_MAX))
  })

  test('skips white space at the head of a long text, however much', () => {
    const { input } = ofSpan(chat(`${'\n'.repeat(100_000)}Hello`, 'Hi').attributes)
    assert.equal(input, 'Hello')
  })

  test('names an image that stands alone', () => {
    const parts = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }]
    const openai = { 'gen_ai.prompt.0.role': 'user', 'gen_ai.prompt.0.content': JSON.stringify(parts) }
    assert.deepEqual(ofSpan(openai), { input: '[image]' })
    const blob = [{ role: 'user', parts: [{ type: 'blob', mime_type: 'audio/wav', content: 'AAAA' }] }]
    assert.deepEqual(ofSpan({ 'gen_ai.input.messages': messages(blob) }), { input: '[audio]' })
  })

  test('shows the words beside an image', () => {
    const parts = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    ]
    const sent = { 'gen_ai.input.messages': messages([{ role: 'user', content: parts }]) }
    assert.deepEqual(ofSpan(sent), { input: 'What is this?' })
  })

  test('names the tools that a model calls instead of answering', () => {
    const call = (name: string) => ({ type: 'tool_call', id: name, name, arguments: { city: 'Oslo' } })
    const preview = ofSpan({
      'gen_ai.input.messages': messages([{ role: 'user', content: 'Weather in Oslo?' }]),
      'gen_ai.output.messages': messages([
        { role: 'assistant', parts: [call('get_weather'), call('get_time')] },
      ]),
    })
    assert.deepEqual(preview, { input: 'Weather in Oslo?', output: '[tool call: get_weather, get_time]' })
  })

  test('tells the call and the result of a tool', () => {
    const { attributes } = tool('get_weather', { city: 'Oslo' }, { sky: 'rain' })
    assert.deepEqual(ofSpan(attributes), { input: 'get_weather {"city":"Oslo"}', output: '{"sky":"rain"}' })
  })

  test('of a trace is what the outermost span was asked and answered', () => {
    const steps = [chat('Rewrite: parcel?', 'Where is the parcel?'), chat('Answer it', 'It is late.')]
    const preview = ofTrace(workflow('Where is my parcel?', 'Sorry, it is late.', ...steps))
    assert.deepEqual(preview, { input: 'Where is my parcel?', output: 'Sorry, it is late.' })
  })

  test('of a trace whose root is silent is put together from its spans', () => {
    const preview = ofTrace({ name: 'POST /chat', within: [chat('Where is my parcel?', 'It is late.')] })
    assert.deepEqual(preview, { input: 'Where is my parcel?', output: 'It is late.' })
  })
})
