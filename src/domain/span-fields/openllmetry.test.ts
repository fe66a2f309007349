import {
  type Case,
  conversation,
  describeDialect,
  weatherFields,
  weatherSchema,
  weatherTool,
} from '../../../tests/support/span-case.ts'

const WEATHER_CALL = { name: 'get_weather', arguments: { city: 'Oslo', exact: true } }

const openllmetry: Case[] = [
  {
    name: 'numbered prompts and completions with tool calls',
    dialect: 'openllmetry',
    attributes: {
      'gen_ai.system': 'OpenAI',
      'llm.request.type': 'chat',
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.prompt.0.role': 'system',
      'gen_ai.prompt.0.content': 'Be brief.',
      'gen_ai.prompt.1.role': 'user',
      'gen_ai.prompt.1.content': 'Weather in Oslo?',
      'gen_ai.prompt.2.role': 'assistant',
      'gen_ai.prompt.2.tool_calls.0.id': 'call_1',
      'gen_ai.prompt.2.tool_calls.0.name': 'get_weather',
      'gen_ai.prompt.2.tool_calls.0.arguments': '{"city":"Oslo"}',
      'gen_ai.prompt.3.role': 'tool',
      'gen_ai.prompt.3.content': '{"sky":"rain"}',
      'gen_ai.prompt.3.tool_call_id': 'call_1',
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.content': 'Rain, 4 degrees.',
      'gen_ai.completion.0.finish_reason': 'stop',
      'llm.request.functions.0.name': 'get_weather',
      'llm.request.functions.0.description': 'Weather of a city.',
      'llm.request.functions.0.parameters': JSON.stringify(weatherSchema),
      'traceloop.association.properties.chat_id': 'chat 7',
    },
    fields: {
      ...weatherFields,
      tool_definitions: [weatherTool],
      model: 'gpt-4o',
      session_id: 'chat 7',
    },
  },
  {
    name: 'the older names, with every value as text',
    dialect: 'openllmetry',
    attributes: {
      'llm.vendor': 'openai',
      'llm.request.model': 'gpt-4',
      'llm.prompts.0.role': 'user',
      'llm.prompts.0.content': 'Hi',
      'llm.completions.0.content': 'Hello',
    },
    fields: { ...conversation('Hi', 'Hello'), model: 'gpt-4' },
  },
  {
    name: 'parts as JSON text in the content',
    dialect: 'openllmetry',
    attributes: {
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': JSON.stringify([
        { type: 'text', text: 'Hi' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
      ]),
      'gen_ai.completion.0.content': '[{"type":"text","text":"Hello"}]',
    },
    fields: conversation('Hi', 'Hello'),
  },
  {
    name: 'JSON that a model answered, which stays as it is',
    dialect: 'openllmetry',
    attributes: { 'gen_ai.completion.0.content': '[{"type":"invoice","text":"12"}]' },
    fields: {
      completion: '[{"type":"invoice","text":"12"}]',
      completions: ['[{"type":"invoice","text":"12"}]'],
      messages: [{ role: 'assistant', content: '[{"type":"invoice","text":"12"}]' }],
    },
  },
  {
    name: 'token log-probabilities of the first choice',
    dialect: 'openllmetry',
    attributes: {
      'gen_ai.completion.0.content': 'Hello',
      'gen_ai.completion.0.logprobs':
        '{"content":[{"token":"He","logprob":-0.5},{"token":"llo","logprob":-1}]}',
    },
    fields: {
      completion: 'Hello',
      completions: ['Hello'],
      messages: [{ role: 'assistant', content: 'Hello' }],
      logprobs: [-0.5, -1],
    },
  },
  {
    name: 'arguments that Python wrote with str, while what was said stays the text it is',
    dialect: 'openllmetry',
    attributes: {
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': "{'said': 'so'}",
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.tool_calls.0.name': 'get_weather',
      'gen_ai.completion.0.tool_calls.0.arguments': "{'city': 'Oslo', 'exact': True}",
    },
    fields: {
      prompt: "{'said': 'so'}",
      prompts: ["{'said': 'so'}"],
      messages: [
        { role: 'user', content: "{'said': 'so'}" },
        { role: 'assistant', content: '', tool_calls: [WEATHER_CALL] },
      ],
      tool_calls: [WEATHER_CALL],
    },
  },
  {
    name: 'a workflow with positional arguments and a quoted answer',
    dialect: 'openllmetry',
    attributes: {
      'traceloop.span.kind': 'workflow',
      'traceloop.entity.name': 'ask',
      'traceloop.entity.input': '{"args":["Hi"],"kwargs":{}}',
      'traceloop.entity.output': '"Hello"',
    },
    fields: conversation('Hi', 'Hello'),
  },
  {
    name: 'a task with named arguments and an object as answer',
    dialect: 'openllmetry',
    attributes: {
      'traceloop.span.kind': 'task',
      'traceloop.entity.input': '{"args":[{"k":3}],"kwargs":{"question":"Hi","top_k":5}}',
      'traceloop.entity.output':
        '{"answer":"Hello","source_documents":[{"page_content":"A","metadata":{}},{"page_content":"B"}]}',
      'traceloop.association.properties.session_id': 42,
    },
    fields: { ...conversation('Hi', 'Hello'), context: ['A', 'B'], session_id: '42' },
  },
  {
    name: 'a LangChain workflow with serialised messages',
    dialect: 'openllmetry',
    attributes: {
      'traceloop.span.kind': 'workflow',
      'traceloop.entity.input': JSON.stringify({
        inputs: {
          messages: [
            {
              lc: 1,
              type: 'constructor',
              id: ['langchain', 'schema', 'messages', 'HumanMessage'],
              kwargs: { content: 'Hi', type: 'human' },
            },
          ],
        },
        tags: [],
        metadata: {},
      }),
      'traceloop.entity.output': JSON.stringify({
        outputs: {
          messages: [
            { type: 'human', content: 'Hi' },
            { type: 'ai', content: 'Hello' },
          ],
        },
        kwargs: { tags: [] },
      }),
    },
    fields: conversation('Hi', 'Hello'),
  },
  {
    name: 'arguments that name no question as JSON text, and nothing returned as no answer',
    dialect: 'openllmetry',
    attributes: {
      'traceloop.entity.input': '{"args":[{"a":1,"b":2}],"kwargs":{}}',
      'traceloop.entity.output': 'null',
    },
    fields: {
      prompt: '{"a":1,"b":2}',
      prompts: ['{"a":1,"b":2}'],
      messages: [{ role: 'user', content: '{"a":1,"b":2}' }],
    },
  },
  {
    name: 'a tool',
    dialect: 'openllmetry',
    attributes: {
      'traceloop.span.kind': 'tool',
      'traceloop.entity.name': 'get_weather',
      'traceloop.entity.input': '{"args":[],"kwargs":{"city":"Oslo"}}',
      'traceloop.entity.output': '{"sky":"rain"}',
    },
    fields: {
      tool_calls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }],
      tool_results: [{ name: 'get_weather', result: { sky: 'rain' } }],
    },
  },
  {
    name: 'an MCP tool of FastMCP',
    dialect: 'openllmetry',
    attributes: {
      'traceloop.span.kind': 'tool',
      'traceloop.entity.name': 'get_weather',
      'traceloop.entity.input': '{"tool_name":"get_weather","arguments":{"city":"Oslo"}}',
      'traceloop.entity.output': '[{"type":"text","content":"rain"}]',
    },
    fields: {
      tool_calls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }],
      tool_results: [{ name: 'get_weather', result: 'rain' }],
    },
  },
]

describeDialect('openllmetry', openllmetry)
