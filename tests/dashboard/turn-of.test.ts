import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindOf } from '../../dashboard/src/pages/traces/span-kind.ts'
import { turnOf } from '../../dashboard/src/pages/traces/turn-of.ts'

type Spans = Parameters<typeof turnOf>[0]

const call = (prompts: Record<string, string>, completions: Record<string, string>) =>
  ({ prompts, completions }) as unknown as Spans[number]

test('a turn is the newest question of the first call and the last answer, without the history', () => {
  const turn = turnOf([
    call({}, {}),
    call(
      {
        'llm.prompts.0.role': 'user',
        'llm.prompts.0.content': 'An older question',
        'llm.prompts.1.role': 'assistant',
        'llm.prompts.1.content': 'An older answer',
        'llm.prompts.2.role': 'user',
        'llm.prompts.2.content': 'Where is it?',
      },
      {
        'llm.completions.0.role': 'assistant',
        'llm.completions.0.content': '',
        'llm.completions.0.tool_calls.0.name': 'lookup',
        'llm.completions.0.tool_calls.0.arguments': '{}',
      },
    ),
    call({}, { 'llm.completions.0.role': 'assistant', 'llm.completions.0.content': 'In Lyon.' }),
  ])
  assert.deepEqual(
    [turn.question?.content, turn.answer?.content, turn.tools],
    ['Where is it?', 'In Lyon.', ['lookup']],
  )
})

test('a trace without texts has no question and no answer', () => {
  assert.deepEqual(turnOf([call({}, {})]), { tools: [] })
})

for (const [kind, attributes] of [
  ['chat', { 'gen_ai.operation.name': 'chat' }],
  ['chat', { 'llm.request.type': 'chat' }],
  ['chat', { 'ai.operationId': 'ai.generateText.doGenerate' }],
  ['chat', { 'gen_ai.completion.0.content': 'Hello' }],
  ['tool', { 'gen_ai.operation.name': 'execute_tool' }],
  ['tool', { 'traceloop.span.kind': 'tool', 'gen_ai.completion.0.content': 'x' }],
  ['retrieval', { 'openinference.span.kind': 'RETRIEVER' }],
  ['retrieval', { 'db.vector.query.top_k': '3', 'traceloop.span.kind': 'task' }],
  ['agent', { 'gen_ai.operation.name': 'invoke_agent' }],
  ['other', { 'traceloop.span.kind': 'workflow' }],
  ['other', { 'http.request.method': 'GET' }],
] as const) {
  test(`a span with ${Object.keys(attributes)[0]} ${Object.values(attributes)[0]} is of the kind ${kind}`, () => {
    assert.equal(kindOf({ span_attributes: attributes }), kind)
  })
}
