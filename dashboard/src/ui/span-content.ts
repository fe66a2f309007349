import type { components } from '../api/schema.gen.ts'

/** A span as `GET /v2/traces/{trace_id}` and `GET /v2/warehouse/spans` give it. */
export type StoredSpan = components['schemas']['WarehouseSpan']

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

export interface RetrievedDocument {
  readonly text: string
  readonly title?: string
  readonly score?: number
}

/** The run of a tool that a span is about. */
export interface ToolRun {
  readonly name: string
  readonly arguments?: string
  readonly result?: string
}

/** What calling a model took, as far as the span tells. */
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

/** What a search found, where the span carries it. */
export function documentsOf(span: StoredSpan): RetrievedDocument[] {
  const attributes = span.span_attributes
  for (const list of DOCUMENT_LISTS) {
    const documents = numberedDocuments(attributes, list)
    if (documents.length > 0) return documents
  }
  for (const key of [...DOCUMENT_VALUES, ...(isRetriever(attributes) ? OUTPUTS : [])]) {
    const documents = documentsIn(attributes[key])
    if (documents.length > 0) return documents
  }
  return []
}

function isRetriever(attributes: Readonly<Record<string, string>>): boolean {
  const kinds = [
    attributes['openinference.span.kind'],
    attributes['traceloop.span.kind'],
    attributes['gen_ai.operation.name'],
  ]
  return kinds.some((kind) => /retriev|rerank/i.test(kind ?? ''))
}

function numberedDocuments(attributes: Readonly<Record<string, string>>, list: string): RetrievedDocument[] {
  const documents: RetrievedDocument[] = []
  for (let at = 0; ; at++) {
    const part = (name: string) => attributes[`${list}.${at}.document.${name}`]
    const text = part('content')
    const id = part('id')
    if (text === undefined && id === undefined) return documents
    const metadata = jsonOf(part('metadata'))
    documents.push(documentOf({ content: text ?? '', score: part('score'), title: titleIn(metadata) ?? id }))
  }
}

const LIST_NAMES = [
  'documents',
  'docs',
  'source_documents',
  'contexts',
  'context',
  'nodes',
  'matches',
  'results',
  'outputs',
]

/** Documents in a JSON text: a list of texts or objects, or an object that has one. */
export function documentsIn(text: string | undefined): RetrievedDocument[] {
  const value = jsonOf(text)
  const list = Array.isArray(value)
    ? value
    : isRecord(value)
      ? LIST_NAMES.map((name) => value[name]).find(Array.isArray)
      : undefined
  return (list ?? []).flatMap((item: unknown) => {
    if (typeof item === 'string') return [{ text: item }]
    if (!isRecord(item)) return []
    const inner = isRecord(item['document']) ? item['document'] : isRecord(item['node']) ? item['node'] : item
    const content = [
      inner['content'],
      inner['page_content'],
      inner['pageContent'],
      inner['text'],
      inner['body'],
    ].find(isText)
    const title = titleIn(inner) ?? titleIn(inner['metadata']) ?? [inner['id'], item['id']].find(isText)
    return content === undefined
      ? []
      : [documentOf({ content, score: item['score'] ?? inner['score'], title })]
  })
}

function documentOf({
  content,
  score,
  title,
}: {
  content: string
  score: unknown
  title: string | undefined
}): RetrievedDocument {
  const number = score === undefined || score === null || score === '' ? Number.NaN : Number(score)
  return {
    text: content,
    ...(title === undefined ? {} : { title }),
    ...(Number.isNaN(number) ? {} : { score: number }),
  }
}

function titleIn(value: unknown): string | undefined {
  return isRecord(value)
    ? ['title', 'source', 'file_name', 'url', 'name'].map((name) => value[name]).find(isText)
    : undefined
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
    ...[span.input, span.output].filter(isText).map(prettyJson),
  ]
}

/** JSON with line breaks where it is some and not too long to be worth it; any other text as it is. */
export function prettyJson(text: string): string {
  if (text.length > 200_000 || !/^\s*[[{]/.test(text)) return text
  const value = jsonOf(text)
  return value === undefined ? text : JSON.stringify(value, undefined, 2)
}

function jsonOf(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
