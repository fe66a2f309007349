/** A call to be timed: the same text, in three sizes, for every evaluator that can run. */
export interface BenchCase {
  readonly slug: string
  readonly input: (chars: number) => Record<string, unknown>
  readonly config?: Record<string, unknown>
}

/** The three sizes of input, in characters. */
export const SIZES = [
  ['100 B', 100],
  ['2 KB', 2_048],
  ['100 KB', 102_400],
] as const

const SENTENCE = 'The quick brown fox jumps over the lazy dog, then writes {"a": 1} and sends 3 mails. '

/** The schema that the JSON peers validate against as well. */
export const ITEM_SCHEMA = {
  type: 'object',
  required: ['items'],
  properties: {
    items: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'name', 'tags'],
        properties: {
          id: { type: 'integer', minimum: 0 },
          name: { type: 'string', minLength: 1, maxLength: 80 },
          price: { type: 'number', exclusiveMinimum: 0 },
          tags: { type: 'array', items: { enum: ['new', 'old', 'sale'] }, maxItems: 3 },
        },
        additionalProperties: false,
      },
    },
  },
}

/** Plain prose of about that many characters. */
export function prose(chars: number): string {
  return SENTENCE.repeat(Math.ceil(chars / SENTENCE.length)).slice(0, chars)
}

/** JSON text that fits the schema above. */
export function itemsJson(chars: number): string {
  const item = (id: number) => ({ id, name: `Thing number ${id}`, price: id + 0.5, tags: ['new', 'sale'] })
  const count = Math.max(1, Math.round((chars - 12) / JSON.stringify(item(100)).length))
  return JSON.stringify({ items: Array.from({ length: count }, (_, id) => item(id)) })
}

/** Tool calls of about that many characters, as OpenAI writes them. */
export function toolCalls(chars: number): object[] {
  const call = (at: number) => ({
    id: `call_${at}`,
    type: 'function',
    function: {
      name: `tool_${at % 7}`,
      arguments: `{"query":"find number ${at}","limit":10,"nested":{"page":${at}}}`,
    },
  })
  return Array.from({ length: Math.max(1, Math.round(chars / JSON.stringify(call(10)).length)) }, (_, at) =>
    call(at),
  )
}

function page(chars: number, word: string): string {
  const row = (at: number) => `<tr class="row"><td>${at}</td><td>${word} ${at}</td></tr>`
  const rows = Math.max(1, Math.round((chars - 40) / row(10).length))
  return `<h1>Report</h1><table>${Array.from({ length: rows }, (_, at) => row(at)).join('')}</table>`
}

function sql(chars: number): string {
  const ids = Math.max(1, Math.round((chars - 50) / 5))
  return `SELECT id, name FROM users WHERE id IN (${Array.from({ length: ids }, (_, at) => at).join(', ')})`
}

function logprobs(chars: number): string {
  return JSON.stringify(
    Array.from({ length: Math.max(1, Math.round(chars / 7)) }, (_, at) => -((at % 90) / 100 + 0.01)),
  )
}

/** Every evaluator that calls nothing outside the process. */
export const CASES: readonly BenchCase[] = [
  { slug: 'char-count', input: (chars) => ({ text: prose(chars) }) },
  {
    slug: 'char-count-ratio',
    input: (chars) => ({ numerator_text: prose(chars / 2), denominator_text: prose(chars / 2) }),
  },
  { slug: 'word-count', input: (chars) => ({ text: prose(chars) }) },
  {
    slug: 'word-count-ratio',
    input: (chars) => ({ numerator_text: prose(chars / 2), denominator_text: prose(chars / 2) }),
  },
  { slug: 'perplexity', input: (chars) => ({ logprobs: logprobs(chars) }) },
  { slug: 'json-validator', input: (chars) => ({ text: itemsJson(chars) }) },
  {
    slug: 'json-validator',
    input: (chars) => ({ text: itemsJson(chars) }),
    config: { enable_schema_validation: true, schema_string: JSON.stringify(ITEM_SCHEMA) },
  },
  { slug: 'sql-validator', input: (chars) => ({ text: sql(chars) }) },
  {
    slug: 'regex-validator',
    input: (chars) => ({ text: prose(chars) }),
    config: { regex: 'sends \\d+ (letters|parcels)' },
  },
  {
    slug: 'placeholder-regex',
    input: (chars) => ({
      placeholder_name: 'n',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what a placeholder looks like.
      placeholder_value: 'jumps ${n} the lazy cat',
      text: prose(chars),
    }),
  },
  {
    slug: 'html-comparison',
    input: (chars) => ({ html1: page(chars / 2, 'item'), html2: page(chars / 2, 'thing') }),
  },
  {
    slug: 'agent-tool-trajectory',
    input: (chars) => ({
      executed_tool_calls: JSON.stringify(toolCalls(chars / 2).reverse()),
      expected_tool_calls: JSON.stringify(toolCalls(chars / 2)),
    }),
  },
  {
    slug: 'agent-tool-error-detector',
    input: (chars) => ({ tool_input: '{"q": 1}', tool_output: itemsJson(chars) }),
  },
  { slug: 'pii-detector', input: (chars) => ({ text: prose(chars) }) },
  { slug: 'profanity-detector', input: (chars) => ({ text: prose(chars) }) },
  { slug: 'secrets-detector', input: (chars) => ({ text: prose(chars) }) },
  { slug: 'prompt-perplexity', input: (chars) => ({ prompt: prose(chars) }) },
  { slug: 'toxicity-detector', input: (chars) => ({ text: prose(chars) }) },
  { slug: 'sexism-detector', input: (chars) => ({ text: prose(chars) }) },
  { slug: 'prompt-injection', input: (chars) => ({ prompt: prose(chars) }) },
  { slug: 'tone-detection', input: (chars) => ({ text: prose(chars) }) },
  {
    slug: 'semantic-similarity',
    input: (chars) => ({ completion: prose(chars / 2), reference: prose(chars / 2) }),
  },
]
