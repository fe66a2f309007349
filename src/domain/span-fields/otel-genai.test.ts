import {
  type Case,
  conversation,
  describeDialect,
  weatherCall,
  weatherFields,
  weatherTool,
} from '../../../tests/support/span-case.ts'

const otelMessages = [
  { role: 'user', parts: [{ type: 'text', content: 'Weather in Oslo?' }] },
  {
    role: 'assistant',
    parts: [
      { type: 'reasoning', content: 'I need a tool.' },
      { type: 'tool_call', id: 'call_1', name: 'get_weather', arguments: { city: 'Oslo' } },
    ],
  },
  { role: 'tool', parts: [{ type: 'tool_call_response', id: 'call_1', response: '{"sky":"rain"}' }] },
]
const otelAnswer = [
  { role: 'assistant', parts: [{ type: 'text', content: 'Rain, 4 degrees.' }], finish_reason: 'stop' },
]

const otel: Case[] = [
  {
    name: 'JSON text of messages with parts',
    dialect: 'otel-genai',
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.response.model': 'gpt-4o-2024-08-06',
      'gen_ai.conversation.id': 'conv_1',
      'gen_ai.input.messages': JSON.stringify(otelMessages),
      'gen_ai.output.messages': JSON.stringify(otelAnswer),
      'gen_ai.system_instructions': JSON.stringify([{ type: 'text', content: 'Be brief.' }]),
      'gen_ai.tool.definitions': JSON.stringify([{ type: 'function', ...weatherTool }]),
    },
    fields: {
      ...weatherFields,
      tool_definitions: [weatherTool],
      model: 'gpt-4o-2024-08-06',
      session_id: 'conv_1',
    },
  },
  {
    name: 'structured attribute values',
    dialect: 'otel-genai',
    attributes: {
      'gen_ai.input.messages': otelMessages,
      'gen_ai.output.messages': otelAnswer,
      'gen_ai.system_instructions': [{ type: 'text', content: 'Be brief.' }],
    },
    fields: weatherFields,
  },
  {
    name: 'the event with the details of the operation',
    dialect: 'otel-genai',
    events: [
      [
        'gen_ai.client.inference.operation.details',
        {
          'gen_ai.input.messages': otelMessages,
          'gen_ai.output.messages': JSON.stringify(otelAnswer),
          'gen_ai.system_instructions': 'Be brief.',
        },
      ],
    ],
    fields: weatherFields,
  },
  {
    name: 'one event for each message',
    dialect: 'otel-genai',
    attributes: { 'gen_ai.system': 'openai' },
    events: [
      ['gen_ai.system.message', { content: 'Be brief.' }],
      ['gen_ai.user.message', { content: 'Weather in Oslo?' }],
      [
        'gen_ai.assistant.message',
        {
          tool_calls: JSON.stringify([
            {
              id: 'call_1',
              type: 'function',
              function: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
            },
          ]),
        },
      ],
      ['gen_ai.tool.message', { id: 'call_1', content: '{"sky":"rain"}' }],
      ['gen_ai.choice', { index: 0, finish_reason: 'stop', message: '{"content":"Rain, 4 degrees."}' }],
    ],
    fields: weatherFields,
  },
  {
    name: 'events with their body in one attribute',
    dialect: 'otel-genai',
    events: [
      ['gen_ai.user.message', { 'gen_ai.event.content': '{"role":"user","content":"Hi"}' }],
      [
        'gen_ai.choice',
        { 'gen_ai.event.content': '{"index":0,"message":{"role":"assistant","content":"Hello"}}' },
      ],
    ],
    fields: conversation('Hi', 'Hello'),
  },
  {
    name: 'events with a list of parts as content',
    dialect: 'otel-genai',
    events: [
      ['gen_ai.user.message', { content: '[{"text":"Hi"}]' }],
      ['gen_ai.choice', { message: '[{"text":"Hello"}]', finish_reason: 'end_turn' }],
    ],
    fields: conversation('Hi', 'Hello'),
  },
  {
    name: 'the oldest events, with everything as text',
    dialect: 'otel-genai',
    events: [
      ['gen_ai.content.prompt', { 'gen_ai.prompt': '[{"role":"user","content":"Hi"}]' }],
      ['gen_ai.content.completion', { 'gen_ai.completion': '[{"role":"assistant","content":"Hello"}]' }],
    ],
    fields: conversation('Hi', 'Hello'),
  },
  {
    name: 'media beside text',
    dialect: 'otel-genai',
    attributes: {
      'gen_ai.input.messages': [
        {
          role: 'user',
          parts: [
            { type: 'text', content: 'What is this?' },
            { type: 'blob', modality: 'image', mime_type: 'image/png', content: 'aGVsbG8=' },
            { type: 'uri', modality: 'image', uri: 'https://example.com/a.png' },
            { type: 'text', content: 'And that?' },
          ],
        },
      ],
    },
    fields: {
      prompt: 'What is this?\nAnd that?',
      prompts: ['What is this?\nAnd that?'],
      messages: [{ role: 'user', content: 'What is this?\nAnd that?' }],
    },
  },
  {
    name: 'an executed tool',
    dialect: 'otel-genai',
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'get_weather',
      'gen_ai.tool.call.id': 'call_1',
      'gen_ai.tool.call.arguments': '{"city":"Oslo"}',
      'gen_ai.tool.call.result': { sky: 'rain' },
    },
    fields: {
      tool_calls: [weatherCall],
      tool_results: [{ name: 'get_weather', id: 'call_1', result: { sky: 'rain' } }],
    },
  },
  {
    name: 'a tool that failed',
    dialect: 'otel-genai',
    attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'get_weather' },
    span: { statusCode: 2, statusMessage: 'connection refused' },
    fields: {
      tool_calls: [{ name: 'get_weather', arguments: {} }],
      tool_results: [{ name: 'get_weather', result: { error: 'connection refused' } }],
    },
  },
  {
    name: 'a retrieval',
    dialect: 'otel-genai',
    attributes: {
      'gen_ai.retrieval.query.text': 'capital of Norway',
      'gen_ai.retrieval.documents': '[{"id":"1","score":0.9,"content":"Oslo is the capital."},{"id":"2"}]',
    },
    fields: {
      prompt: 'capital of Norway',
      prompts: ['capital of Norway'],
      messages: [{ role: 'user', content: 'capital of Norway' }],
      context: ['Oslo is the capital.'],
    },
  },
]

describeDialect('otel-genai', otel)
