import { asJson } from './fake-anthropic-protocol.ts'
import { dig, type FakeOutcome, type FakeProtocol, listOf, schemaOf, textOf } from './fake-protocol.ts'
import { schemaInText } from './fill-schema.ts'

const FINISH: Readonly<Record<FakeOutcome['finish'], string>> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  filtered: 'SAFETY',
  refused: 'PROHIBITED_CONTENT',
}

/** Gemini's generateContent. */
export const fakeGoogleProtocol: FakeProtocol = {
  name: 'google',
  match(path) {
    const model = /\/models\/([^/]+):generateContent$/.exec(path)?.[1]
    return model === undefined ? undefined : decodeURIComponent(model)
  },

  read(body) {
    const system = textOf(dig(body, 'systemInstruction', 'parts'))
    const turns = listOf(body['contents']).map((content) => ({
      role: dig(content, 'role') === 'model' ? 'assistant' : 'user',
      content: textOf(dig(content, 'parts')),
    }))
    const messages = system === '' ? turns : [{ role: 'system', content: system }, ...turns]
    return {
      messages,
      ...channelOf(body, messages),
      wantsLogprobs: dig(body, 'generationConfig', 'responseLogprobs') === true,
    }
  },

  answer: ({ text, calls, finish, usage, logprobs }, model) => ({
    // A prompt that is refused has no candidates; an answer that is filtered has one without content.
    ...(finish === 'refused'
      ? { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }
      : {
          candidates: [
            {
              ...(finish === 'filtered' ? {} : { content: { role: 'model', parts: partsOf(text, calls) } }),
              finishReason: FINISH[finish],
              index: 0,
              ...(logprobs === undefined
                ? {}
                : {
                    logprobsResult: {
                      chosenCandidates: logprobs.map((logProbability) => ({ token: 'x', logProbability })),
                    },
                  }),
            },
          ],
        }),
    modelVersion: model,
    ...(usage === undefined
      ? {}
      : { usageMetadata: { promptTokenCount: usage.prompt, candidatesTokenCount: usage.completion } }),
  }),

  error: (status, message) => ({
    error: { code: status, message, status: status === 400 ? 'INVALID_ARGUMENT' : 'UNAVAILABLE' },
  }),

  complaint(channel) {
    const message = {
      json_schema: 'Unknown name "responseJsonSchema" at \'generation_config\': Cannot find field.',
      json_object: 'JSON mode is not enabled for this model',
      tools: 'Function calling is not enabled for this model',
    }[channel]
    return { message, parameter: channel }
  },
}

function partsOf(text: string, calls: FakeOutcome['calls']): unknown[] {
  return [
    ...(text === '' ? [] : [{ text }]),
    ...calls.map((call) => ({ functionCall: { name: call.name, args: asJson(call.arguments) } })),
  ]
}

function channelOf(body: Readonly<Record<string, unknown>>, messages: readonly { content: string }[]) {
  const config = body['generationConfig']
  const schema = dig(config, 'responseJsonSchema')
  if (schema !== undefined) return { channel: 'json_schema' as const, ...schemaOf(schema) }
  const tool = dig(body, 'tools', 0, 'functionDeclarations', 0)
  if (tool !== undefined) {
    return {
      channel: 'tools' as const,
      ...schemaOf(dig(tool, 'parametersJsonSchema')),
      toolName: String(dig(tool, 'name')),
    }
  }
  if (dig(config, 'responseMimeType') !== 'application/json') return {}
  return {
    channel: 'json_object' as const,
    ...schemaOf(schemaInText(messages.map(({ content }) => content).join('\n'))),
  }
}
