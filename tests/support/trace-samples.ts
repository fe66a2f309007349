import type { FieldValues } from '../../src/domain/span-fields/canonical-values.ts'
import type { SampleSpan } from './trace-case.ts'

/** A run of an agent as one SDK reports it, and how a person would write it down. */
export interface Sample {
  /** How it was traced. */
  readonly name: string
  readonly spans: readonly SampleSpan[]
  readonly lines: readonly string[]
  readonly fields: Partial<FieldValues>
}

const QUESTION = 'Shall I take an umbrella in Oslo?'
const ANSWER = 'Yes, it rains.'
const CALL = { name: 'get_weather', arguments: { city: 'Oslo' }, id: 'call_1' }
const LINES = [
  'system: Be brief.',
  `user: ${QUESTION}`,
  'assistant: -> get_weather({"city":"Oslo"})',
  'tool get_weather: {"sky":"rain"}',
  `assistant: ${ANSWER}`,
]
const FIELDS: Partial<FieldValues> = {
  prompt: QUESTION,
  completion: ANSWER,
  system_prompt: 'Be brief.',
  model: 'gpt-4o',
  tool_calls: [CALL],
  tool_results: [{ name: 'get_weather', id: 'call_1', result: { sky: 'rain' } }],
  prompts: [
    QUESTION,
    { role: 'tool', content: '{"sky":"rain"}', name: 'get_weather', tool_call_id: 'call_1' },
  ],
  completions: [{ role: 'assistant', content: '', tool_calls: [CALL] }, ANSWER],
  input_messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: QUESTION },
  ],
}

/** OpenLLMetry: a workflow, an agent, two calls of a model with numbered messages, and the span of a tool. */
export const openllmetryAgent: Sample = {
  name: 'of OpenLLMetry',
  lines: LINES,
  fields: { ...FIELDS, session_id: 's1' },
  spans: [
    {
      name: 'umbrella.workflow',
      attributes: {
        'traceloop.span.kind': 'workflow',
        'traceloop.entity.input': JSON.stringify({ args: [QUESTION], kwargs: {} }),
        'traceloop.entity.output': JSON.stringify(ANSWER),
        'traceloop.association.properties.session_id': 's1',
      },
      within: [
        {
          name: 'openai.chat',
          attributes: {
            'gen_ai.request.model': 'gpt-4o',
            'gen_ai.prompt.0.role': 'system',
            'gen_ai.prompt.0.content': 'Be brief.',
            'gen_ai.prompt.1.role': 'user',
            'gen_ai.prompt.1.content': QUESTION,
            'gen_ai.completion.0.role': 'assistant',
            'gen_ai.completion.0.tool_calls.0.id': 'call_1',
            'gen_ai.completion.0.tool_calls.0.name': 'get_weather',
            'gen_ai.completion.0.tool_calls.0.arguments': '{"city": "Oslo"}',
          },
        },
        {
          name: 'get_weather.tool',
          attributes: {
            'traceloop.span.kind': 'tool',
            'traceloop.entity.name': 'get_weather',
            'traceloop.entity.input': '{"args": ["Oslo"], "kwargs": {}}',
            'traceloop.entity.output': '{"sky": "rain"}',
          },
        },
        {
          name: 'openai.chat',
          attributes: {
            'gen_ai.request.model': 'gpt-4o',
            'gen_ai.prompt.0.role': 'system',
            'gen_ai.prompt.0.content': 'Be brief.',
            'gen_ai.prompt.1.role': 'user',
            'gen_ai.prompt.1.content': QUESTION,
            'gen_ai.prompt.2.role': 'assistant',
            'gen_ai.prompt.2.tool_calls.0.id': 'call_1',
            'gen_ai.prompt.2.tool_calls.0.name': 'get_weather',
            'gen_ai.prompt.2.tool_calls.0.arguments': '{"city":"Oslo"}',
            'gen_ai.prompt.3.role': 'tool',
            'gen_ai.prompt.3.tool_call_id': 'call_1',
            'gen_ai.prompt.3.content': '{"sky":"rain"}',
            'gen_ai.completion.0.role': 'assistant',
            'gen_ai.completion.0.content': ANSWER,
          },
        },
      ],
    },
  ],
}

/** OpenInference: agent, model calls and tool, with `llm.input_messages`, `input.value` and kinds. */
export const openinferenceAgent: Sample = {
  name: 'of OpenInference',
  lines: LINES,
  fields: { ...FIELDS, session_id: 's2' },
  spans: [
    {
      name: 'Agent.run',
      attributes: {
        'openinference.span.kind': 'AGENT',
        'input.value': QUESTION,
        'output.value': ANSWER,
        'session.id': 's2',
      },
      within: [
        {
          name: 'ChatCompletion',
          attributes: {
            'openinference.span.kind': 'LLM',
            'llm.model_name': 'gpt-4o',
            'llm.input_messages.0.message.role': 'system',
            'llm.input_messages.0.message.content': 'Be brief.',
            'llm.input_messages.1.message.role': 'user',
            'llm.input_messages.1.message.content': QUESTION,
            'llm.output_messages.0.message.role': 'assistant',
            'llm.output_messages.0.message.tool_calls.0.tool_call.id': 'call_1',
            'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': 'get_weather',
            'llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments': '{"city": "Oslo"}',
          },
        },
        {
          name: 'get_weather',
          attributes: {
            'openinference.span.kind': 'TOOL',
            'tool.name': 'get_weather',
            'input.value': '{"city": "Oslo"}',
            'output.value': '{"sky": "rain"}',
            'output.mime_type': 'application/json',
          },
        },
        {
          name: 'ChatCompletion',
          attributes: {
            'openinference.span.kind': 'LLM',
            'llm.model_name': 'gpt-4o',
            'llm.input_messages.0.message.role': 'system',
            'llm.input_messages.0.message.content': 'Be brief.',
            'llm.input_messages.1.message.role': 'user',
            'llm.input_messages.1.message.content': QUESTION,
            'llm.input_messages.2.message.role': 'assistant',
            'llm.input_messages.2.message.tool_calls.0.tool_call.id': 'call_1',
            'llm.input_messages.2.message.tool_calls.0.tool_call.function.name': 'get_weather',
            'llm.input_messages.2.message.tool_calls.0.tool_call.function.arguments': '{"city": "Oslo"}',
            'llm.input_messages.3.message.role': 'tool',
            'llm.input_messages.3.message.tool_call_id': 'call_1',
            'llm.input_messages.3.message.content': '{"sky": "rain"}',
            'llm.output_messages.0.message.role': 'assistant',
            'llm.output_messages.0.message.content': ANSWER,
          },
        },
      ],
    },
  ],
}

const VERCEL_MESSAGES = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: QUESTION }] },
]

/** The Vercel AI SDK: one span around all steps, one for each call of the provider, one for each tool. */
export const vercelAgent: Sample = {
  name: 'of the Vercel AI SDK',
  lines: LINES,
  fields: { ...FIELDS, session_id: 's3' },
  spans: [
    {
      name: 'ai.generateText',
      attributes: {
        'ai.operationId': 'ai.generateText',
        'ai.model.id': 'gpt-4o',
        'ai.prompt': JSON.stringify({ system: 'Be brief.', prompt: QUESTION }),
        'ai.response.text': ANSWER,
        'ai.telemetry.metadata.sessionId': 's3',
      },
      within: [
        {
          name: 'ai.generateText.doGenerate',
          attributes: {
            'ai.operationId': 'ai.generateText.doGenerate',
            'ai.model.id': 'gpt-4o',
            'ai.prompt.messages': JSON.stringify(VERCEL_MESSAGES),
            'ai.response.toolCalls': JSON.stringify([
              { toolCallId: 'call_1', toolName: 'get_weather', input: '{"city":"Oslo"}' },
            ]),
          },
        },
        {
          name: 'ai.toolCall',
          attributes: {
            'ai.operationId': 'ai.toolCall',
            'ai.toolCall.name': 'get_weather',
            'ai.toolCall.id': 'call_1',
            'ai.toolCall.args': '{"city":"Oslo"}',
            'ai.toolCall.result': '{"sky":"rain"}',
          },
        },
        {
          name: 'ai.generateText.doGenerate',
          attributes: {
            'ai.operationId': 'ai.generateText.doGenerate',
            'ai.model.id': 'gpt-4o',
            'ai.prompt.messages': JSON.stringify([
              ...VERCEL_MESSAGES,
              {
                role: 'assistant',
                content: [
                  {
                    type: 'tool-call',
                    toolCallId: 'call_1',
                    toolName: 'get_weather',
                    input: { city: 'Oslo' },
                  },
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
            'ai.response.text': ANSWER,
          },
        },
      ],
    },
  ],
}

const part = (role: string, ...parts: readonly object[]) => ({ role, parts })
const text = (content: string) => ({ type: 'text', content })
const weatherCall = { type: 'tool_call', id: 'call_1', name: 'get_weather', arguments: { city: 'Oslo' } }
const genAiChat = (input: readonly object[], output: object): SampleSpan => ({
  name: 'chat gpt-4o',
  attributes: {
    'gen_ai.operation.name': 'chat',
    'gen_ai.response.model': 'gpt-4o',
    'gen_ai.input.messages': JSON.stringify(input),
    'gen_ai.output.messages': JSON.stringify([output]),
  },
})

/** OpenTelemetry's conventions: an agent that hands the question to another one, whose tool is reached over MCP. */
export const genAiAgents: Sample = {
  name: "of OpenTelemetry's conventions, with an agent within an agent",
  lines: [
    `user: ${QUESTION}`,
    'assistant: I ask the forecaster.',
    'user: Will it rain in Oslo?',
    'assistant: -> get_weather({"city":"Oslo"})',
    'tool get_weather: {"sky":"rain"}',
    'assistant: It rains in Oslo.',
    `assistant: ${ANSWER}`,
  ],
  fields: {
    prompt: QUESTION,
    completion: ANSWER,
    session_id: 'c1',
    tool_calls: [CALL],
    tool_definitions: [{ name: 'get_weather', description: 'Weather of a city.' }],
    input_messages: [{ role: 'user', content: QUESTION }],
  },
  spans: [
    {
      name: 'invoke_agent concierge',
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.conversation.id': 'c1',
        'gen_ai.input.messages': JSON.stringify([part('user', text(QUESTION))]),
        'gen_ai.output.messages': JSON.stringify([part('assistant', text(ANSWER))]),
      },
      within: [
        genAiChat([part('user', text(QUESTION))], part('assistant', text('I ask the forecaster.'))),
        {
          name: 'invoke_agent forecaster',
          attributes: {
            'gen_ai.operation.name': 'invoke_agent',
            'gen_ai.input.messages': JSON.stringify([part('user', text('Will it rain in Oslo?'))]),
            'gen_ai.output.messages': JSON.stringify([part('assistant', text('It rains in Oslo.'))]),
            'gen_ai.tool.definitions': JSON.stringify([
              { name: 'get_weather', description: 'Weather of a city.' },
            ]),
          },
          within: [
            genAiChat([part('user', text('Will it rain in Oslo?'))], part('assistant', weatherCall)),
            {
              name: 'execute_tool get_weather',
              attributes: {
                'gen_ai.operation.name': 'execute_tool',
                'gen_ai.tool.name': 'get_weather',
                'gen_ai.tool.call.id': 'call_1',
                'gen_ai.tool.call.arguments': '{"city": "Oslo"}',
              },
              within: [
                {
                  name: 'tools/call get_weather',
                  attributes: {
                    'mcp.method.name': 'tools/call',
                    'gen_ai.tool.name': 'get_weather',
                    'mcp.request.argument': '{"city": "Oslo"}',
                    'mcp.response.value': '{"sky":"rain"}',
                  },
                },
              ],
            },
            genAiChat(
              [
                part('user', text('Will it rain in Oslo?')),
                part('assistant', weatherCall),
                part('tool', { type: 'tool_call_response', id: 'call_1', response: { sky: 'rain' } }),
              ],
              part('assistant', text('It rains in Oslo.')),
            ),
          ],
        },
      ],
    },
  ],
}
