import type { DialectReader, Found, SourcedMessage } from './canonical-values.ts'
import { isObject, textOf } from './json-value.ts'
import { partsOfText } from './read-content.ts'
import { readUncut } from './read-cut.ts'
import { readDocuments } from './read-documents.ts'
import { readMessages } from './read-message.ts'
import { requestMessages } from './read-provider-body.ts'
import { readToolDefinitions } from './read-tools.ts'
import { fromAttribute, type SpanSource } from './span-source.ts'

const INPUT = 'llm.input_messages'
const OUTPUT = 'llm.output_messages'
const DOCUMENTS = ['retrieval.documents', 'reranker.output_documents', 'reranker.input_documents']

/** OpenInference's lists: messages in and out, prompts without chat, tools and documents. */
export const openinference: DialectReader = {
  dialect: 'openinference',
  speaks: (span) =>
    span.raw('openinference.span.kind') !== undefined ||
    [INPUT, OUTPUT, ...DOCUMENTS].some((name) => span.hasList(name)),
  input: (span) =>
    wholeState(span) ??
    messages(span, INPUT, 'user') ??
    texts(span, 'llm.prompts', 'prompt', 'user') ??
    rerankerQuery(span),
  output: (span) =>
    messages(span, OUTPUT, 'assistant') ?? texts(span, 'llm.choices', 'completion', 'assistant'),
  context(span) {
    for (const name of DOCUMENTS) {
      const list = span.list(name)
      const value = list?.items.flatMap((item) => readDocuments(item.value)) ?? []
      if (list && value.length > 0) return { value, origins: [fromAttribute(list.key)] }
    }
    return undefined
  },
  toolDefinitions(span) {
    const list = span.list('llm.tools')
    const value = list?.items.flatMap((item) => readToolDefinitions(item.value)) ?? []
    return list && value.length > 0 ? { value, origins: [fromAttribute(list.key)] } : undefined
  },
}

// The instrumentation of LangChain lists only the first message of the state that a node of a graph is given.
function wholeState(span: SpanSource): Found<readonly SourcedMessage[]> | undefined {
  const list = ['CHAIN', 'AGENT'].includes(span.text('openinference.span.kind') ?? '')
    ? span.list(INPUT)
    : undefined
  const state = list ? requestMessages(span.raw('input.value')) : []
  if (!list || state.length <= list.items.length) return undefined
  const origin = fromAttribute('input.value')
  return { value: state.map((message) => ({ message, origin })), origins: [origin] }
}

function messages(
  span: SpanSource,
  name: string,
  role: string,
): Found<readonly SourcedMessage[]> | undefined {
  const list = span.list(name)
  const value = list?.items.flatMap(({ key, value: item }) => {
    const origin = fromAttribute(key === list.key ? key : `${key}.message.${contentName(item)}`)
    return readUncut(unfold(item), (whole) => readMessages(whole, role)).map((message) => ({
      message,
      origin,
    }))
  })
  return list && value && value.length > 0 ? { value, origins: [fromAttribute(list.key)] } : undefined
}

// A message of several parts may be written as the JSON text of its parts.
function unfold(item: unknown): unknown {
  const message = isObject(item) ? item['message'] : undefined
  const text = isObject(message) ? textOf(message['content']) : undefined
  const parts = text === undefined ? undefined : partsOfText(text)
  return parts && isObject(message) ? { message: { ...message, content: parts } } : item
}

function contentName(item: unknown): string {
  const message = isObject(item) && isObject(item['message']) ? item['message'] : {}
  return ['content', 'contents', 'tool_calls'].find((name) => Object.hasOwn(message, name)) ?? 'role'
}

/** Completions without chat: `llm.prompts.N.prompt.text`, `llm.choices.N.completion.text`. */
function texts(
  span: SpanSource,
  name: string,
  wrapper: string,
  role: string,
): Found<readonly SourcedMessage[]> | undefined {
  const list = span.list(name)
  const value = list?.items.flatMap(({ key, value: item }) => {
    const inner = isObject(item) ? (item[wrapper] ?? item[`${wrapper}.text`]) : undefined
    const content = textOf(isObject(inner) ? inner['text'] : inner)
    const origin = fromAttribute(key === list.key ? key : `${key}.${wrapper}.text`)
    return content === undefined ? [] : [{ message: { role, content }, origin }]
  })
  return list && value && value.length > 0 ? { value, origins: [fromAttribute(list.key)] } : undefined
}

function rerankerQuery(span: SpanSource): Found<readonly SourcedMessage[]> | undefined {
  const content = span.text('reranker.query')
  if (content === undefined) return undefined
  const origin = fromAttribute('reranker.query')
  return { value: [{ message: { role: 'user', content }, origin }], origins: [origin] }
}
