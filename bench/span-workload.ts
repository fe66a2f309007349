// The spans that bench:ingest and bench:latency send: chat calls as OpenLLMetry writes them, about 1.5 KB each on the wire.

import { randomBytes } from 'node:crypto'
import { encodeTraces, type TestAttributes, type TestSpan } from '../tests/otlp/encode-traces.ts'

/** What the requests of a workload are like. */
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
  const attributes: TestAttributes[] = []
  const ids: Buffer[] = []
  const resources = firsts.map((application, part) => {
    const from = Math.floor((spansPerRequest * part) / firsts.length)
    const to = Math.floor((spansPerRequest * (part + 1)) / firsts.length)
    const spans = Array.from({ length: to - from }, (_, one): TestSpan => {
      const number = from + one
      // Spread evenly, so that a small share is met exactly and not by chance.
      const isWatched =
        Math.floor((at + number + 1) * watchedShare) > Math.floor((at + number) * watchedShare)
      const given = spanAttributes(application, Math.floor((at + number) * watchedShare), isWatched)
      const traceId = randomBytes(16)
      attributes.push(given)
      ids.push(traceId)
      return {
        traceId,
        spanId: randomBytes(8),
        parentSpanId: randomBytes(8),
        name: `chat ${given['gen_ai.request.model']}`,
        kind: 3,
        startUnixNano: 0n,
        endUnixNano: 0n,
        attributes: given,
        status: { code: 1 },
      }
    })
    return {
      resource: resourceAttributes(application),
      scopes: [{ name: '@traceloop/instrumentation-openai', version: '0.27.0', spans }],
    }
  })
  const body = encodeTraces(resources)
  return { body, attributes: attributes.map((one) => JSON.stringify(one)), places: findPlaces(body, ids) }
}

// The span id follows its trace id behind two bytes of header; of start and end, eight bytes each, only the headers are
// known, and `kind` stands before them.
function findPlaces(body: Buffer, ids: readonly Buffer[]): Template['places'] {
  const kindAndStart = Buffer.from([0x30, 3, 0x39])
  let from = 0
  return ids.map((id) => {
    const traceIdAt = body.indexOf(id, from)
    const startAt = body.indexOf(kindAndStart, traceIdAt) + kindAndStart.length
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
