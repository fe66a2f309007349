import { findBuiltIn } from '../../../src/evaluators/catalogue.ts'
import { EVALUATORS } from '../../../src/evaluators/registry.gen.ts'
import type { Json } from '../../../src/http/openapi-document.ts'
import type { Random } from '../../otlp/random-traces.ts'
import { idsOf } from '../../support/spans.ts'
import { CANARY } from './fuzz-tenants.ts'
import { DOCUMENT } from './operations.ts'

const DEPTH_MAX = 6
const ITEMS_MAX = 3
/** One optional property in so many is left out. */
const ABSENT_ONE_IN = 2

const SLUGS = EVALUATORS.map(({ slug }) => slug)
const WORDS = [
  'model',
  'fuzz',
  'a',
  'gpt-4o',
  'Is this polite? {{completion}}',
  'prd',
  'größer 👋',
  '0',
  'true',
]
/** Names of spans that are sent, read and deleted again. */
const SPANS = Array.from({ length: 60 }, (_, at) => `fuzz span ${at}`)
const TRACES = [...SPANS, CANARY].map((name) => idsOf(name).trace_id)
const TIMES = [
  '2026-01-01T00:00:00Z',
  '2020-02-29T23:59:59.999Z',
  '9999-12-31T23:59:59Z',
  '1970-01-01T00:00:00Z',
]
/** Strings that fit the patterns of the interface; each pattern takes the first that it accepts. */
const PATTERN_CANDIDATES = [
  ...TRACES,
  'b7ad6b7169203331',
  'fuzz-slug',
  'sk-0123456789abcdef',
  ...TIMES,
  '2026-01-01',
]

/** Values for names that say more than their schema. Placeholders are replaced when the request is sent. */
const BY_NAME: Readonly<Record<string, readonly string[]>> = {
  external_id: ['fuzz-0', 'fuzz-1', 'fuzz-2', 'victim-setup'],
  evaluator: [...SLUGS, 'fuzz-slug', 'victim-evaluator'],
  evaluator_type: [...SLUGS, 'fuzz-slug', 'victim-evaluator'],
  evaluators: [...SLUGS, 'fuzz-slug', 'victim-evaluator'],
  trace_id: TRACES,
  span_id: [...SPANS, CANARY].map((name) => idsOf(name).span_id),
  session_id: ['spans of the attacker', 'fuzz session'],
  slug: [...SLUGS.slice(0, 4), 'fuzz-slug'],
  cursor: ['@@cursor@@'],
  monitor_id: ['@@monitor@@', '@@victim_monitor@@'],
  project_id: ['@@project@@', '@@victim_project@@'],
  key_id: ['@@api_key@@', '@@victim_api_key@@'],
  execution_id: ['@@execution@@'],
  provider: ['openai', 'anthropic', 'google', 'azure', 'bedrock'],
  environment: ['prd'],
  environments: ['prd'],
  filters: ['[{"id":"span_name","operator":"equals","value":"chat gpt-4o"}]', '[]'],
  field: ['span_name', 'attributes.gen_ai.system', 'labels.environment'],
  property: ['char_count', 'word_count'],
  group_by: ['model', 'model,service'],
  bucket: ['1h', '1m', '1d'],
  ...Object.fromEntries(
    ['from', 'to', 'until', 'start_time', 'end_time'].map((name) => [name, [...TIMES, '1790000000', '0']]),
  ),
}

/** A value that fits a schema, most of the time also one that leads to something. */
export function valueFor(random: Random, schema: Json, name: string, depth = 0): unknown {
  if (typeof schema['$ref'] === 'string') return valueFor(random, resolve(schema['$ref']), name, depth)
  const choices = (schema['anyOf'] ?? schema['oneOf']) as Json[] | undefined
  if (choices) return valueFor(random, random.pick(choices), name, depth)
  if ('const' in schema) return schema['const']
  if (Array.isArray(schema['enum'])) return random.pick(schema['enum'])
  const type = Array.isArray(schema['type']) ? random.pick(schema['type'] as string[]) : schema['type']
  switch (type) {
    case 'string':
      return textFor(random, schema, name)
    case 'integer':
    case 'number':
      return numberFor(random, schema, type === 'integer')
    case 'boolean':
      return random.chance(2)
    case 'null':
      return null
    case 'array':
      return listFor(random, schema, name, depth)
    case 'object':
      return objectFor(random, schema, depth)
    default:
      return random.pick<unknown>(['text', 1, true, null, [], {}])
  }
}

/** An input for an evaluator that is named in the path: one of its own examples. */
export function exampleBody(random: Random, slug: string): unknown {
  const examples = findBuiltIn(slug)?.examples ?? []
  const { input, config } =
    examples.length > 0 ? random.pick(examples) : { input: { completion: 'text' }, config: undefined }
  return { input, ...(config === undefined ? {} : { config }) }
}

/** A request in OTLP's JSON encoding with one of the spans that other requests name. */
export function spanBody(random: Random): unknown {
  const name = random.pick(SPANS)
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } })
  const startMs = Date.now() - random.below(3_600_000)
  const span = {
    traceId: idsOf(name).trace_id,
    spanId: idsOf(name).span_id,
    name: 'chat gpt-4o',
    kind: 3,
    startTimeUnixNano: `${startMs}000000`,
    endTimeUnixNano: `${startMs + 1_000}000000`,
    attributes: [
      text('gen_ai.system', 'openai'),
      text('gen_ai.prompt.0.content', random.pick(WORDS)),
      text('gen_ai.completion.0.content', random.pick(WORDS)),
      text('session.id', 'fuzz session'),
    ],
  }
  return {
    resourceSpans: [
      { resource: { attributes: [text('service.name', 'fuzz')] }, scopeSpans: [{ spans: [span] }] },
    ],
  }
}

function resolve(reference: string): Json {
  return DOCUMENT.components.schemas[reference.slice(reference.lastIndexOf('/') + 1)] ?? {}
}

function textFor(random: Random, schema: Json, name: string): string {
  const named = BY_NAME[name]
  const pattern = schema['pattern']
  if (typeof pattern === 'string') {
    const fitting = [...(named ?? []), ...PATTERN_CANDIDATES].filter((text) =>
      new RegExp(pattern, 'u').test(text),
    )
    if (fitting.length > 0) return random.pick(fitting)
  }
  if (named && !random.chance(10)) return random.pick(named)
  const min = Number(schema['minLength'] ?? 0)
  const max = Number(schema['maxLength'] ?? 100_000)
  if (random.chance(30)) return 'm'.repeat(random.chance(2) ? min : Math.min(max, 40_000))
  return random.pick(WORDS).slice(0, max).padEnd(min, 'p')
}

function numberFor(random: Random, schema: Json, isWhole: boolean): number {
  const min = Math.max(Number(schema['minimum'] ?? 0), -1e15)
  const max = Math.min(Number(schema['maximum'] ?? 1e6), 1e15)
  const value = random.pick([min, max, min + (max - min) / 3, min + 1])
  const bounded = Math.min(max, Math.max(min, value))
  return isWhole ? Math.round(bounded) : bounded
}

function listFor(random: Random, schema: Json, name: string, depth: number): unknown[] {
  const min = Number(schema['minItems'] ?? 0)
  const max = Math.min(Number(schema['maxItems'] ?? ITEMS_MAX), ITEMS_MAX)
  const length = depth > DEPTH_MAX ? min : Math.max(min, random.below(max + 1))
  return Array.from({ length }, () => valueFor(random, (schema['items'] ?? {}) as Json, name, depth + 1))
}

function objectFor(random: Random, schema: Json, depth: number): Json {
  const required = (schema['required'] ?? []) as string[]
  const object: Json = {}
  for (const [name, property] of Object.entries((schema['properties'] ?? {}) as Record<string, Json>)) {
    const isWanted = required.includes(name) || (depth < DEPTH_MAX && !random.chance(ABSENT_ONE_IN))
    if (isWanted) object[name] = valueFor(random, property, name, depth + 1)
  }
  const extra = schema['additionalProperties']
  if (extra && typeof extra === 'object' && random.chance(2))
    object[random.pick(['gen_ai.system', 'completion', 'x'])] = valueFor(random, extra as Json, '', depth + 1)
  return object
}
