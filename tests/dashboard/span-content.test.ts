import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  documentsOf,
  messagesOf,
  type StoredSpan,
  textsOf,
  toolRunOf,
} from '../../dashboard/src/ui/span-content.ts'

const span = (fields: Partial<StoredSpan>) =>
  ({ span_name: 'a span', prompts: {}, completions: {}, span_attributes: {}, ...fields }) as StoredSpan

test('a chat is what was sent and after it what came back, with calls of tools and who answered them', () => {
  const messages = messagesOf(
    span({
      prompts: {
        'llm.prompts.0.role': 'user',
        'llm.prompts.0.content': 'Where is it?',
        'llm.prompts.1.role': 'assistant',
        'llm.prompts.1.content': '',
        'llm.prompts.1.tool_calls.0.name': 'lookup',
        'llm.prompts.1.tool_calls.0.arguments': '{"id":1}',
        'llm.prompts.2.role': 'tool',
        'llm.prompts.2.content': 'Lyon',
      },
      completions: { 'llm.completions.0.role': 'assistant', 'llm.completions.0.content': 'In Lyon.' },
    }),
  )
  assert.deepEqual(messages, [
    { role: 'user', content: 'Where is it?', toolCalls: [] },
    { role: 'assistant', content: '', toolCalls: [{ name: 'lookup', arguments: '{"id":1}' }] },
    { role: 'tool', content: 'Lyon', toolCalls: [], tool: 'lookup' },
    { role: 'assistant', content: 'In Lyon.', toolCalls: [] },
  ])
})

test('documents have titles and scores where the span tells them', () => {
  const attributes = {
    'retrieval.documents.0.document.content': 'Thirty days.',
    'retrieval.documents.0.document.score': '0.9',
    'retrieval.documents.0.document.metadata': '{"title":"returns.md"}',
    'retrieval.documents.1.document.content': 'Five days.',
    'retrieval.documents.1.document.id': 'doc-2',
  }
  assert.deepEqual(documentsOf(span({ span_attributes: attributes })), [
    { text: 'Thirty days.', title: 'returns.md', score: 0.9 },
    { text: 'Five days.', title: 'doc-2' },
  ])
})

test('documents that only the service can read are shown as texts', () => {
  assert.deepEqual(documentsOf(span({ documents: ['From an event.'] })), [{ text: 'From an event.' }])
})

test('the run of a tool has what it was asked and what it answered', () => {
  const attributes = {
    'traceloop.span.kind': 'tool',
    'traceloop.entity.name': 'find_order',
    'traceloop.entity.input': '{"customer":1}',
    'traceloop.entity.output': '{"order":2}',
  }
  const run = { name: 'find_order', arguments: '{"customer":1}', result: '{"order":2}' }
  assert.deepEqual(toolRunOf(span({ span_attributes: attributes })), run)
  assert.equal(toolRunOf(span({})), undefined)
})

test('only texts that are shown are searched: the input of a chat is its messages', () => {
  const chat = {
    completions: { 'llm.completions.0.role': 'assistant', 'llm.completions.0.content': 'Yes.' },
    input: 'hidden',
  }
  assert.deepEqual(textsOf(span(chat)), ['Yes.'])
  assert.deepEqual(textsOf(span({ input: 'shown', output: 'too' })), ['shown', 'too'])
})
