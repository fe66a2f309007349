import { asJson } from './fake-anthropic-protocol.ts'
import { dig, type FakeOutcome, type FakeProtocol, listOf, schemaOf, textOf } from './fake-protocol.ts'

const STOP: Readonly<Record<FakeOutcome['finish'], string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  filtered: 'content_filtered',
  refused: 'guardrail_intervened',
}

/** Amazon Bedrock's Converse. */
export const fakeBedrockProtocol: FakeProtocol = {
  name: 'bedrock',
  match(path) {
    const model = /\/model\/([^/]+)\/converse$/.exec(path)?.[1]
    return model === undefined ? undefined : decodeURIComponent(model)
  },

  read(body) {
    const system = textOf(body['system'])
    const turns = listOf(body['messages']).map((message) => ({
      role: String(dig(message, 'role')),
      content: textOf(dig(message, 'content')),
    }))
    const tool = dig(body, 'toolConfig', 'tools', 0, 'toolSpec')
    return {
      messages: system === '' ? turns : [{ role: 'system', content: system }, ...turns],
      ...(tool === undefined
        ? {}
        : {
            channel: 'tools' as const,
            ...schemaOf(dig(tool, 'inputSchema', 'json')),
            toolName: String(dig(tool, 'name')),
          }),
      wantsLogprobs: false,
    }
  },

  answer: ({ text, calls, refusal, finish, usage }) => ({
    output: {
      message: {
        role: 'assistant',
        content: [
          ...(text === '' && refusal === undefined ? [] : [{ text: refusal ?? text }]),
          ...calls.map((call, at) => ({
            toolUse: { toolUseId: `tooluse_${at}`, name: call.name, input: asJson(call.arguments) },
          })),
        ],
      },
    },
    stopReason: finish === 'stop' && calls.length > 0 ? 'tool_use' : STOP[finish],
    metrics: { latencyMs: 1 },
    ...(usage === undefined ? {} : { usage: { inputTokens: usage.prompt, outputTokens: usage.completion } }),
  }),

  error: (_status, message) => ({ message }),

  complaint: () => ({ message: "This model doesn't support tool use.", parameter: 'toolConfig' }),
}
