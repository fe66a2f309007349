import { ModelFailure } from '../../domain/model-failure.ts'
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
} from './model-protocol.ts'

/** Amazon Bedrock's Converse, with an API key of Bedrock. It has no log-probabilities and no penalties. */
export const bedrockProtocol: ModelProtocol = {
  channels: ['tools'],
  complaint: { tools: /tool/i },
  spareParameters: ['temperature', 'topP', 'stopSequences', 'toolChoice'],
  givesLogprobs: false,
  address({ baseUrl }, model) {
    if (baseUrl === undefined) {
      throw new ModelFailure('rejected', 'bedrock needs to know where it is: AWS_REGION or a base URL')
    }
    return under(baseUrl, `/model/${encodeURIComponent(model)}/converse`)
  },
  headers: ({ apiKey }) => (apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  body: writeBody,
  read: readAnswer,
}

function writeBody({ messages, sampling, form, lacks }: ProtocolCall): Record<string, unknown> {
  const { system, turns } = splitSystem(messages)
  return {
    ...(system === undefined ? {} : { system: [{ text: system }] }),
    messages: turns.map(({ role, content }) => ({ role, content: [{ text: content }] })),
    inferenceConfig: parameters(
      {
        temperature: sampling.topP === undefined ? (sampling.temperature ?? 0) : sampling.temperature,
        topP: sampling.topP,
        maxTokens: sampling.maxTokens,
        stopSequences: sampling.stop,
      },
      lacks,
    ),
    ...(form === undefined ? {} : { toolConfig: toolConfig(form.schema, lacks) }),
  }
}

/** There is one tool, so any tool is ours; more models know `any` than a tool by name. */
function toolConfig(schema: Readonly<Record<string, unknown>>, lacks: ReadonlySet<string>) {
  return {
    tools: [
      { toolSpec: { name: ANSWER_TOOL, description: ANSWER_TOOL_ABOUT, inputSchema: { json: schema } } },
    ],
    ...parameters({ toolChoice: { any: {} } }, lacks),
  }
}

function readAnswer(answer: unknown, channel: Channel | undefined): ModelReply | undefined {
  const content = dig(answer, 'output', 'message', 'content')
  const stop = dig(answer, 'stopReason')
  if (!Array.isArray(content) || typeof stop !== 'string') return undefined
  const usage = usageOf(dig(answer, 'usage', 'inputTokens'), dig(answer, 'usage', 'outputTokens'))
  const said = content.map((block) => String(dig(block, 'text') ?? '')).join('')
  switch (stop) {
    case 'guardrail_intervened':
    case 'content_filtered':
      return { kind: 'refused', why: said || `the provider stopped the answer: ${stop}`, usage }
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return { kind: 'truncated', usage }
  }
  if (channel !== 'tools') return { kind: 'answered', text: said, usage }
  const calls = listOf(content)
    .map((block) => dig(block, 'toolUse'))
    .filter((call) => call !== undefined)
  const text = textOfCalls(
    calls.map((call) => ({ name: dig(call, 'name'), text: JSON.stringify(dig(call, 'input') ?? '') })),
  )
  return { kind: 'answered', text, usage }
}
