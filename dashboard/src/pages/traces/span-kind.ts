/** The kind of work that a span records, as far as its attributes tell. */
export type SpanKind = 'chat' | 'tool' | 'retrieval' | 'agent' | 'other'

/** How kinds are shown: a letter, so that no reader has to tell colours apart, and a word. */
export const KINDS: Readonly<Record<SpanKind, { letter: string; word: string }>> = {
  chat: { letter: 'C', word: 'Model call' },
  tool: { letter: 'T', word: 'Tool' },
  retrieval: { letter: 'R', word: 'Retrieval' },
  agent: { letter: 'A', word: 'Agent' },
  other: { letter: '·', word: 'Other' },
}

const NAMING = [
  'gen_ai.operation.name',
  'openinference.span.kind',
  'traceloop.span.kind',
  'llm.request.type',
  'ai.operationId',
]

const WORDS: readonly (readonly [SpanKind, RegExp])[] = [
  ['tool', /^(execute_tool|tool|ai\.toolcall)$/],
  ['agent', /^(invoke_agent|create_agent|agent)$/],
  ['retrieval', /^(retriev|rerank|embed|ai\.embed)/],
  ['chat', /^(chat|completion|text_completion|generate_content|llm$|ai\.(generate|stream)(text|object)\.do)/],
]

const SIGNS: readonly (readonly [SpanKind, RegExp])[] = [
  ['tool', /^(gen_ai\.tool\.call\.|mcp\.tool\.|ai\.toolCall\.)/],
  [
    'retrieval',
    /^(retrieval\.|db\.vector\.|gen_ai\.retrieval\.|pinecone\.|chroma\.|qdrant\.|weaviate\.|milvus\.)/,
  ],
  ['chat', /^(gen_ai\.(completion|output\.messages|usage)|llm\.(output_messages|token_count|completions))/],
]

/** The kind that a span names itself, in any dialect; else the one that its attributes are typical of. */
export function kindOf({
  span_attributes: attributes,
}: {
  readonly span_attributes: Readonly<Record<string, string>>
}): SpanKind {
  for (const name of NAMING) {
    const said = attributes[name]?.toLowerCase()
    const known = said && WORDS.find(([, words]) => words.test(said))
    if (known) return known[0]
  }
  const keys = Object.keys(attributes)
  return SIGNS.find(([, sign]) => keys.some((key) => sign.test(key)))?.[0] ?? 'other'
}
