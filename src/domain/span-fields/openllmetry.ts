import type { DialectReader, Found, SourcedMessage } from './canonical-values.ts'
import { isObject, textOf } from './json-value.ts'
import { partsOfText } from './read-content.ts'
import { beforeCut } from './read-cut.ts'
import { readLogprobs } from './read-logprobs.ts'
import { looksLikeMessage, readMessages } from './read-message.ts'
import { inputPayload, outputPayload } from './read-payload.ts'
import { readToolDefinitions } from './read-tools.ts'
import { type AttributeList, fromAttribute, type SpanSource } from './span-source.ts'

// Old and new names of the same lists; the vendor's own store writes `llm.` for `gen_ai.`.
const PROMPTS = ['gen_ai.prompt', 'llm.prompts']
const COMPLETIONS = ['gen_ai.completion', 'llm.completions']

/** OpenLLMetry's numbered attributes: `gen_ai.prompt.N.*`, `gen_ai.completion.N.*` and the same under `llm.`. */
export const openllmetry: DialectReader = {
  dialect: 'openllmetry',
  speaks: (span) => [...PROMPTS, ...COMPLETIONS].some((name) => listNamed(span, name) !== undefined),
  input: (span) => firstList(span, PROMPTS, 'user'),
  output: (span) => firstList(span, COMPLETIONS, 'assistant'),
  toolDefinitions(span) {
    for (const name of ['llm.request.functions', 'gen_ai.request.functions', 'gen_ai.request.tools']) {
      const list = span.list(name)
      const value = list?.items.flatMap((item) => readToolDefinitions(item.value)) ?? []
      if (list && value.length > 0) return { value, origins: [fromAttribute(list.key)] }
    }
    return undefined
  },
  logprobs(span) {
    for (const name of COMPLETIONS) {
      const first = listNamed(span, name)?.items[0]
      const value = isObject(first?.value) ? readLogprobs(first.value['logprobs']) : undefined
      if (first && value) return { value, origins: [fromAttribute(`${first.key}.logprobs`)] }
    }
    return undefined
  },
}

function firstList(
  span: SpanSource,
  names: readonly string[],
  role: string,
): Found<readonly SourcedMessage[]> | undefined {
  for (const name of names) {
    const list = listNamed(span, name)
    const value = list ? messagesOf(list, role) : []
    if (list && value.length > 0) return { value, origins: [fromAttribute(list.key)] }
  }
  return undefined
}

// OpenInference has `llm.prompts.N.prompt.text` under the same name.
function listNamed(span: SpanSource, name: string): AttributeList | undefined {
  const list = span.list(name)
  const isForeign = list?.items.every(({ value }) => isObject(value) && isObject(value['prompt']))
  return isForeign ? undefined : list
}

function messagesOf(list: AttributeList, role: string): SourcedMessage[] {
  return list.items.flatMap(({ key, value }) => {
    const isSpread = key !== list.key
    const content = isObject(value) ? (value['content'] ?? value['user']) : undefined
    const message = isObject(value) && content !== undefined ? { ...value, content: unfold(content) } : value
    const origin = fromAttribute(isSpread ? originKey(key, value) : key)
    const isBody = isObject(value) ? !looksLikeMessage(value) : beforeCut(value) !== undefined
    if (!isSpread && isBody) {
      // LangSmith: the inputs and the outputs of a run.
      const read = role === 'user' ? inputPayload(value) : outputPayload(value)
      return read.map((one) => ({ message: one, origin }))
    }
    return readMessages(message, role).map((one) => ({ message: one, origin }))
  })
}

// A message of several parts is written as the JSON text of its parts.
function unfold(content: unknown): unknown {
  const text = textOf(content)
  return text === undefined ? content : (partsOfText(text) ?? text)
}

function originKey(key: string, value: unknown): string {
  if (!isObject(value)) return key
  return `${key}.${['content', 'user', 'tool_calls', 'refusal'].find((name) => Object.hasOwn(value, name)) ?? 'role'}`
}
