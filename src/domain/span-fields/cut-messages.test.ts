import { type Case, describeDialect } from '../../../tests/support/span-case.ts'

const cut = (value: unknown, after: string) => {
  const text = JSON.stringify(value)
  return text.slice(0, text.indexOf(after) + after.length)
}
const said = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] })
const inUser = {
  prompt: 'Tell me a long [cut off]',
  prompts: ['Tell me a long [cut off]'],
  messages: [{ role: 'user', content: 'Tell me a long [cut off]' }],
}
const inAnswer = {
  completion: 'Once upon [cut off]',
  completions: ['Once upon [cut off]'],
  messages: [{ role: 'assistant', content: 'Once upon [cut off]' }],
}
const question = cut({ messages: [{ role: 'user', content: 'Tell me a long story.' }] }, 'a long')
const answer = cut({ choices: [{ message: { role: 'assistant', content: 'Once upon a time.' } }] }, 'upon')

const cases: Case[] = [
  {
    name: 'the question before the cut',
    dialect: 'otel-genai',
    attributes: { 'gen_ai.input.messages': cut([said('user', 'Tell me a long story.')], 'a long') },
    fields: inUser,
  },
  {
    name: 'the answer before the cut',
    dialect: 'otel-genai',
    attributes: { 'gen_ai.output.messages': cut([said('assistant', 'Once upon a time.')], 'upon') },
    fields: inAnswer,
  },
  {
    name: 'the last question that is known, with the mark of a cut after it, because another may have followed',
    dialect: 'otel-genai',
    attributes: {
      'gen_ai.input.messages': cut(
        [
          said('system', 'Be brief.'),
          said('user', 'Hi'),
          said('assistant', 'Hello there'),
          said('user', 'Bye'),
        ],
        'Hello',
      ),
    },
    fields: {
      prompt: 'Hi [cut off]',
      system_prompt: 'Be brief.',
      prompts: ['Hi [cut off]'],
      completions: ['Hello [cut off]'],
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi [cut off]' },
        { role: 'assistant', content: 'Hello [cut off]' },
      ],
    },
  },
  {
    name: 'the system prompt before the cut',
    dialect: 'otel-genai',
    attributes: { 'gen_ai.system_instructions': cut([{ type: 'text', content: 'Be brief.' }], 'Be') },
    fields: {
      system_prompt: 'Be [cut off]',
      messages: [{ role: 'system', content: 'Be [cut off]' }],
    },
  },
  {
    name: 'the body of a request before the cut',
    dialect: 'openinference',
    attributes: { 'openinference.span.kind': 'LLM', 'input.value': question },
    fields: inUser,
  },
  {
    name: 'the body of an answer before the cut',
    dialect: 'openinference',
    attributes: { 'openinference.span.kind': 'LLM', 'output.value': answer },
    fields: inAnswer,
  },
  {
    name: 'the argument of a workflow before the cut',
    dialect: 'openllmetry',
    attributes: {
      'traceloop.entity.input': cut({ args: [], kwargs: { question: 'Tell me a long story.' } }, 'a long'),
    },
    fields: inUser,
  },
  {
    name: 'the text that a workflow returned before the cut',
    dialect: 'openllmetry',
    attributes: { 'traceloop.entity.output': '"Once upon' },
    fields: inAnswer,
  },
  {
    name: 'the messages of a run before the cut',
    dialect: 'openllmetry',
    attributes: { 'gen_ai.prompt': question, 'gen_ai.completion': answer },
    fields: { ...inUser, ...inAnswer, messages: [...inUser.messages, ...inAnswer.messages] },
  },
  {
    name: 'the oldest events before the cut',
    dialect: 'otel-genai',
    events: [
      ['gen_ai.content.prompt', { 'gen_ai.prompt': cut([said('user', 'Tell me a long story.')], 'a long') }],
    ],
    fields: inUser,
  },
  {
    name: 'the messages of an agent before the cut',
    dialect: 'pydantic-ai',
    attributes: { 'pydantic_ai.all_messages': cut([said('user', 'Tell me a long story.')], 'a long') },
    fields: inUser,
  },
  {
    name: 'the messages of the Vercel AI SDK before the cut',
    dialect: 'vercel-ai-sdk',
    attributes: {
      'ai.prompt.messages': cut(
        [{ role: 'user', content: [{ type: 'text', text: 'Tell me a long story.' }] }],
        'a long',
      ),
    },
    fields: inUser,
  },
  {
    name: 'documents before the cut',
    dialect: 'otel-genai',
    attributes: { 'gen_ai.retrieval.documents': cut([{ content: 'Oslo.' }, { content: 'Bergen.' }], 'Ber') },
    fields: { context: ['Oslo.', 'Ber [cut off]'] },
  },
  {
    name: 'texts that begin like JSON and are none',
    dialect: 'openllmetry',
    attributes: { 'traceloop.entity.input': '{"a" or "b"?', 'traceloop.entity.output': '"Yes", she said' },
    fields: {
      prompt: '{"a" or "b"?',
      completion: '"Yes", she said',
      prompts: ['{"a" or "b"?'],
      completions: ['"Yes", she said'],
      messages: [
        { role: 'user', content: '{"a" or "b"?' },
        { role: 'assistant', content: '"Yes", she said' },
      ],
    },
  },
]

describeDialect('cut texts', cases)
