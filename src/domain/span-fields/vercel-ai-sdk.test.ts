import {
  type Case,
  conversation,
  describeDialect,
  weatherCall,
  weatherFields,
  weatherSchema,
  weatherTool,
} from '../../../tests/support/span-case.ts'

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

describeDialect('vercel-ai-sdk', vercel)
