import { type Case, conversation, describeDialect } from '../../../tests/support/span-case.ts'

const call = { name: 'get_weather', arguments: { city: 'Oslo' }, id: 'call_1' }
const human = (content: string) => ({ type: 'human', data: { content, type: 'human', name: null, id: '1' } })
const ai = (content: string, toolCalls: readonly object[] = []) => ({
  type: 'ai',
  data: { content, additional_kwargs: { refusal: null }, type: 'ai', name: null, tool_calls: toolCalls },
})
const toolMessage = {
  type: 'tool',
  data: { content: '{"sky":"rain"}', type: 'tool', name: 'get_weather', tool_call_id: 'call_1' },
}
const calling = ai('', [{ name: 'get_weather', args: { city: 'Oslo' }, id: 'call_1', type: 'tool_call' }])

const langchain: Case[] = [
  {
    name: 'messages with their type and their data apart, and the state of the conversation as a pair',
    dialect: 'openinference',
    attributes: {
      'openinference.span.kind': 'AGENT',
      'input.value': JSON.stringify({ messages: [['user', 'Hi']] }),
      'output.value': JSON.stringify({ messages: [human('Hi'), ai('Hello')] }),
    },
    fields: conversation('Hi', 'Hello'),
  },
  {
    name: 'a single pair of role and text',
    dialect: 'openllmetry',
    attributes: {
      'traceloop.span.kind': 'workflow',
      'traceloop.entity.input': JSON.stringify({ inputs: { messages: ['human', 'Hi'] }, tags: [] }),
      'traceloop.entity.output': JSON.stringify({ outputs: { messages: [ai('Hello')] }, kwargs: {} }),
    },
    fields: conversation('Hi', 'Hello'),
  },
  {
    name: 'a command that updates the state of a graph',
    dialect: 'openllmetry',
    attributes: {
      'traceloop.span.kind': 'task',
      'traceloop.entity.input': JSON.stringify({ inputs: { messages: [human('Hi')] } }),
      'traceloop.entity.output': JSON.stringify({
        outputs: { graph: null, update: { messages: [ai('Hello')] }, resume: null, goto: [] },
      }),
    },
    fields: conversation('Hi', 'Hello'),
  },
  {
    name: 'the whole state of a node, of which a list beside it has only the first message',
    dialect: 'openinference',
    attributes: {
      'openinference.span.kind': 'CHAIN',
      'llm.input_messages.0.message.role': 'user',
      'llm.input_messages.0.message.content': 'Hi',
      'input.value': JSON.stringify({ messages: [human('Hi'), ai('Hello'), human('Weather in Oslo?')] }),
      'output.value': JSON.stringify({ messages: [calling] }),
    },
    fields: {
      prompt: 'Weather in Oslo?',
      prompts: ['Hi', 'Weather in Oslo?'],
      completions: ['Hello'],
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello' },
        { role: 'user', content: 'Weather in Oslo?' },
        { role: 'assistant', content: '', tool_calls: [call] },
      ],
      tool_calls: [call],
    },
  },
  {
    name: 'the result of a tool within its message',
    dialect: 'openinference',
    attributes: {
      'openinference.span.kind': 'TOOL',
      'tool.name': 'get_weather',
      'input.value': 'Oslo',
      'output.value': JSON.stringify(toolMessage),
      'output.mime_type': 'application/json',
    },
    fields: {
      tool_calls: [{ name: 'get_weather', arguments: 'Oslo' }],
      tool_results: [{ name: 'get_weather', id: 'call_1', result: { sky: 'rain' } }],
    },
  },
  {
    name: 'the result of a tool that a decorated function returned as a message',
    dialect: 'openllmetry',
    attributes: {
      'traceloop.span.kind': 'tool',
      'traceloop.entity.name': 'get_weather',
      'traceloop.entity.input': '{"city":"Oslo"}',
      'traceloop.entity.output': JSON.stringify(toolMessage),
    },
    fields: {
      tool_calls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }],
      tool_results: [{ name: 'get_weather', id: 'call_1', result: { sky: 'rain' } }],
    },
  },
  {
    name: 'a tool whose call is the whole record of its run',
    dialect: 'otel-genai',
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'get_weather',
      'gen_ai.tool.call.arguments': JSON.stringify({
        input_str: "{'city': 'Oslo'}",
        tags: [],
        metadata: {},
        inputs: { city: 'Oslo' },
        kwargs: { tool_call_id: 'call_1' },
      }),
      'gen_ai.tool.call.result': JSON.stringify({ output: toolMessage, kwargs: { tags: [] } }),
    },
    fields: {
      tool_calls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }],
      tool_results: [{ name: 'get_weather', id: 'call_1', result: { sky: 'rain' } }],
    },
  },
  {
    name: 'no answer in a prompt that was put together',
    dialect: 'openllmetry',
    attributes: {
      'traceloop.span.kind': 'task',
      'traceloop.entity.input': '{"inputs":{"question":"Hi"}}',
      'traceloop.entity.output': JSON.stringify({
        outputs: {
          lc: 1,
          type: 'constructor',
          id: ['langchain', 'prompts', 'chat', 'ChatPromptValue'],
          kwargs: {
            messages: [
              {
                lc: 1,
                type: 'constructor',
                id: ['langchain', 'schema', 'messages', 'HumanMessage'],
                kwargs: { content: 'Hi', type: 'human' },
              },
            ],
          },
        },
      }),
    },
    fields: { prompt: 'Hi', prompts: ['Hi'], messages: [{ role: 'user', content: 'Hi' }] },
  },
]

describeDialect('langchain', langchain)

const node = JSON.stringify({ node: { id_: '1', text: 'Oslo is old.' }, score: 1 })

const llamaIndex: Case[] = [
  {
    name: 'a retriever, whose nodes are JSON texts in a list',
    dialect: 'openllmetry',
    attributes: {
      'traceloop.span.kind': 'task',
      'traceloop.entity.name': 'VectorIndexRetriever.task',
      'traceloop.entity.input': '{"query_bundle":{"query_str":"How old is Oslo?","embedding":null}}',
      'traceloop.entity.output': JSON.stringify([node]),
    },
    fields: {
      prompt: 'How old is Oslo?',
      prompts: ['How old is Oslo?'],
      messages: [{ role: 'user', content: 'How old is Oslo?' }],
      context: ['Oslo is old.'],
    },
  },
  {
    name: 'a retriever whose documents are names of objects, which are no documents',
    dialect: 'openinference',
    attributes: {
      'openinference.span.kind': 'RETRIEVER',
      'input.value': 'How old is Oslo?',
      'output.value': '["<NodeWithScore(node=TextNode(id_=1), score=1.0)>"]',
    },
    fields: {
      prompt: 'How old is Oslo?',
      prompts: ['How old is Oslo?'],
      messages: [{ role: 'user', content: 'How old is Oslo?' }],
    },
  },
  {
    name: 'an embedding, which is no answer',
    dialect: 'openllmetry',
    attributes: {
      'traceloop.span.kind': 'task',
      'gen_ai.operation.name': 'embeddings',
      'traceloop.entity.input': '{"query":"How old is Oslo?"}',
      'traceloop.entity.output': '[0.5, 0.5]',
    },
    fields: {},
  },
  {
    name: 'a template and its variables as the prompt that they make',
    dialect: 'openinference',
    attributes: {
      'openinference.span.kind': 'LLM',
      'llm.prompt_template.template': 'Context: {context_str}\nQuery: {query_str}\n{other} {{}}',
      'llm.prompt_template.variables': '{"context_str":"Oslo is {old}.","query_str":"How old is Oslo?"}',
      'input.value': '{"prompt":"SelectorPromptTemplate(metadata={})"}',
      'output.value': 'Very old.',
    },
    fields: conversation('Context: Oslo is {old}.\nQuery: How old is Oslo?\n{other} {{}}', 'Very old.'),
  },
]

describeDialect('llama-index', llamaIndex)
