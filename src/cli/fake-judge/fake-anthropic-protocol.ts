import { dig, type FakeOutcome, type FakeProtocol, listOf, schemaOf, textOf } from './fake-protocol.ts'

const STOP: Readonly<Record<FakeOutcome['finish'], string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  filtered: 'refusal',
  refused: 'refusal',
}

/** Anthropic's Messages. */
export const fakeAnthropicProtocol: FakeProtocol = {
  name: 'anthropic',
  match: (path) => (path.endsWith('/messages') ? '' : undefined),

  read(body) {
    const system = textOf(body['system'])
    const turns = listOf(body['messages']).map((message) => ({
      role: String(dig(message, 'role')),
      content: textOf(dig(message, 'content')),
    }))
    return {
      messages: system === '' ? turns : [{ role: 'system', content: system }, ...turns],
      ...channelOf(body),
      wantsLogprobs: false,
    }
  },

  answer: ({ text, calls, refusal, finish, usage }, model) => ({
    id: 'msg_fake',
    type: 'message',
    role: 'assistant',
    model,
    content: [
      ...(text === '' && refusal === undefined ? [] : [{ type: 'text', text: refusal ?? text }]),
      ...calls.map((call, at) => ({
        type: 'tool_use',
        id: `toolu_${at}`,
        name: call.name,
        input: asJson(call.arguments),
      })),
    ],
    stop_reason: finish === 'stop' && calls.length > 0 ? 'tool_use' : STOP[finish],
    stop_sequence: null,
    ...(usage === undefined
      ? {}
      : { usage: { input_tokens: usage.prompt, output_tokens: usage.completion } }),
  }),

  error: (status, message) => ({
    type: 'error',
    error: { type: status >= 500 ? 'api_error' : 'invalid_request_error', message },
  }),

  complaint: (channel) =>
    channel === 'tools'
      ? { message: 'tools: this model does not support tool use', parameter: 'tools' }
      : { message: 'output_config.format: Extra inputs are not permitted', parameter: 'output_config' },
}

/** The input of a tool as a value; what is no JSON stays a text, which no honest model would send. */
export function asJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function channelOf(body: Readonly<Record<string, unknown>>) {
  if (dig(body, 'output_config', 'format', 'type') === 'json_schema') {
    return { channel: 'json_schema' as const, ...schemaOf(dig(body, 'output_config', 'format', 'schema')) }
  }
  const tool = dig(body, 'tools', 0)
  if (tool === undefined) return {}
  return {
    channel: 'tools' as const,
    ...schemaOf(dig(tool, 'input_schema')),
    toolName: String(dig(body, 'tool_choice', 'name') ?? dig(tool, 'name')),
  }
}
