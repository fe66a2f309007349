import type { components } from '../api/schema.gen.ts'
import { isText, parseJson } from './json-text.ts'
import { documentsIn, numberedDocuments, type RetrievedDocument } from './retrieved-documents.ts'

/** A span as `GET /v2/traces/{trace_id}` and `GET /v2/warehouse/spans` give it; only the first reads documents in any dialect. */
export type StoredSpan = components['schemas']['WarehouseSpan'] & { readonly documents?: readonly string[] }

export interface ToolCall {
  readonly name: string
  /** As they were sent, mostly JSON. */
  readonly arguments: string
}

export interface ChatMessage {
  readonly role: string
  readonly content: string
  readonly toolCalls: readonly ToolCall[]
  /** The tool that answered, in a message with role `tool`. */
  readonly tool?: string
}

/** The run of a tool that a span is about. */
export interface ToolRun {
  readonly name: string
  readonly arguments?: string
  readonly result?: string
}

/** The model and tokens of a call, as far as the span tells. */
export interface ModelUse {
  readonly model?: string
  readonly promptTokens?: number
  readonly completionTokens?: number
}

/** The conversation of a call of a model: what was sent, and after it what came back. */
export function messagesOf({
  prompts,
  completions,
}: Pick<StoredSpan, 'prompts' | 'completions'>): ChatMessage[] {
  return withToolNames([
    ...readMessages(prompts, 'llm.prompts', 'user'),
    ...readMessages(completions, 'llm.completions', 'assistant'),
  ])
}

function readMessages(fields: Readonly<Record<string, string>>, prefix: string, role: string): ChatMessage[] {
  const messages: ChatMessage[] = []
  for (let at = 0; `${prefix}.${at}.role` in fields || `${prefix}.${at}.content` in fields; at++) {
    const calls: ToolCall[] = []
    for (let call = 0; `${prefix}.${at}.tool_calls.${call}.name` in fields; call++) {
      const name = fields[`${prefix}.${at}.tool_calls.${call}.name`] ?? ''
      calls.push({ name, arguments: fields[`${prefix}.${at}.tool_calls.${call}.arguments`] ?? '' })
    }
    const said = fields[`${prefix}.${at}.role`] ?? role
    messages.push({ role: said, content: fields[`${prefix}.${at}.content`] ?? '', toolCalls: calls })
  }
  return messages
}

// Results follow the message that asked for them, in the order of its calls.
function withToolNames(messages: readonly ChatMessage[]): ChatMessage[] {
  let waiting: string[] = []
  return messages.map((message) => {
    if (message.role !== 'tool') {
      waiting = message.toolCalls.map(({ name }) => name)
      return message
    }
    const tool = waiting.shift()
    return tool === undefined ? message : { ...message, tool }
  })
}

const DOCUMENT_LISTS = ['retrieval.documents', 'reranker.output_documents']
const DOCUMENT_VALUES = ['gen_ai.retrieval.documents']
const OUTPUTS = ['traceloop.entity.output', 'output.value']

/** The results of a search, with titles and scores where the span has them in a known form. */
export function documentsOf(span: StoredSpan): RetrievedDocument[] {
  const attributes = span.span_attributes
  const values = [...DOCUMENT_VALUES, ...(isRetriever(attributes) ? OUTPUTS : [])]
  const rich = [
    ...DOCUMENT_LISTS.map((list) => () => numberedDocuments(attributes, list)),
    ...values.map((key) => () => documentsIn(attributes[key])),
  ]
  for (const read of rich) {
    const documents = read()
    if (documents.length > 0) return documents
  }
  return (span.documents ?? []).map((text) => ({ text }))
}

function isRetriever(attributes: Readonly<Record<string, string>>): boolean {
  const kinds = [
    attributes['openinference.span.kind'],
    attributes['traceloop.span.kind'],
    attributes['gen_ai.operation.name'],
  ]
  return kinds.some((kind) => /retriev|rerank/i.test(kind ?? ''))
}

/** The run of a tool, where the span is one. */
export function toolRunOf(span: StoredSpan): ToolRun | undefined {
  const attributes = span.span_attributes
  const first = (names: readonly string[]) =>
    names.map((name) => attributes[name]).find((value) => value !== undefined)
  const kinds = [
    attributes['traceloop.span.kind'],
    attributes['openinference.span.kind'],
    attributes['gen_ai.operation.name'],
  ]
  const isTool =
    kinds.some((kind) => /^(tool|execute_tool)$/i.test(kind ?? '')) || 'ai.toolCall.name' in attributes
  const given = first([
    'gen_ai.tool.call.arguments',
    'mcp.request.argument',
    'mcp.tool.arguments',
    'ai.toolCall.args',
  ])
  const result = first([
    'gen_ai.tool.call.result',
    'mcp.response.value',
    'mcp.tool.result',
    'ai.toolCall.result',
  ])
  if (!isTool && given === undefined && result === undefined) return undefined
  const asked = given ?? first(['traceloop.entity.input', 'input.value'])
  const answered = result ?? first(OUTPUTS)
  const name = first([
    'gen_ai.tool.name',
    'mcp.tool.name',
    'tool.name',
    'ai.toolCall.name',
    'traceloop.entity.name',
  ])
  return {
    name: name ?? span.span_name,
    ...(asked === undefined ? {} : { arguments: asked }),
    ...(answered === undefined ? {} : { result: answered }),
  }
}

/** The model and its tokens. */
export function modelUseOf({ span_attributes: attributes }: StoredSpan): ModelUse {
  const first = (names: readonly string[]) =>
    names.map((name) => attributes[name]).find((value) => value !== undefined && value !== '')
  const count = (names: readonly string[]) => {
    const value = Number(first(names) ?? Number.NaN)
    return Number.isNaN(value) ? undefined : value
  }
  const model = first([
    'gen_ai.response.model',
    'gen_ai.request.model',
    'llm.model_name',
    'llm.request.model',
    'ai.model.id',
  ])
  const promptTokens = count([
    'gen_ai.usage.input_tokens',
    'gen_ai.usage.prompt_tokens',
    'llm.token_count.prompt',
    'llm.usage.prompt_tokens',
  ])
  const completionTokens = count([
    'gen_ai.usage.output_tokens',
    'gen_ai.usage.completion_tokens',
    'llm.token_count.completion',
    'llm.usage.completion_tokens',
  ])
  return {
    ...(model === undefined ? {} : { model }),
    ...(promptTokens === undefined ? {} : { promptTokens }),
    ...(completionTokens === undefined ? {} : { completionTokens }),
  }
}

/** The input and output of a span that is no chat, search or run of a tool. */
export function plainTextsOf(span: StoredSpan): { readonly input?: string; readonly output?: string } {
  if (messagesOf(span).length > 0 || documentsOf(span).length > 0 || toolRunOf(span)) return {}
  const input = span.input ?? span.span_attributes['input.value']
  const output = span.output ?? span.span_attributes['output.value']
  return { ...(input === undefined ? {} : { input }), ...(output === undefined ? {} : { output }) }
}

/** Every text that `SpanContent` shows of a span, for looking up quotes. */
export function textsOf(span: StoredSpan): string[] {
  const run = toolRunOf(span)
  return [
    ...messagesOf(span).flatMap(({ content, toolCalls }) => [
      content,
      ...toolCalls.map((call) => prettyJson(call.arguments)),
    ]),
    ...documentsOf(span).map(({ text }) => text),
    ...[run?.arguments, run?.result].filter(isText).map(prettyJson),
    ...Object.values(plainTextsOf(span)).map(prettyJson),
  ]
}

/** JSON with line breaks where it is some and not too long to be worth it; any other text as it is. */
export function prettyJson(text: string): string {
  if (text.length > 200_000 || !/^\s*[[{]/.test(text)) return text
  const value = parseJson(text)
  return value === undefined ? text : JSON.stringify(value, undefined, 2)
}
