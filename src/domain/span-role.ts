import type { Span } from '../lib/otlp/span.ts'
import type { SpanFields } from './span-fields/span-fields.ts'

/**
 * The part that a span plays in the application that sent it. Calls of models, tools and agents are what people mean by "score
 * my application"; the others carry the same texts once more, or none. docs/integrations.md has them in a table.
 */
export const SPAN_ROLES = {
  'model call': 'a model call',
  tool: 'a tool call',
  agent: 'a run of an agent',
  wrapper: 'the outer span of a model call, whose inner span is scored',
  workflow: 'a workflow span',
  task: 'a task span',
  chain: 'a span of a chain',
  template: 'a prompt template',
  retrieval: 'a retrieval',
  embedding: 'an embedding',
  reranking: 'a reranking',
  guard: 'a guard or an evaluator',
  other: 'a span without a model, a conversation or a tool',
} as const
export type SpanRole = keyof typeof SPAN_ROLES

/**
 * Spans that a monitor leaves out although its setup matches them. `wrappers`: outer spans of model calls, so that a call
 * is one unit. `plumbing`: these and everything else that is no call of a model, a tool or an agent.
 */
export type SkippedSpans = 'wrappers' | 'plumbing'

const CALLS: ReadonlySet<SpanRole> = new Set(['model call', 'tool', 'agent'])

/** Whether a monitor that skips these spans leaves out one with this role. */
export function isSkipped(role: SpanRole, skips: SkippedSpans): boolean {
  return skips === 'plumbing' ? !CALLS.has(role) : role === 'wrapper'
}

/** Attributes by which frameworks say what a span is; their words mean the same in all of them. */
export const KIND_KEYS: readonly string[] = [
  'openinference.span.kind',
  'traceloop.span.kind',
  'langsmith.span.kind',
  'langfuse.observation.type',
  // As JSON: the word is in quotes.
  'mlflow.spanType',
]
/** Attributes that name the operation; they come after the kinds, because LangChain's workflows say `invoke_agent`. */
export const OPERATION_KEYS: readonly string[] = ['gen_ai.operation.name', 'llm.request.type']
/** The operation of the Vercel AI SDK. */
export const VERCEL_OPERATION_KEY = 'ai.operationId'

const ROLE_OF_KIND: ReadonlyMap<string, SpanRole> = new Map(
  Object.entries({
    ...{
      llm: 'model call',
      generation: 'model call',
      chat_model: 'model call',
      tool: 'tool',
      agent: 'agent',
    },
    ...{ workflow: 'workflow', task: 'task', chain: 'chain', parser: 'chain', prompt: 'template' },
    ...{ retriever: 'retrieval', embedding: 'embedding', reranker: 'reranking' },
    ...{ guardrail: 'guard', evaluator: 'guard' },
  }),
)
const ROLE_OF_OPERATION: ReadonlyMap<string, SpanRole> = new Map(
  Object.entries({
    ...{ chat: 'model call', completion: 'model call', text_completion: 'model call' },
    ...{ generate_content: 'model call', execute_tool: 'tool', invoke_agent: 'agent', create_agent: 'other' },
    ...{ invoke_workflow: 'workflow', framework: 'workflow', execute_task: 'task' },
    ...{ retrieval: 'retrieval', vector_db_retrieve: 'retrieval', rerank: 'reranking' },
    ...{ embeddings: 'embedding', embedding: 'embedding', guard: 'guard', 'guardrail.run': 'guard' },
  }),
)
const VERCEL_CALL = /\.do(?:Generate|Stream)$/
const VERCEL_WRAPPER = /^ai\.(?:generate|stream)(?:Text|Object)$/

/** Finds out what a span stands for: by what it says of itself, else by what it carries. */
export function spanRole(span: Span, fields: Pick<SpanFields, 'get'>): SpanRole {
  const vercel = vercelRole(wordOf(span, VERCEL_OPERATION_KEY))
  if (vercel !== undefined) return vercel
  const kind = saidRole(span, KIND_KEYS, ROLE_OF_KIND)
  const operation = saidRole(span, OPERATION_KEYS, ROLE_OF_OPERATION)
  // OpenLLMetry has no kind for retrievers: theirs are tasks.
  if (kind === 'task' && operation === 'retrieval') return operation
  return kind ?? operation ?? carriedRole(fields)
}

// Parts of LangChain and LlamaIndex that only hand texts on, in another form.
const HANDS_ON =
  /^Runnable(?:Parallel|Map|Passthrough|Assign|Pick)\b|(?:OutputParser|PromptTemplate|Splitter)$/

/**
 * Whether a span only hands texts on: the input of one that gathers documents and questions is no question, and its output
 * no answer.
 */
export function handsOn(span: Span, role: SpanRole): boolean {
  if (role === 'template') return true
  if (role !== 'chain' && role !== 'task') return false
  const name = span.attributes.get('traceloop.entity.name')
  return HANDS_ON.test(typeof name === 'string' ? name : span.name)
}

function wordOf({ attributes }: Span, key: string): string {
  const word = attributes.get(key)
  return typeof word === 'string' ? word : ''
}

function vercelRole(operation: string): SpanRole | undefined {
  if (VERCEL_CALL.test(operation)) return 'model call'
  if (VERCEL_WRAPPER.test(operation)) return 'wrapper'
  if (operation.startsWith('ai.embed')) return 'embedding'
  return operation === 'ai.toolCall' ? 'tool' : undefined
}

function saidRole(
  span: Span,
  keys: readonly string[],
  roles: ReadonlyMap<string, SpanRole>,
): SpanRole | undefined {
  for (const key of keys) {
    const role = roles.get(wordOf(span, key).replaceAll('"', '').toLowerCase())
    if (role !== undefined) return role
  }
  return undefined
}

/** A span that says nothing of itself. An id of a session or a workflow does not count: SDKs put those on every span. */
function carriedRole(fields: Pick<SpanFields, 'get'>): SpanRole {
  if (fields.get('model') !== undefined || fields.get('messages') !== undefined) return 'model call'
  if (fields.get('tool_calls') !== undefined) return 'tool'
  return fields.get('context') === undefined ? 'other' : 'retrieval'
}
