import type { DialectReader, Found, Message, SourcedMessage } from './canonical-values.ts'
import { isObject, structureOf, textOf, textOrJson } from './json-value.ts'
import { readContent } from './read-content.ts'
import { readUncut } from './read-cut.ts'
import { readLogprobs } from './read-logprobs.ts'
import { readMessages } from './read-message.ts'
import { readArguments, readResult, readToolCalls, readToolDefinitions } from './read-tools.ts'
import { fromAttribute, type SpanSource } from './span-source.ts'

// Each thing by the name that current versions have for it, then by the names of older ones.
const TEXT = ['ai.response.text', 'ai.result.text']
const CALLS = ['ai.response.toolCalls', 'ai.result.toolCalls']
const OBJECT = ['ai.response.object', 'ai.result.object']
const ARGUMENTS = ['ai.toolCall.args', 'ai.toolCall.input']
const RESULT = ['ai.toolCall.result', 'ai.toolCall.output']

/** The spans of the Vercel AI SDK. */
export const vercelAiSdk: DialectReader = {
  dialect: 'vercel-ai-sdk',
  speaks: (span) =>
    ['ai.operationId', 'ai.model.id', 'ai.prompt', 'ai.prompt.messages', 'ai.toolCall.name', ...TEXT].some(
      (key) => span.raw(key) !== undefined,
    ),
  input(span) {
    const sent = sourced('ai.prompt.messages', readUncut(span.raw('ai.prompt.messages'), conversation))
    return sent ?? sourced('ai.prompt', readUncut(span.raw('ai.prompt'), conversation))
  },
  output(span) {
    const textKey = present(span, TEXT) ?? present(span, OBJECT)
    const callsKey = present(span, CALLS)
    const content = textKey === undefined ? undefined : textOrJson(span.raw(textKey))
    const calls = callsKey === undefined ? [] : readToolCalls(span.raw(callsKey))
    if (content === undefined && calls.length === 0) return undefined
    const keys = [
      ...(content !== undefined && textKey ? [textKey] : []),
      ...(calls.length > 0 && callsKey ? [callsKey] : []),
    ]
    const message: Message = {
      role: 'assistant',
      content: content ?? '',
      ...(calls.length > 0 && { tool_calls: calls }),
    }
    const origins = keys.map(fromAttribute)
    return { value: [{ message, origin: origins[0] ?? fromAttribute('ai.response') }], origins }
  },
  toolDefinitions(span) {
    const value = readToolDefinitions(span.raw('ai.prompt.tools'))
    return value.length > 0 ? { value, origins: [fromAttribute('ai.prompt.tools')] } : undefined
  },
  toolCalls(span) {
    const name = span.text('ai.toolCall.name')
    if (name === undefined) return undefined
    const key = present(span, ARGUMENTS)
    const id = span.text('ai.toolCall.id')
    const value = { name, arguments: readArguments(key && span.raw(key)), ...(id !== undefined && { id }) }
    return { value: [value], origins: ['ai.toolCall.name', ...(key ? [key] : [])].map(fromAttribute) }
  },
  toolResults(span) {
    const key = present(span, RESULT)
    if (key === undefined) return undefined
    const name = span.text('ai.toolCall.name')
    const id = span.text('ai.toolCall.id')
    const named = { ...(name !== undefined && { name }), ...(id !== undefined && { id }) }
    return { value: [{ ...named, result: readResult(span.raw(key)) }], origins: [fromAttribute(key)] }
  },
  logprobs(span) {
    const key = 'ai.response.providerMetadata'
    const byProvider = span.structure(key)
    if (!isObject(byProvider)) return undefined
    for (const metadata of Object.values(byProvider)) {
      const value = isObject(metadata) ? readLogprobs(metadata['logprobs']) : undefined
      if (value) return { value, origins: [fromAttribute(key)] }
    }
    return undefined
  },
}

// `ai.prompt` is {system?, prompt?, messages?}; a prompt may be a list of messages too.
function conversation(given: unknown): Message[] {
  const value = structureOf(given)
  if (!isObject(value)) return Array.isArray(value) || textOf(value) ? readMessages(value, 'user') : []
  const system = readContent(structureOf(value['system'])).text
  const rest = [value['messages'], value['prompt']].flatMap((part) => readMessages(part, 'user'))
  return system === '' ? rest : [{ role: 'system', content: system }, ...rest]
}

function sourced(key: string, messages: Message[]): Found<readonly SourcedMessage[]> | undefined {
  const origin = fromAttribute(key)
  const value = messages.map((message) => ({ message, origin }))
  return value.length > 0 ? { value, origins: [origin] } : undefined
}

function present(span: SpanSource, keys: readonly string[]): string | undefined {
  return keys.find((key) => span.raw(key) !== undefined && span.raw(key) !== '')
}
