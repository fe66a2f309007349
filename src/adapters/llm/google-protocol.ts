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
  tellSchema,
  textOfCalls,
  under,
  usageOf,
  withVersion,
} from './model-protocol.ts'

const GOOGLE_BASE = 'https://generativelanguage.googleapis.com/v1beta'

/** Reasons for which the provider, and not the model, ends an answer. */
const REFUSALS = new Set([
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'IMAGE_SAFETY',
])

/** Gemini's generateContent. */
export const googleProtocol: ModelProtocol = {
  channels: ['json_schema', 'json_object', 'tools'],
  complaint: {
    json_schema: /response.?(mime.?type|json.?schema|schema)|json.?(schema|mode)|structured.?output/i,
    json_object: /response.?mime.?type|json.?mode/i,
    tools: /tool|function/i,
  },
  spareParameters: ['temperature', 'topP', 'frequencyPenalty', 'presencePenalty', 'stopSequences'],
  givesLogprobs: true,
  address: ({ baseUrl = GOOGLE_BASE }, model) =>
    under(
      withVersion(baseUrl, 'v1beta'),
      `/models/${encodeURIComponent(model.replace(/^models\//, ''))}:generateContent`,
    ),
  headers: ({ apiKey }) => (apiKey === undefined ? {} : { 'x-goog-api-key': apiKey }),
  body: writeBody,
  read: readAnswer,
}

function writeBody({
  messages,
  sampling,
  wantsLogprobs,
  form,
  lacks,
}: ProtocolCall): Record<string, unknown> {
  const told = form?.channel === 'json_object' ? tellSchema(messages, form.schema) : messages
  const { system, turns } = splitSystem(told)
  return {
    ...(system === undefined ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    contents: turns.map(({ role, content }) => ({
      role: role === 'assistant' ? 'model' : 'user',
      parts: [{ text: content }],
    })),
    generationConfig: {
      ...parameters(
        {
          temperature: sampling.temperature ?? 0,
          topP: sampling.topP,
          frequencyPenalty: sampling.frequencyPenalty,
          presencePenalty: sampling.presencePenalty,
          stopSequences: sampling.stop,
          maxOutputTokens: sampling.maxTokens,
        },
        lacks,
      ),
      ...(wantsLogprobs ? { responseLogprobs: true } : {}),
      ...(form === undefined || form.channel === 'tools' ? {} : { responseMimeType: 'application/json' }),
      ...(form?.channel === 'json_schema' ? { responseJsonSchema: form.schema } : {}),
    },
    ...(form?.channel === 'tools' ? toolParameters(form.schema) : {}),
  }
}

function toolParameters(schema: Readonly<Record<string, unknown>>) {
  return {
    tools: [
      {
        functionDeclarations: [
          { name: ANSWER_TOOL, description: ANSWER_TOOL_ABOUT, parametersJsonSchema: schema },
        ],
      },
    ],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: [ANSWER_TOOL] } },
  }
}

function readAnswer(answer: unknown, channel: Channel | undefined): ModelReply | undefined {
  const metadata = dig(answer, 'usageMetadata')
  const usage = usageOf(dig(metadata, 'promptTokenCount'), completionTokens(metadata))
  const blocked = dig(answer, 'promptFeedback', 'blockReason')
  if (blocked !== undefined)
    return { kind: 'refused', why: `the provider blocked the prompt: ${String(blocked)}`, usage }
  const candidates = dig(answer, 'candidates')
  // An answer without candidates is Gemini's way of saying nothing, if it is Gemini that answers.
  if (!Array.isArray(candidates) && metadata === undefined) return undefined
  const finish = String(dig(candidates, 0, 'finishReason') ?? 'STOP')
  if (REFUSALS.has(finish))
    return { kind: 'refused', why: `the provider stopped the answer: ${finish}`, usage }
  if (finish === 'MAX_TOKENS') return { kind: 'truncated', usage }
  const parts = listOf(dig(candidates, 0, 'content', 'parts'))
  const text = channel === 'tools' ? textOfToolCalls(parts) : textOf(parts)
  return { kind: 'answered', text, usage, ...logprobsOf(candidates) }
}

function textOfToolCalls(parts: readonly unknown[]): string {
  const calls = parts.map((part) => dig(part, 'functionCall')).filter((call) => call !== undefined)
  return textOfCalls(
    calls.map((call) => ({ name: dig(call, 'name'), text: JSON.stringify(dig(call, 'args') ?? '') })),
  )
}

/** The model's reasoning is not part of its answer. */
function textOf(parts: readonly unknown[]): string {
  return parts
    .filter((part) => dig(part, 'thought') !== true)
    .map((part) => String(dig(part, 'text') ?? ''))
    .join('')
}

/** Thoughts are told apart, and paid for like the answer. */
function completionTokens(metadata: unknown): unknown {
  const counts = [dig(metadata, 'candidatesTokenCount'), dig(metadata, 'thoughtsTokenCount')]
  const known = counts.filter((count) => typeof count === 'number')
  return known.length === 0 ? undefined : known.reduce((sum, count) => sum + count, 0)
}

function logprobsOf(candidates: unknown): { logprobs?: readonly number[] } {
  const tokens = listOf(dig(candidates, 0, 'logprobsResult', 'chosenCandidates'))
  const logprobs = tokens.map((token) => dig(token, 'logProbability'))
  const areNumbers = logprobs.every((logprob) => typeof logprob === 'number')
  return tokens.length > 0 && areNumbers ? { logprobs } : {}
}
