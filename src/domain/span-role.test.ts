import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spansOfTrace } from '../../tests/support/trace-case.ts'
import type { AttributeValue } from '../lib/otlp/span.ts'
import { spanFields } from './span-fields/span-fields.ts'
import { handsOn, isSkipped, type SpanRole, spanRole } from './span-role.ts'

type Given = Readonly<Record<string, AttributeValue>>

function roleOf(attributes: Given, name = 'span'): SpanRole {
  const [span] = spansOfTrace(1, { name, attributes })
  assert.ok(span)
  return spanRole(span, spanFields(span))
}

const CASES: readonly (readonly [SpanRole, string, Given])[] = [
  // Vercel AI SDK 6.0.
  [
    'model call',
    'the inner span of generateText',
    {
      'operation.name': 'ai.generateText.doGenerate fn',
      'ai.operationId': 'ai.generateText.doGenerate',
      'gen_ai.system': 'openai.chat',
      'ai.response.text': 'Sunny.',
    },
  ],
  ['model call', 'the inner span of streamText', { 'ai.operationId': 'ai.streamText.doStream' }],
  [
    'wrapper',
    'the outer span of generateText',
    { 'ai.operationId': 'ai.generateText', 'ai.model.id': 'gpt-4o', 'ai.response.text': 'Sunny.' },
  ],
  [
    'wrapper',
    'an outer span that a processor of OpenInference has seen',
    { 'ai.operationId': 'ai.streamObject', 'openinference.span.kind': 'AGENT' },
  ],
  ['tool', 'a tool of the Vercel AI SDK', { 'ai.operationId': 'ai.toolCall', 'ai.toolCall.name': 'weather' }],
  [
    'embedding',
    'an embedding of the Vercel AI SDK',
    { 'ai.operationId': 'ai.embed.doEmbed', 'ai.model.id': 'm' },
  ],
  // OpenInference for LangChain 0.1.80.
  [
    'model call',
    'a chat model of OpenInference',
    { 'openinference.span.kind': 'LLM', 'llm.output_messages.0.message.content': 'Paris.' },
  ],
  ['chain', 'a chain', { 'openinference.span.kind': 'CHAIN', 'input.value': 'q', 'output.value': 'a' }],
  ['template', 'a prompt template', { 'openinference.span.kind': 'PROMPT', 'output.value': '{}' }],
  ['retrieval', 'a retriever', { 'openinference.span.kind': 'RETRIEVER', 'input.value': 'q' }],
  ['guard', 'a guardrail', { 'openinference.span.kind': 'GUARDRAIL', 'output.value': 'pass' }],
  ['agent', 'an agent', { 'openinference.span.kind': 'AGENT', 'output.value': 'a' }],
  // OpenLLMetry for LangChain 0.62.
  [
    'workflow',
    'a workflow of LangChain, which says that it is an agent too',
    {
      'traceloop.span.kind': 'workflow',
      'gen_ai.operation.name': 'invoke_agent',
      'traceloop.entity.output': '"a"',
    },
  ],
  [
    'task',
    'a task of LangChain with the vendor of its framework',
    {
      'traceloop.span.kind': 'task',
      'gen_ai.operation.name': 'execute_task',
      'gen_ai.provider.name': 'langchain',
    },
  ],
  [
    'retrieval',
    'a retriever of OpenLLMetry, which is a task too',
    { 'traceloop.span.kind': 'task', 'gen_ai.operation.name': 'vector_db_retrieve' },
  ],
  [
    'model call',
    'a chat of OpenLLMetry within a workflow',
    { 'traceloop.workflow.name': 'w', 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-4o' },
  ],
  ['model call', 'a completion of an old SDK', { 'llm.request.type': 'completion' }],
  ['tool', 'a tool of OpenLLMetry', { 'traceloop.span.kind': 'tool', 'traceloop.entity.name': 'search' }],
  ['guard', 'a guard of an SDK', { 'gen_ai.operation.name': 'guard', 'gen_ai.guardrail.name': 'pii' }],
  [
    'guard',
    'the run of several guards of an SDK',
    { 'gen_ai.operation.name': 'guardrail.run', 'gen_ai.guardrail.name': 'outgoing' },
  ],
  [
    'other',
    'the creation of an agent',
    { 'gen_ai.operation.name': 'create_agent', 'gen_ai.request.model': 'm' },
  ],
  [
    'chain',
    'a function that MLflow traces',
    { 'mlflow.spanType': '"CHAIN"', 'mlflow.spanInputs': '{"question":"q"}', 'mlflow.spanOutputs': '"a"' },
  ],
  ['model call', 'a chat model of MLflow', { 'mlflow.spanType': '"CHAT_MODEL"' }],
  ['model call', 'a completion of MLflow, without quotes', { 'mlflow.spanType': 'LLM' }],
  ['retrieval', 'a retriever of MLflow', { 'mlflow.spanType': '"RETRIEVER"', 'mlflow.spanOutputs': '[]' }],
  ['chain', 'a parser of MLflow', { 'mlflow.spanType': '"PARSER"', 'mlflow.spanOutputs': '"a"' }],
  ['other', 'a span of MLflow without a type', { 'mlflow.spanType': '"UNKNOWN"' }],
  // Spans that say nothing of themselves.
  ['model call', 'a conversation', { 'gen_ai.prompt.0.content': 'q', 'gen_ai.completion.0.content': 'a' }],
  ['model call', 'a call whose texts are not recorded', { 'gen_ai.request.model': 'gpt-4o' }],
  [
    'model call',
    'a gateway that reports model and request in one span',
    { 'http.request.method': 'POST', 'gen_ai.request.model': 'gpt-4o' },
  ],
  [
    'other',
    'an HTTP request with the session that SDKs put on every span',
    { 'http.request.method': 'GET', 'gen_ai.conversation.id': 's', 'traceloop.workflow.name': 'w' },
  ],
  ['other', 'a query of a database', { 'db.system': 'postgresql', 'db.statement': 'SELECT 1' }],
  ['other', 'nothing at all', {}],
]

for (const [role, what, attributes] of CASES) {
  test(`${what}: ${role}`, () => assert.equal(roleOf(attributes), role))
}

test('plumbing is everything but calls of models, tools and agents; wrappers are a part of it', () => {
  for (const role of ['model call', 'tool', 'agent'] as const) {
    assert.ok(!isSkipped(role, 'plumbing'), role)
    assert.ok(!isSkipped(role, 'wrappers'), role)
  }
  for (const role of ['workflow', 'task', 'chain', 'retrieval', 'guard', 'other'] as const) {
    assert.ok(isSkipped(role, 'plumbing'), role)
    assert.ok(!isSkipped(role, 'wrappers'), role)
  }
  assert.ok(isSkipped('wrapper', 'plumbing'))
  assert.ok(isSkipped('wrapper', 'wrappers'))
})

test('parts of a chain that only change the form of texts hand them on; a function of the application does not', () => {
  const of = (name: string, attributes: Given = { 'openinference.span.kind': 'CHAIN' }) => {
    const [span] = spansOfTrace(1, { name, attributes })
    assert.ok(span)
    return handsOn(span, spanRole(span, spanFields(span)))
  }
  for (const name of [
    ...['RunnableParallel<context,question>', 'RunnablePassthrough', 'RunnableAssign<context>'],
    ...['StrOutputParser', 'PydanticOutputParser', 'ChatPromptTemplate', 'RecursiveCharacterTextSplitter'],
  ])
    assert.ok(of(name), name)
  for (const name of ['RunnableSequence', 'RunnableLambda', 'answer', 'RunnableParallelism'])
    assert.ok(!of(name), name)
  assert.ok(
    of('execute_task x', { 'traceloop.span.kind': 'task', 'traceloop.entity.name': 'StrOutputParser' }),
  )
  assert.ok(!of('StrOutputParser', { 'gen_ai.operation.name': 'chat' }))
})
