import {
  type Case,
  conversation,
  describeDialect,
  weatherFields,
  weatherTool,
} from '../../../tests/support/span-case.ts'

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

describeDialect('openinference', openinference)
