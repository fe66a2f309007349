import { toJsonSchema } from '../../domain/answer-shape.ts'
import { isProvider, modelName, PROVIDERS, type Provider } from '../../domain/judgement.ts'
import { ModelFailure } from '../../domain/model-failure.ts'
import { oneLine } from '../../lib/one-line.ts'
import type { ModelClient, ModelReply, ModelRequest } from '../../ports/model-client.ts'
import { anthropicProtocol } from './anthropic-protocol.ts'
import { bedrockProtocol } from './bedrock-protocol.ts'
import { googleProtocol } from './google-protocol.ts'
import type { Channel, ModelProtocol } from './model-protocol.ts'
import { azureProtocol, openAiProtocol } from './openai-protocol.ts'
import { type HttpAnswer, postJson } from './post-json.ts'
import { type ProviderError, readProviderError } from './provider-error.ts'
import { retryAfterMs } from './retry-after.ts'
import { createHabitMemory, noteAnswer, type ServerHabits } from './server-habits.ts'

const PROTOCOL_OF: Readonly<Record<Provider, ModelProtocol>> = {
  openai: openAiProtocol,
  anthropic: anthropicProtocol,
  google: googleProtocol,
  azure: azureProtocol,
  bedrock: bedrockProtocol,
}

/** Most bytes of an answer; a verdict has a few thousand, with log-probabilities some hundred thousand. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024

/** Longest quote of a provider's own words, in characters. */
const QUOTE_CHARS_MAX = 300

/** Words with which servers turn a parameter away, as opposed to its value. */
const TURNED_AWAY =
  /unsupported|unavailable|unrecogni[sz]ed|unknown|unexpected|deprecated|not (be )?(support|allow|permit|available|recogni)|n[o']t (support|accept|allow)|extra (input|field|forbidden)|cannot both/i

/** The schema itself is at fault, so that another question may well pass through the same channel. */
const SCHEMA_FAULT = /invalid (json )?schema|schema (is|has) (invalid|too )|schema exceeds/i

/** Creates a client for all providers, which calls the addresses it is given over HTTP and no others. */
export function createModelClient({
  answerBytesMax = ANSWER_BYTES_MAX,
}: {
  readonly answerBytesMax?: number
} = {}): ModelClient {
  const memory = createHabitMemory()
  return {
    async call(request, signal) {
      const call = prepare(request, memory)
      // Every turn takes away a channel or a parameter, so there are few of them.
      for (let channelAt = call.habits.channelAt; ; ) {
        const channel = request.answer === undefined ? undefined : call.protocol.channels[channelAt]
        const body = bodyOf(call, channel)
        const answer = await postJson(call.url, call.headers, body, answerBytesMax, signal)
        if (answer.status >= 200 && answer.status < 300) return readReply(call, channel, answer)
        const error = readProviderError(answer.text)
        if (error.isContentFilter) return { kind: 'refused', why: quote(call, error.message), usage: {} }
        const turned = turnedAway(call, channel, body, answer.status, error)
        if (turned === undefined) throw failureOf(call, answer, error)
        if (turned.parameter !== undefined) call.habits.lacks.add(turned.parameter)
        else channelAt = nextChannel(call, channelAt, answer, error)
      }
    },
  }
}

interface PreparedCall {
  readonly request: ModelRequest
  readonly protocol: ModelProtocol
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly schema?: Readonly<Record<string, unknown>>
  readonly habits: ServerHabits
}

function prepare(request: ModelRequest, memory: ReturnType<typeof createHabitMemory>): PreparedCall {
  const { model, access, answer } = request
  if (!isProvider(model.provider)) {
    throw new ModelFailure(
      'rejected',
      `there is no provider ${model.provider}; there are ${PROVIDERS.join(', ')}`,
    )
  }
  const protocol = PROTOCOL_OF[model.provider]
  if (request.wantsLogprobs === true && !protocol.givesLogprobs) {
    throw new ModelFailure('rejected', `${model.provider} gives no log-probabilities`)
  }
  // The runtime's own message would repeat a key that cannot stand in a header.
  if (access.apiKey !== undefined && !/^[\x21-\x7e]+$/.test(access.apiKey)) {
    throw new ModelFailure('rejected', `the API key of ${model.provider} has characters that no key can have`)
  }
  const url = addressOf(protocol, request)
  return {
    request,
    protocol,
    url,
    headers: protocol.headers(access),
    ...(answer === undefined ? {} : { schema: toJsonSchema(answer) }),
    habits: memory.of(url, model.model),
  }
}

function addressOf(protocol: ModelProtocol, { model, access }: ModelRequest): URL {
  const isUsable = access.baseUrl === undefined || /^https?:$/.test(URL.parse(access.baseUrl)?.protocol ?? '')
  if (!isUsable)
    throw new ModelFailure('rejected', `the base URL of ${model.provider} is not an http or https URL`)
  return protocol.address(access, model.model)
}

function bodyOf({ request, protocol, url, schema, habits }: PreparedCall, channel: Channel | undefined) {
  return protocol.body({
    url,
    model: request.model.model,
    messages: request.messages,
    sampling: request.sampling,
    wantsLogprobs: request.wantsLogprobs === true,
    ...(channel === undefined || schema === undefined ? {} : { form: { channel, schema } }),
    lacks: habits.lacks,
  })
}

function readReply(call: PreparedCall, channel: Channel | undefined, answer: HttpAnswer): ModelReply {
  const reply = call.protocol.read(parse(call, answer), channel)
  if (reply === undefined) {
    // Routers answer 200 and put the error of the provider behind them into the body.
    const error = readProviderError(answer.text)
    if (error.status !== undefined || error.message !== '')
      throw failureOf(call, { ...answer, status: error.status ?? answer.status }, error)
    throw new ModelFailure('rejected', `${call.url.host} answered with JSON that is no answer of a model`)
  }
  if (channel !== undefined && reply.kind === 'answered')
    noteAnswer(call.habits, call.protocol, channel, reply.text)
  return reply.kind === 'refused' ? { ...reply, why: quote(call, reply.why) } : reply
}

function parse({ url }: PreparedCall, { text, headers }: HttpAnswer): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const type = oneLine(headers['content-type'] ?? 'no content type', 60)
    throw new ModelFailure('rejected', `${url.host} answered with something that is not JSON (${type})`)
  }
}

/** The part of a request that a server rejected and might do without: a parameter, or the channel. */
function turnedAway(
  { protocol }: PreparedCall,
  channel: Channel | undefined,
  body: Readonly<Record<string, unknown>>,
  status: number,
  { words }: ProviderError,
): { readonly parameter?: string } | undefined {
  if (status !== 400 && status !== 422) return undefined
  const parameter = TURNED_AWAY.test(words) ? namedParameter(protocol, body, words) : undefined
  if (parameter !== undefined) return { parameter }
  return channel !== undefined && protocol.complaint[channel]?.test(words) ? {} : undefined
}

/** The spare parameter that was sent and that the words name first, in whatever spelling. */
function namedParameter(
  { spareParameters }: ModelProtocol,
  body: Readonly<Record<string, unknown>>,
  words: string,
): string | undefined {
  const sent = new Set(namesIn(body, 2))
  const plain = words.toLowerCase().replaceAll('_', '')
  const places = spareParameters
    .filter((name) => sent.has(name))
    .map((name) => ({
      name,
      at: plain.search(new RegExp(`\\b${name.toLowerCase().replaceAll('_', '')}\\b`)),
    }))
    .filter(({ at }) => at >= 0)
  return places.sort((one, other) => one.at - other.at)[0]?.name
}

function namesIn(value: unknown, depth: number): string[] {
  if (depth === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.entries(value).flatMap(([name, item]) => [name, ...namesIn(item, depth - 1)])
}

/** The channel after one that was turned away. It is remembered, unless only this schema was at fault. */
function nextChannel(call: PreparedCall, at: number, answer: HttpAnswer, error: ProviderError): number {
  const next = at + 1
  if (next >= call.protocol.channels.length) throw failureOf(call, answer, error)
  if (!SCHEMA_FAULT.test(error.words)) call.habits.channelAt = Math.max(call.habits.channelAt, next)
  return next
}

function failureOf(call: PreparedCall, { status, headers }: HttpAnswer, error: ProviderError): ModelFailure {
  const name = modelName(call.request.model)
  if (status >= 300 && status < 400) {
    return new ModelFailure(
      'rejected',
      `${call.url.host} redirects (${status}), which is not followed: correct the base URL`,
    )
  }
  const said = error.message === '' ? '' : `: ${quote(call, error.message)}`
  const message = `${name} at ${call.url.host} answered ${status}${said}`
  if (status !== 408 && status !== 425 && status !== 429 && status < 500)
    return new ModelFailure('rejected', message)
  return new ModelFailure('busy', message, retryAfterMs(headers, Date.now()) ?? error.retryDelayMs)
}

/** A provider's own words, short and without the key, which some servers repeat. */
function quote({ request }: PreparedCall, text: string): string {
  const { apiKey } = request.access
  return oneLine(apiKey === undefined ? text : text.replaceAll(apiKey, '***'), QUOTE_CHARS_MAX)
}
