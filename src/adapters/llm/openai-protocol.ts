import { ModelFailure } from '../../domain/model-failure.ts'
import type { ModelAccess, ModelReply } from '../../ports/model-client.ts'
import {
  ANSWER_TOOL,
  ANSWER_TOOL_ABOUT,
  type Channel,
  dig,
  listOf,
  type ModelProtocol,
  type ProtocolCall,
  parameters,
  tellSchema,
  textOfCalls,
  under,
  usageOf,
} from './model-protocol.ts'

const OPENAI_BASE = 'https://api.openai.com/v1'
const CHAT_PATH = '/chat/completions'

/** OpenAI's Chat Completions, which every compatible server speaks too. */
export const openAiProtocol: ModelProtocol = {
  channels: ['json_schema', 'json_object', 'tools'],
  complaint: {
    json_schema: /response.?format|json.?schema|structured.?output|guided|grammar/i,
    json_object: /response.?format|json.?(object|mode)/i,
    tools: /tool|function/i,
  },
  spareParameters: [
    'temperature',
    'top_p',
    'frequency_penalty',
    'presence_penalty',
    'stop',
    'max_tokens',
    'max_completion_tokens',
  ],
  givesLogprobs: true,
  address: ({ baseUrl = OPENAI_BASE }) => chatAddress(baseUrl),
  headers: ({ apiKey }) => (apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  body: writeBody,
  read: readAnswer,
}

/** Azure's OpenAI: the same protocol at an address of one's own, with the name of a deployment as the model. */
export const azureProtocol: ModelProtocol = {
  ...openAiProtocol,
  address({ baseUrl }) {
    if (baseUrl === undefined) {
      throw new ModelFailure(
        'rejected',
        'azure needs the address of the resource: AZURE_RESOURCE_NAME or a base URL',
      )
    }
    return azureAddress(baseUrl)
  },
  headers: ({ apiKey }: ModelAccess) => (apiKey === undefined ? {} : { 'api-key': apiKey }),
}

function chatAddress(base: string): URL {
  const { pathname } = new URL(base)
  return pathname.replace(/\/+$/, '').endsWith(CHAT_PATH) ? new URL(base) : under(base, CHAT_PATH)
}

/** Bases are written as the resource alone, with `/openai`, with `/openai/v1`, or down to a deployment. */
function azureAddress(base: string): URL {
  const path = new URL(base).pathname.replace(/\/+$/, '')
  if (path === '') return under(base, `/openai/v1${CHAT_PATH}`)
  if (path.endsWith('/openai')) return under(base, `/v1${CHAT_PATH}`)
  return chatAddress(base)
}

function writeBody({ url, model, messages, sampling, wantsLogprobs, form, lacks }: ProtocolCall) {
  const told = form?.channel === 'json_object' ? tellSchema(messages, form.schema) : messages
  return {
    model,
    messages: told.map(({ role, content }) => ({ role, content })),
    ...parameters(
      {
        temperature: sampling.temperature ?? 0,
        top_p: sampling.topP,
        frequency_penalty: sampling.frequencyPenalty,
        presence_penalty: sampling.presencePenalty,
        stop: sampling.stop,
        [limitName(url, lacks)]: sampling.maxTokens,
      },
      lacks,
    ),
    ...(wantsLogprobs ? { logprobs: true } : {}),
    ...(form === undefined ? {} : channelParameters(form.channel, form.schema)),
  }
}

/** OpenAI's newer models know only the longer name, most other servers only the shorter; a server that complains gets the other. */
function limitName({ hostname }: URL, lacks: ReadonlySet<string>): string {
  const isVendor = hostname === 'api.openai.com' || hostname.endsWith('.azure.com')
  const [first, second] = isVendor
    ? (['max_completion_tokens', 'max_tokens'] as const)
    : (['max_tokens', 'max_completion_tokens'] as const)
  return lacks.has(first) ? second : first
}

function channelParameters(channel: Channel, schema: Readonly<Record<string, unknown>>) {
  switch (channel) {
    case 'json_schema':
      return {
        response_format: { type: 'json_schema', json_schema: { name: ANSWER_TOOL, strict: true, schema } },
      }
    case 'json_object':
      return { response_format: { type: 'json_object' } }
    case 'tools':
      return {
        tools: [
          {
            type: 'function',
            function: { name: ANSWER_TOOL, description: ANSWER_TOOL_ABOUT, parameters: schema },
          },
        ],
        tool_choice: { type: 'function', function: { name: ANSWER_TOOL } },
      }
  }
}

function readAnswer(answer: unknown, channel: Channel | undefined): ModelReply | undefined {
  const choices = dig(answer, 'choices')
  if (!Array.isArray(choices)) return undefined
  const usage = usageOf(dig(answer, 'usage', 'prompt_tokens'), dig(answer, 'usage', 'completion_tokens'))
  const message = dig(choices, 0, 'message')
  const refusal = dig(message, 'refusal')
  if (typeof refusal === 'string' && refusal !== '') return { kind: 'refused', why: refusal, usage }
  switch (dig(choices, 0, 'finish_reason')) {
    case 'content_filter':
      return { kind: 'refused', why: 'the provider filtered the answer', usage }
    case 'length':
      return { kind: 'truncated', usage }
    case 'error':
      // A router's way of saying that the provider behind it failed in the middle of an answer.
      return undefined
  }
  const text = channel === 'tools' ? textOfToolCalls(message) : textOfContent(dig(message, 'content'))
  return { kind: 'answered', text, usage, ...logprobsOf(choices) }
}

function textOfToolCalls(message: unknown): string {
  const calls = listOf(dig(message, 'tool_calls')).map((call) => dig(call, 'function'))
  return textOfCalls(
    calls.map((call) => {
      const given = dig(call, 'arguments')
      // Some servers hand over the arguments as a value instead of a text.
      return {
        name: dig(call, 'name'),
        text: typeof given === 'string' ? given : JSON.stringify(given ?? ''),
      }
    }),
  )
}

/** Some servers send a list of parts, with the reasoning in parts of its own. */
function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content
  return listOf(content)
    .filter((part) => dig(part, 'type') === 'text')
    .map((part) => String(dig(part, 'text') ?? ''))
    .join('')
}

function logprobsOf(choices: unknown): { logprobs?: readonly number[] } {
  const tokens = listOf(dig(choices, 0, 'logprobs', 'content'))
  const logprobs = tokens.map((token) => dig(token, 'logprob'))
  const areNumbers = logprobs.every((logprob) => typeof logprob === 'number')
  return tokens.length > 0 && areNumbers ? { logprobs } : {}
}
