import { dig, type FakeOutcome, type FakeProtocol, listOf, schemaOf, textOf } from './fake-protocol.ts'
import { schemaInText } from './fill-schema.ts'

const FINISH: Readonly<Record<FakeOutcome['finish'], string>> = {
  stop: 'stop',
  length: 'length',
  filtered: 'content_filter',
  refused: 'stop',
}

/** OpenAI's Chat Completions, which Azure and every compatible server speak too. */
export const fakeOpenAiProtocol: FakeProtocol = {
  name: 'openai',
  match: (path) => (path.endsWith('/chat/completions') ? '' : undefined),

  read(body) {
    const messages = listOf(body['messages']).map((message) => ({
      role: String(dig(message, 'role')),
      content: textOf(dig(message, 'content')),
    }))
    return { messages, ...channelOf(body, messages), wantsLogprobs: body['logprobs'] === true }
  },

  answer: ({ text, calls, refusal, finish, usage, logprobs }, model) => ({
    id: 'chatcmpl-fake',
    object: 'chat.completion',
    created: 1_700_000_000,
    model,
    choices: [
      {
        index: 0,
        finish_reason: finish === 'stop' && calls.length > 0 ? 'tool_calls' : FINISH[finish],
        message: {
          role: 'assistant',
          content: refusal !== undefined || (calls.length > 0 && text === '') ? null : text,
          refusal: refusal ?? null,
          ...(calls.length === 0
            ? {}
            : {
                tool_calls: calls.map((call, at) => ({ id: `call_${at}`, type: 'function', function: call })),
              }),
        },
        logprobs:
          logprobs === undefined
            ? null
            : {
                content: logprobs.map((logprob) => ({ token: 'x', logprob, bytes: null, top_logprobs: [] })),
              },
      },
    ],
    ...(usage === undefined
      ? {}
      : {
          usage: {
            prompt_tokens: usage.prompt,
            completion_tokens: usage.completion,
            total_tokens: usage.prompt + usage.completion,
          },
        }),
  }),

  error: (_status, message, parameter) => ({
    error: { message, type: 'invalid_request_error', param: parameter ?? null, code: null },
  }),

  complaint: (channel) =>
    channel === 'tools'
      ? { message: 'this model does not support tools', parameter: 'tools' }
      : {
          message: `Invalid parameter: 'response_format' of type '${channel}' is not supported with this model.`,
          parameter: 'response_format',
        },
}

function channelOf(body: Readonly<Record<string, unknown>>, messages: readonly { content: string }[]) {
  const format = dig(body, 'response_format', 'type')
  if (format === 'json_schema') {
    return {
      channel: 'json_schema' as const,
      ...schemaOf(dig(body, 'response_format', 'json_schema', 'schema')),
    }
  }
  if (format === 'json_object') {
    const text = messages.map(({ content }) => content).join('\n')
    return { channel: 'json_object' as const, ...schemaOf(schemaInText(text)) }
  }
  const tool = dig(body, 'tools', 0, 'function')
  if (tool === undefined) return {}
  return {
    channel: 'tools' as const,
    ...schemaOf(dig(tool, 'parameters')),
    toolName: String(dig(body, 'tool_choice', 'function', 'name') ?? dig(tool, 'name')),
  }
}
