import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SampleSpan, spansOfTrace, transcript } from '../../../tests/support/trace-case.ts'
import { traceFields } from './trace-fields.ts'

const DOCUMENTS = JSON.stringify({
  documents: [
    { page_content: 'Paris is the capital of France.', metadata: {} },
    { page_content: 'France is in Europe.', metadata: {} },
  ],
})
const GATHERED = JSON.stringify({
  context: [{ page_content: 'Paris is the capital of France.' }, { page_content: 'France is in Europe.' }],
  question: 'Capital of France?',
})
const MESSAGE = JSON.stringify({ type: 'ai', data: { content: 'Paris.', additional_kwargs: {} } })

function openinference(name: string, kind: string, input: string, output: string): SampleSpan {
  const attributes = { 'openinference.span.kind': kind, 'input.value': input, 'output.value': output }
  return { name, attributes }
}

function task(name: string, operation: string, input: unknown, output: unknown): SampleSpan {
  return {
    name: `${operation} ${name}`,
    attributes: {
      'traceloop.span.kind': 'task',
      'traceloop.entity.name': name,
      'gen_ai.operation.name': operation,
      'traceloop.entity.input': JSON.stringify(input),
      'traceloop.entity.output': JSON.stringify(output),
    },
  }
}

/** The steps of one chain as OpenInference and OpenLLMetry report them for LangChain. */
const CHAINS: Readonly<Record<string, readonly SampleSpan[]>> = {
  OpenInference: [
    {
      ...openinference('RunnableParallel<context,question>', 'CHAIN', 'Capital of France?', GATHERED),
      within: [
        openinference('Store', 'RETRIEVER', 'Capital of France?', DOCUMENTS),
        openinference('RunnablePassthrough', 'CHAIN', 'Capital of France?', 'Capital of France?'),
      ],
    },
    openinference(
      'ChatPromptTemplate',
      'PROMPT',
      GATHERED,
      '{"messages":[{"content":"Use it","type":"system"}]}',
    ),
    {
      name: 'ChatOpenAI',
      attributes: {
        'openinference.span.kind': 'LLM',
        'llm.input_messages.0.message.role': 'user',
        'llm.input_messages.0.message.content': 'Capital of France?',
        'llm.output_messages.0.message.role': 'assistant',
        'llm.output_messages.0.message.content': 'Paris.',
      },
    },
    openinference('StrOutputParser', 'CHAIN', MESSAGE, 'Paris.'),
  ],
  OpenLLMetry: [
    {
      ...task(
        'RunnableParallel<context,question>',
        'execute_task',
        { inputs: 'Capital of France?' },
        { outputs: JSON.parse(GATHERED) },
      ),
      within: [
        task('Store', 'vector_db_retrieve', { query: 'Capital of France?' }, JSON.parse(DOCUMENTS)),
        task(
          'RunnablePassthrough',
          'execute_task',
          { inputs: 'Capital of France?' },
          { outputs: 'Capital of France?' },
        ),
      ],
    },
    task('ChatPromptTemplate', 'execute_task', { inputs: JSON.parse(GATHERED) }, { outputs: { kwargs: {} } }),
    {
      name: 'ChatOpenAI.chat',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"Capital of France?"}]}]',
        'gen_ai.output.messages': '[{"role":"assistant","parts":[{"type":"text","content":"Paris."}]}]',
      },
    },
    task('StrOutputParser', 'execute_task', { inputs: JSON.parse(MESSAGE) }, { outputs: 'Paris.' }),
  ],
}

for (const [sdk, chain] of Object.entries(CHAINS)) {
  test(`a chain of LangChain, reported by ${sdk}, is a question, its documents and an answer`, () => {
    const root = openinference('RunnableSequence', 'CHAIN', 'Capital of France?', 'Paris.')
    const traces = { 'with its root': [{ ...root, within: chain }], 'without a root that talks': chain }
    for (const [which, samples] of Object.entries(traces)) {
      const fields = traceFields(spansOfTrace(1, { name: 'request', within: samples }))
      assert.equal(fields?.get('prompt'), 'Capital of France?', which)
      assert.equal(fields?.get('completion'), 'Paris.', which)
      const context = ['Paris is the capital of France.', 'France is in Europe.']
      assert.deepEqual(fields?.get('context'), context, which)
      // The texts that the chain hands on are no turns of the conversation.
      assert.deepEqual(transcript(fields), ['user: Capital of France?', 'assistant: Paris.'], which)
    }
  })
}

test('a trace of nothing but parts that hand texts on is still read', () => {
  const fields = traceFields(spansOfTrace(1, openinference('StrOutputParser', 'CHAIN', 'q', 'Paris.')))
  assert.equal(fields?.get('completion'), 'Paris.')
})
