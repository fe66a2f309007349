import { defined } from '../../lib/defined.ts'
import type { ModelReply } from '../../ports/model-client.ts'
import {
  ANSWER_TOOL,
  ANSWER_TOOL_ABOUT,
  type Channel,
  dig,
  listOf,
  type ModelProtocol,
  type ProtocolCall,
  parameters,
  splitSystem,
  textOfCalls,
  under,
  usageOf,
  withVersion,
} from './model-protocol.ts'

const ANTHROPIC_BASE = 'https://api.anthropic.com/v1'

/** The protocol demands a limit, so this one holds where the caller names none; in tokens. */
const ANSWER_TOKENS = 8_192

/** Anthropic's Messages. It has no log-probabilities and no penalties. */
export const anthropicProtocol: ModelProtocol = {
  channels: ['json_schema', 'tools'],
  complaint: {
    json_schema: /output.?(config|format)|json.?schema|structured.?output/i,
    tools: /tool/i,
  },
  spareParameters: ['temperature', 'top_p', 'stop_sequences'],
  givesLogprobs: false,
  address: ({ baseUrl = ANTHROPIC_BASE }) => under(withVersion(baseUrl, 'v1'), '/messages'),
  headers: ({ apiKey }) => ({
    'anthropic-version': '2023-06-01',
    ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
  }),
  body: writeBody,
  read: readAnswer,
}

function writeBody({ model, messages, sampling, form, lacks }: ProtocolCall): Record<string, unknown> {
  const { system, turns } = splitSystem(messages)
  return {
    model,
    max_tokens: sampling.maxTokens ?? ANSWER_TOKENS,
    ...defined({ system }),
    messages: turns.map(({ role, content }) => ({ role, content })),
    ...parameters(
      {
        // Newer models take one of the two and not both.
        temperature: sampling.topP === undefined ? (sampling.temperature ?? 0) : sampling.temperature,
        top_p: sampling.topP,
        stop_sequences: sampling.stop,
      },
      lacks,
    ),
    ...(form === undefined ? {} : channelParameters(form.channel, form.schema)),
  }
}

function channelParameters(channel: Channel, schema: Readonly<Record<string, unknown>>) {
  if (channel === 'json_schema') return { output_config: { format: { type: 'json_schema', schema } } }
  return {
    tools: [{ name: ANSWER_TOOL, description: ANSWER_TOOL_ABOUT, input_schema: schema }],
    tool_choice: { type: 'tool', name: ANSWER_TOOL, disable_parallel_tool_use: true },
  }
}

function readAnswer(answer: unknown, channel: Channel | undefined): ModelReply | undefined {
  const content = dig(answer, 'content')
  if (!Array.isArray(content)) return undefined
  const usage = usageOf(promptTokens(dig(answer, 'usage')), dig(answer, 'usage', 'output_tokens'))
  const said = textOf(content)
  switch (dig(answer, 'stop_reason')) {
    case 'refusal':
      return { kind: 'refused', why: said || 'the provider stopped the answer', usage }
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return { kind: 'truncated', usage }
  }
  if (channel !== 'tools') return { kind: 'answered', text: said, usage }
  const calls = content.filter((block) => dig(block, 'type') === 'tool_use')
  const text = textOfCalls(
    calls.map((call) => ({ name: dig(call, 'name'), text: JSON.stringify(dig(call, 'input') ?? '') })),
  )
  return { kind: 'answered', text, usage }
}

function textOf(content: readonly unknown[]): string {
  return listOf(content)
    .filter((block) => dig(block, 'type') === 'text')
    .map((block) => String(dig(block, 'text') ?? ''))
    .join('')
}

/** Tokens read from and written to the provider's own cache are counted apart, and paid for. */
function promptTokens(usage: unknown): unknown {
  const input = dig(usage, 'input_tokens')
  if (typeof input !== 'number') return undefined
  const cached = [dig(usage, 'cache_creation_input_tokens'), dig(usage, 'cache_read_input_tokens')]
  return cached.reduce<number>((sum, count) => sum + (typeof count === 'number' ? count : 0), input)
}
