import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { AttributeValue, Span } from '../span.ts'
import type { Dialect, FieldValues } from './canonical-values.ts'
import { spanFields } from './span-fields.ts'

type Given = Readonly<Record<string, AttributeValue>>

interface Case {
  readonly name: string
  readonly dialect: Dialect | undefined
  readonly attributes?: Given
  readonly events?: readonly (readonly [string, Given])[]
  readonly span?: Partial<Span>
  /** Every field that the span carries; one that is not named must be absent. */
  readonly fields: Partial<FieldValues>
}

const weatherCall = { name: 'get_weather', arguments: { city: 'Oslo' }, id: 'call_1' }
const weatherSchema = { type: 'object', properties: { city: { type: 'string' } } }
const weatherTool = { name: 'get_weather', description: 'Weather of a city.', parameters: weatherSchema }

/** The conversation that the same question about the weather makes in every dialect. */
const weatherFields: Partial<FieldValues> = {
  prompt: 'Weather in Oslo?',
  completion: 'Rain, 4 degrees.',
  system_prompt: 'Be brief.',
  prompts: ['Weather in Oslo?'],
  completions: ['Rain, 4 degrees.'],
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Weather in Oslo?' },
    { role: 'assistant', content: '', tool_calls: [weatherCall] },
    { role: 'tool', content: '{"sky":"rain"}', tool_call_id: 'call_1' },
    { role: 'assistant', content: 'Rain, 4 degrees.' },
  ],
  tool_calls: [weatherCall],
  tool_results: [{ name: 'get_weather', id: 'call_1', result: { sky: 'rain' } }],
}

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

const openinference: Case[] = [
  {
    name: 'messages in and out with tools',
    dialect: 'openinference',
    attributes: {
      'openinference.span.kind': 'LLM',
      'llm.model_name': 'gpt-4o',
      'session.id': 's1',
      'llm.input_messages.0.message.role': 'system',
      'llm.input_messages.0.message.content': 'Be brief.',
      'llm.input_messages.1.message.role': 'user',
      'llm.input_messages.1.message.contents.0.message_content.type': 'text',
      'llm.input_messages.1.message.contents.0.message_content.text': 'Weather in Oslo?',
      'llm.input_messages.1.message.contents.1.message_content.type': 'image',
      'llm.input_messages.1.message.contents.1.message_content.image.image.url': 'https://example.com/a.png',
      'llm.input_messages.2.message.role': 'assistant',
      'llm.input_messages.2.message.tool_calls.0.tool_call.id': 'call_1',
      'llm.input_messages.2.message.tool_calls.0.tool_call.function.name': 'get_weather',
      'llm.input_messages.2.message.tool_calls.0.tool_call.function.arguments': '{"city":"Oslo"}',
      'llm.input_messages.3.message.role': 'tool',
      'llm.input_messages.3.message.content': '{"sky":"rain"}',
      'llm.input_messages.3.message.tool_call_id': 'call_1',
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.content': 'Rain, 4 degrees.',
      'llm.tools.0.tool.json_schema': JSON.stringify({ type: 'function', function: weatherTool }),
      'input.value': '{"messages":[]}',
      'input.mime_type': 'application/json',
    },
    fields: {
      ...weatherFields,
      tool_definitions: [weatherTool],
      model: 'gpt-4o',
      session_id: 's1',
    },
  },
  {
    name: 'a model call of which only the bodies are there',
    dialect: 'openinference',
    attributes: {
      'openinference.span.kind': 'LLM',
      'input.mime_type': 'application/json',
      'input.value': JSON.stringify({
        model: 'gpt-4o',
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
        tools: [{ type: 'function', function: weatherTool }],
      }),
      'output.mime_type': 'application/json',
      'output.value': JSON.stringify({
        choices: [
          {
            message: { role: 'assistant', content: 'Hello' },
            logprobs: { content: [{ token: 'Hello', logprob: -0.25 }] },
          },
        ],
      }),
    },
    fields: { ...conversation('Hi', 'Hello'), tool_definitions: [weatherTool], logprobs: [-0.25] },
  },
  {
    name: 'a completion without chat',
    dialect: 'openinference',
    attributes: {
      'openinference.span.kind': 'LLM',
      'llm.prompts.0.prompt.text': 'Hi',
      'llm.choices.0.completion.text': 'Hello',
    },
    fields: conversation('Hi', 'Hello'),
  },
  {
    name: 'an agent whose task is one of its arguments',
    dialect: 'openinference',
    attributes: {
      'openinference.span.kind': 'AGENT',
      'input.value': '{"task":"Hi","stream":false,"max_steps":12,"images":null}',
      'output.value': 'Hello',
    },
    fields: conversation('Hi', 'Hello'),
  },
  {
    name: 'plain text that looks like JSON',
    dialect: 'openinference',
    attributes: { 'input.value': '{"query":"Hi"}', 'input.mime_type': 'text/plain', 'output.value': '' },
    fields: {
      prompt: '{"query":"Hi"}',
      prompts: ['{"query":"Hi"}'],
      messages: [{ role: 'user', content: '{"query":"Hi"}' }],
    },
  },
  {
    name: 'a retriever',
    dialect: 'openinference',
    attributes: {
      'openinference.span.kind': 'RETRIEVER',
      'input.value': 'capital of Norway',
      'output.value': '{"documents":[]}',
      'retrieval.documents.0.document.content': 'Oslo is the capital.',
      'retrieval.documents.0.document.score': 0.9,
      'retrieval.documents.1.document.id': 'without text',
      'retrieval.documents.10.document.content': 'third',
      'retrieval.documents.2.document.content': 'second',
    },
    fields: {
      prompt: 'capital of Norway',
      prompts: ['capital of Norway'],
      messages: [{ role: 'user', content: 'capital of Norway' }],
      context: ['Oslo is the capital.', 'second', 'third'],
    },
  },
  {
    name: 'a reranker',
    dialect: 'openinference',
    attributes: {
      'openinference.span.kind': 'RERANKER',
      'reranker.query': 'capital of Norway',
      'reranker.model_name': 'rerank-1',
      'reranker.input_documents.0.document.content': 'Bergen',
      'reranker.output_documents.0.document.content': 'Oslo',
    },
    fields: {
      prompt: 'capital of Norway',
      prompts: ['capital of Norway'],
      messages: [{ role: 'user', content: 'capital of Norway' }],
      context: ['Oslo'],
      model: 'rerank-1',
    },
  },
  {
    name: 'a tool',
    dialect: 'openinference',
    attributes: {
      'openinference.span.kind': 'TOOL',
      'tool.name': 'get_weather',
      'tool.parameters': '{"city":{"type":"string"}}',
      'input.value': '{"city":"Oslo"}',
      'output.value': 'rain',
    },
    fields: {
      tool_calls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }],
      tool_results: [{ name: 'get_weather', result: 'rain' }],
    },
  },
]

const vercel: Case[] = [
  {
    name: 'a call of the SDK with a system prompt',
    dialect: 'vercel-ai-sdk',
    attributes: {
      'ai.operationId': 'ai.generateText',
      'ai.model.id': 'gpt-4o',
      'ai.prompt': '{"system":"Be brief.","prompt":"Hi"}',
      'ai.response.text': 'Hello',
      'ai.telemetry.metadata.sessionId': 's1',
    },
    fields: {
      ...conversation('Hi', 'Hello'),
      system_prompt: 'Be brief.',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello' },
      ],
      model: 'gpt-4o',
      session_id: 's1',
    },
  },
  {
    name: 'a call of the provider with tools',
    dialect: 'vercel-ai-sdk',
    attributes: {
      'ai.operationId': 'ai.generateText.doGenerate',
      'gen_ai.system': 'openai',
      'gen_ai.request.model': 'gpt-4o',
      'ai.prompt.messages': JSON.stringify([
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'Weather in Oslo?' }] },
        {
          role: 'assistant',
          content: [
            { type: 'tool-call', toolCallId: 'call_1', toolName: 'get_weather', input: { city: 'Oslo' } },
          ],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: 'call_1',
              toolName: 'get_weather',
              output: { type: 'json', value: { sky: 'rain' } },
            },
          ],
        },
      ]),
      'ai.prompt.tools': [
        JSON.stringify({
          type: 'function',
          name: 'get_weather',
          description: 'Weather of a city.',
          inputSchema: weatherSchema,
        }),
      ],
      'ai.response.text': 'Rain, 4 degrees.',
    },
    fields: {
      ...weatherFields,
      messages: (weatherFields.messages ?? []).map((message) =>
        message.role === 'tool' ? { ...message, name: 'get_weather' } : message,
      ),
      tool_definitions: [weatherTool],
      model: 'gpt-4o',
    },
  },
  {
    name: 'an answer that only calls a tool',
    dialect: 'vercel-ai-sdk',
    attributes: {
      'ai.prompt': '{"messages":[{"role":"user","content":"Weather in Oslo?"}]}',
      'ai.response.text': '',
      'ai.response.toolCalls':
        '[{"toolCallId":"call_1","toolName":"get_weather","args":"{\\"city\\":\\"Oslo\\"}"}]',
    },
    fields: {
      prompt: 'Weather in Oslo?',
      prompts: ['Weather in Oslo?'],
      messages: [
        { role: 'user', content: 'Weather in Oslo?' },
        { role: 'assistant', content: '', tool_calls: [weatherCall] },
      ],
      tool_calls: [weatherCall],
    },
  },
  {
    name: 'a generated object with log-probabilities, by the older names',
    dialect: 'vercel-ai-sdk',
    attributes: {
      'ai.model.id': 'gpt-4o',
      'ai.result.object': '{"sky":"rain"}',
      'ai.response.providerMetadata': '{"openai":{"logprobs":[{"token":"{","logprob":-0.1}]}}',
    },
    fields: {
      completion: '{"sky":"rain"}',
      completions: ['{"sky":"rain"}'],
      messages: [{ role: 'assistant', content: '{"sky":"rain"}' }],
      logprobs: [-0.1],
      model: 'gpt-4o',
    },
  },
  {
    name: 'a tool',
    dialect: 'vercel-ai-sdk',
    attributes: {
      'ai.operationId': 'ai.toolCall',
      'ai.toolCall.name': 'get_weather',
      'ai.toolCall.id': 'call_1',
      'ai.toolCall.args': '{"city":"Oslo"}',
      'ai.toolCall.result': '{"sky":"rain"}',
    },
    fields: {
      tool_calls: [weatherCall],
      tool_results: [{ name: 'get_weather', id: 'call_1', result: { sky: 'rain' } }],
    },
  },
]

const others: Case[] = [
  {
    name: 'documents of a vector database, one event each',
    dialect: 'vector-db',
    attributes: { 'db.system': 'chroma', 'db.vector.query.top_k': 3 },
    events: [
      ['db.query.embeddings', { 'db.query.embeddings.vector': '[0.1]' }],
      ['db.query.result', { 'db.query.result.id': '1', 'db.query.result.document': 'Oslo is the capital.' }],
      [
        'db.query.result',
        { 'db.query.result.id': '2', 'db.query.result.metadata': '{"text":"from metadata"}' },
      ],
      ['db.query.result', { 'db.query.result.id': '3', 'db.query.result.metadata': 'page 4' }],
    ],
    fields: { context: ['Oslo is the capital.', 'from metadata'] },
  },
  {
    name: 'a tool called over MCP',
    dialect: 'mcp',
    attributes: {
      'mcp.method.name': 'tools/call',
      'mcp.request.argument':
        '{"method":"tools/call","params":{"name":"get_weather","arguments":{"city":"Oslo"}}}',
      'mcp.response.value': '{"content":[{"type":"text","text":"{\\"sky\\":\\"rain\\"}"}],"isError":false}',
    },
    fields: {
      tool_calls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }],
      tool_results: [{ name: 'get_weather', result: { sky: 'rain' } }],
    },
  },
  {
    name: 'a tool that failed over MCP, whole',
    dialect: 'mcp',
    span: { name: 'tools/call get_weather' },
    attributes: {
      'mcp.method.name': 'tools/call',
      'mcp.response.value': '{"content":[{"type":"text","text":"no such city"}],"isError":true}',
    },
    fields: {
      tool_calls: [{ name: 'get_weather', arguments: {} }],
      tool_results: [
        {
          name: 'get_weather',
          result: { content: [{ type: 'text', text: 'no such city' }], isError: true },
        },
      ],
    },
  },
  {
    name: 'other requests over MCP, which are no tool calls',
    dialect: 'mcp',
    attributes: { 'mcp.method.name': 'tools/list', 'mcp.response.value': '{"tools":[]}' },
    fields: {},
  },
  {
    name: 'a span of something else',
    dialect: undefined,
    attributes: { 'http.request.method': 'GET', 'url.path': '/' },
    fields: {},
  },
]

function conversation(prompt: string, completion: string): Partial<FieldValues> {
  return {
    prompt,
    completion,
    prompts: [prompt],
    completions: [completion],
    messages: [
      { role: 'user', content: prompt },
      { role: 'assistant', content: completion },
    ],
  }
}

function spanOf({ attributes = {}, events = [], span = {} }: Case): Span {
  return {
    ...{ traceId: '0'.repeat(32), spanId: '0'.repeat(16), traceState: '', name: 'span', kind: 3 },
    ...{ startUnixNano: 0n, endUnixNano: 1n, statusCode: 0, statusMessage: '' },
    ...{ resource: new Map(), scopeName: '', scopeVersion: '' },
    attributes: new Map(Object.entries(attributes)),
    events: events.map(([name, given]) => ({
      name,
      timeUnixNano: 0n,
      attributes: new Map(Object.entries(given)),
    })),
    ...span,
  }
}

for (const [dialect, cases] of Object.entries({ otel, openllmetry, openinference, vercel, others })) {
  describe(`${dialect}:`, () => {
    for (const given of cases) {
      test(`reads ${given.name}`, () => {
        const fields = spanFields(spanOf(given))
        const found = Object.fromEntries(fields.found().map((field) => [field, fields.get(field)]))
        assert.deepEqual(found, given.fields)
        assert.equal(fields.dialect, given.dialect)
        for (const field of fields.found()) assert.ok(fields.origins(field).length > 0, field)
      })
    }
  })
}
