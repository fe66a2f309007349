// The spans that bench:ingest and bench:latency send: chat calls as OpenLLMetry writes them, about 1.5 KB each on the wire.

import { randomBytes } from 'node:crypto'
import { encodeTraces, type TestAttributes, type TestSpan } from '../tests/otlp/encode-traces.ts'

/** The shape of a workload's requests. */
export interface WorkloadOptions {
  readonly spansPerRequest: number
  /** Share of the spans that belong to a workflow which setups select; the others match nothing. */
  readonly watchedShare: number
  /** True: the spans of a request come from all applications, as a collector sends them. False: from one, as an SDK does. */
  readonly isCollector: boolean
}

/** One encoded request and where its spans lie in it. */
export interface SpanRequest {
  readonly body: Buffer
  readonly spans: readonly SpanPlace[]
  /** The attributes of each span as JSON text, for a store that keeps them so. */
  readonly attributes: readonly string[]
}

/** Views into the body, so that the same ids can be handed to another store without a copy. */
export interface SpanPlace {
  readonly traceId: Buffer
  readonly spanId: Buffer
  readonly startMs: number
}

export const APPLICATIONS = 20
export const SETUPS_PER_APPLICATION = 5
/** How many of its application's five setups a watched span matches, on average. */
export const MATCHES_PER_WATCHED_SPAN = 3

const EVALUATORS = ['char-count', 'word-count', 'json-validator'] as const
const MODELS = ['gpt-4o', 'gpt-4o-mini', 'o3'] as const
/** Different requests, two from each application; the ids of each are fresh, and nothing compresses across requests. */
export const TEMPLATES = 2 * APPLICATIONS
/** Spans of a request began within so many milliseconds before it was sent: an SDK collects for some seconds. */
const STARTED_BEFORE_MS = 5_000
const VOCABULARY = Array.from({ length: 4_096 }, (_, at) => (at * 2_654_435_761).toString(36).slice(-6))
const NANOSECONDS_PER_MS = 1_000_000n
/** Field numbers 7 and 8, eight bytes each. */
const START_HEADER = 0x39
const END_HEADER = 0x41

interface Template {
  readonly body: Buffer
  readonly attributes: readonly string[]
  readonly places: readonly { readonly traceIdAt: number; readonly startAt: number }[]
}

/** Makes requests with fresh random ids and current start times, quickly: texts are encoded once and used again. */
export class SpanWorkload {
  readonly #templates: readonly Template[]
  #next = 0

  constructor(options: WorkloadOptions) {
    this.#templates = Array.from({ length: TEMPLATES }, (_, at) => makeTemplate(options, at))
  }

  /** A request whose spans began within the seconds before `nowMs`. */
  nextRequest(nowMs: number): SpanRequest {
    const template = this.#templates[this.#next++ % TEMPLATES] as Template
    const body = Buffer.from(template.body)
    const ids = randomBytes(template.places.length * 24)
    const spans = template.places.map(({ traceIdAt, startAt }, at) => {
      ids.copy(body, traceIdAt, at * 24, at * 24 + 16)
      ids.copy(body, traceIdAt + 18, at * 24 + 16, at * 24 + 24)
      const startMs = nowMs - randomBelow(STARTED_BEFORE_MS)
      const startNs = BigInt(startMs) * NANOSECONDS_PER_MS
      body.writeBigUInt64LE(startNs, startAt)
      body.writeBigUInt64LE(startNs + 900n * NANOSECONDS_PER_MS, startAt + 9)
      const traceId = body.subarray(traceIdAt, traceIdAt + 16)
      return { traceId, spanId: body.subarray(traceIdAt + 18, traceIdAt + 26), startMs }
    })
    return { body, spans, attributes: template.attributes }
  }
}

/** The setups that select the workload's spans, 100 in all, each with one exact evaluator. */
export function workloadSetups(): object[] {
  return Array.from({ length: APPLICATIONS * SETUPS_PER_APPLICATION }, (_, at) => ({
    external_id: `setup-${at}`,
    evaluators: [EVALUATORS[at % EVALUATORS.length]],
    selector: selectorOf(Math.floor(at / SETUPS_PER_APPLICATION), at % SETUPS_PER_APPLICATION),
  }))
}

// Models come in turn, so these match all, two thirds, two thirds, one third and one third of an application's watched
// spans: three of five.
function selectorOf(application: number, form: number): object[] {
  const workflow = rule('traceloop.workflow.name', 'equals', `workflow-${application}`)
  switch (form) {
    case 0:
      return [rule('gen_ai.system', 'equals', 'openai'), workflow]
    case 1:
      return [workflow, rule('gen_ai.request.model', 'contains', 'gpt-4')]
    case 2:
      return [
        rule('traceloop.association.properties.tags', 'contains', `team-${application}/`),
        rule('error.type', 'not_exists'),
        rule('gen_ai.request.model', 'not_contains', 'mini'),
      ]
    case 3:
      return [workflow, rule('gen_ai.request.max_tokens', 'equals', '4096')]
    default:
      return [
        rule('service.name', 'equals', `service-${application}`, 'resource_attributes'),
        rule('gen_ai.request.model', 'in', ['gpt-4o-mini', 'gpt-4.1-mini']),
        workflow,
      ]
  }
}

function rule(key: string, operator: string, operand?: string | string[], source = 'span_attributes') {
  return {
    key,
    source,
    operator,
    ...(typeof operand === 'string' ? { value: operand } : { values: operand }),
  }
}

function makeTemplate({ spansPerRequest, watchedShare, isCollector }: WorkloadOptions, at: number): Template {
  const firsts = isCollector ? Array.from({ length: APPLICATIONS }, (_, one) => one) : [at % APPLICATIONS]
  const resources = firsts.map((application, part) => {
    const from = Math.floor((spansPerRequest * part) / firsts.length)
    const to = Math.floor((spansPerRequest * (part + 1)) / firsts.length)
    const spans = Array.from({ length: to - from }, (_, one) => {
      // Spread evenly, so that a small share is met exactly and not by chance.
      const [turn = 0, next = 0] = [0, 1].map((more) => Math.floor((at + from + one + more) * watchedShare))
      return makeSpan(spanAttributes(application, turn, next > turn))
    })
    return {
      resource: resourceAttributes(application),
      scopes: [{ name: '@traceloop/instrumentation-openai', version: '0.27.0', spans }],
    }
  })
  const body = encodeTraces(resources)
  const spans = resources.flatMap(({ scopes }) => scopes.flatMap((scope) => scope.spans))
  const attributes = spans.map((span) => JSON.stringify(span.attributes))
  return { body, attributes, places: findPlaces(body, spans) }
}

function makeSpan(attributes: TestAttributes) {
  return {
    traceId: randomBytes(16),
    spanId: randomBytes(8),
    parentSpanId: randomBytes(8),
    name: `chat ${attributes['gen_ai.request.model']}`,
    kind: 3,
    startUnixNano: 0n,
    endUnixNano: 0n,
    attributes,
    status: { code: 1 },
  } satisfies TestSpan
}

// Fields are written in the order of their numbers: ids of the span and of its parent, 8 bytes each behind a header of two;
// the name; the kind; then the start. Looking for its header instead would now and then find one in a random id.
function findPlaces(body: Buffer, spans: readonly ReturnType<typeof makeSpan>[]): Template['places'] {
  let from = 0
  return spans.map(({ traceId, name }) => {
    const traceIdAt = body.indexOf(traceId, from)
    const startAt = traceIdAt + 16 + 10 + 10 + (2 + Buffer.byteLength(name)) + 2 + 1
    if (body[startAt - 1] !== START_HEADER || body[startAt + 8] !== END_HEADER)
      throw new Error('the encoding of spans has changed: find their times anew')
    from = startAt
    return { traceIdAt, startAt }
  })
}

function resourceAttributes(application: number): TestAttributes {
  return {
    'service.name': `service-${application}`,
    'deployment.environment': 'production',
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.name': 'opentelemetry',
    'telemetry.sdk.version': '2.0.1',
  }
}

function spanAttributes(application: number, turn: number, isWatched: boolean): TestAttributes {
  const model = MODELS[turn % MODELS.length] as string
  const owner = isWatched ? String(application) : `other-${application}`
  return {
    'gen_ai.system': 'openai',
    'gen_ai.operation.name': 'chat',
    'llm.request.type': 'chat',
    'gen_ai.request.model': model,
    'gen_ai.request.temperature': 0.7,
    'gen_ai.request.max_tokens': model === 'o3' ? 4_096 : 1_024,
    'traceloop.workflow.name': `workflow-${owner}`,
    'traceloop.entity.path': 'answer.generate',
    'traceloop.association.properties.tags': `production,team-${owner}/chat`,
    'traceloop.association.properties.user_id': randomBytes(6).toString('hex'),
    'gen_ai.prompt.0.role': 'user',
    'gen_ai.prompt.0.content': text(240),
    'gen_ai.completion.0.role': 'assistant',
    'gen_ai.completion.0.content': text(380),
    'gen_ai.completion.0.finish_reason': 'stop',
    'gen_ai.response.model': `${model}-2024-08-06`,
    'gen_ai.response.id': `chatcmpl-${randomBytes(14).toString('hex')}`,
    'gen_ai.usage.prompt_tokens': 60 + randomBelow(20),
    'gen_ai.usage.completion_tokens': 90 + randomBelow(40),
    'llm.usage.total_tokens': 150 + randomBelow(60),
  }
}

/** Compresses about as well as conversations do. */
function text(chars: number): string {
  let line = ''
  while (line.length < chars) line += `${VOCABULARY[randomBelow(VOCABULARY.length)]} `
  return line
}

function randomBelow(end: number): number {
  return Math.floor(Math.random() * end)
}
