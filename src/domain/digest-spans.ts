import { AttributeKeySet } from '../lib/otlp/attribute-key.ts'
import type { AttributeValue } from '../lib/otlp/span.ts'
import type { SpanView } from '../lib/otlp/span-view.ts'
import { deployedVersion, serviceApplication } from './application.ts'
import { boundedName } from './bounded-name.ts'
import { addModelUse, joinModelUse, type ModelUse } from './model-use.ts'
import { MODEL_KEYS, SESSION_KEYS } from './span-fields/span-scalars.ts'
import type { BatchDigest, DeploymentDigest, TraceDigest, UsageDigest } from './trace-digest.ts'
import { addUnit, emptyUnits } from './unit-set.ts'

/** Says that nothing more of a trace will come; see the docs on traces. */
export const TRACE_COMPLETE_KEY = 'assay.trace.complete'

const PROMPT_TOKEN_KEYS = [
  ...['gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens', 'llm.usage.prompt_tokens'],
  ...['llm.token_count.prompt', 'ai.usage.inputTokens', 'ai.usage.promptTokens'],
]
const COMPLETION_TOKEN_KEYS = [
  ...['gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens', 'llm.usage.completion_tokens'],
  ...['llm.token_count.completion', 'ai.usage.outputTokens', 'ai.usage.completionTokens'],
]
const OPERATION_KEY = 'gen_ai.operation.name'
/** Vercel's SDK wraps each call of a model in a span that repeats its model and adds up its tokens. */
const VERCEL_OPERATION_KEY = 'ai.operationId'
const VERCEL_CALL = /\.do(Generate|Stream|Embed)$/
/** Operations that name a model without calling it. */
const NO_CALLS: ReadonlySet<AttributeValue> = new Set([
  'invoke_agent',
  'create_agent',
  'execute_tool',
  'guard',
])

const KEYS = [
  ...[...MODEL_KEYS, ...SESSION_KEYS, ...PROMPT_TOKEN_KEYS, ...COMPLETION_TOKEN_KEYS],
  ...[OPERATION_KEY, VERCEL_OPERATION_KEY, TRACE_COMPLETE_KEY],
]
const MINUTE_MS = 60_000
/** No call of a model takes more tokens; sums of what claims to would fit into no column. */
const TOKENS_MAX = 1_000_000_000
const ERROR_STATUS = 2

type Growing<T> = { -readonly [Name in keyof T]: T[Name] }
type GrowingTrace = Growing<TraceDigest> & { models: Map<string, ModelUse> }

/**
 * Sums up the spans of a batch, each looked at once and decoded only where it says something about models and sessions.
 * `repeated` are places of spans that an earlier batch has brought already: they count for nothing.
 */
export function digestSpans(
  batchId: number,
  spans: readonly SpanView[],
  repeated: ReadonlySet<number>,
): BatchDigest {
  const traces = new Map<string, GrowingTrace>()
  const usage = new Map<string, Growing<UsageDigest> & { durationsMs: number[] }>()
  const deployments = new Map<SpanView['resource'], Growing<DeploymentDigest> | undefined>()
  for (const [ordinal, span] of spans.entries()) {
    if (repeated.has(ordinal)) continue
    addToDeployment(deployments, span)
    const said = readSaid(span)
    const call = callOf(span, said)
    const trace = traces.get(span.traceId) ?? emptyTrace(span, spans.length)
    traces.set(span.traceId, trace)
    addToTrace(trace, span, ordinal, said, call)
    if (call) addToUsage(usage, span, call)
  }
  const deployed = [...deployments.values()].filter((deployment) => deployment !== undefined)
  return {
    batchId,
    traces: [...traces.values()],
    usage: [...usage.values()],
    ...(deployed.length === 0 ? {} : { deployments: deployed }),
  }
}

/** The attributes of a span among those that are looked for, by key. */
type Said = ReadonlyMap<string, AttributeValue>

const keySet = new AttributeKeySet(KEYS)
const keyNames = [...new Set(KEYS)]

function readSaid(span: SpanView): Said {
  const said = new Map<string, AttributeValue>()
  span.visitAttributes(keySet, (place, value) => said.set(keyNames[place] as string, value))
  return said
}

interface ModelCall extends ModelUse {
  readonly model: string
}

function callOf(span: SpanView, said: Said): ModelCall | undefined {
  const model = firstName(said, MODEL_KEYS)
  const vercel = said.get(VERCEL_OPERATION_KEY)
  const isWrapper = typeof vercel === 'string' && !VERCEL_CALL.test(vercel)
  if (model === undefined || isWrapper || NO_CALLS.has(said.get(OPERATION_KEY) ?? null)) return undefined
  const promptTokens = firstCount(said, PROMPT_TOKEN_KEYS)
  return {
    model,
    calls: 1,
    errors: span.statusCode === ERROR_STATUS ? 1 : 0,
    // Models that only read, such as those for embeddings, tell no tokens of an answer.
    countedCalls: promptTokens === undefined ? 0 : 1,
    promptTokens: promptTokens ?? 0,
    completionTokens: firstCount(said, COMPLETION_TOKEN_KEYS) ?? 0,
  }
}

function emptyTrace(span: SpanView, spanCount: number): GrowingTrace {
  return {
    traceId: span.traceId,
    units: emptyUnits(spanCount),
    spanCount: 0,
    errorCount: 0,
    firstMs: span.startUnixMs,
    lastMs: span.endUnixMs,
    modelCalls: 0,
    promptTokens: 0,
    completionTokens: 0,
    models: new Map(),
    isComplete: false,
  }
}

function addToTrace(
  trace: GrowingTrace,
  span: SpanView,
  ordinal: number,
  said: Said,
  call: ModelCall | undefined,
): void {
  addUnit(trace.units, ordinal)
  trace.spanCount++
  if (span.statusCode === ERROR_STATUS) trace.errorCount++
  trace.firstMs = earlier(trace.firstMs, span.startUnixMs)
  trace.lastMs = Math.max(trace.lastMs, span.startUnixMs, span.endUnixMs)
  if (span.parentIdAt < 0) trace.rootName = boundedName(span.name)
  const service = serviceOf(span)
  // The service of the root is the one that a trace is known by.
  if (service !== '' && (trace.service === undefined || span.parentIdAt < 0)) trace.service = service
  const sessionId = firstName(said, SESSION_KEYS) ?? resourceSession(span)
  if (sessionId !== undefined) trace.sessionId ??= sessionId
  if (said.get(TRACE_COMPLETE_KEY) === true || said.get(TRACE_COMPLETE_KEY) === 'true')
    trace.isComplete = true
  if (!call) return
  trace.model = call.model
  trace.modelCalls++
  trace.promptTokens += call.promptTokens
  trace.completionTokens += call.completionTokens
  const { model, ...use } = call
  addModelUse(trace.models, model, use)
}

function addToUsage(
  usage: Map<string, Growing<UsageDigest> & { durationsMs: number[] }>,
  span: SpanView,
  { model, ...use }: ModelCall,
): void {
  const minute = Math.floor(span.startUnixMs / MINUTE_MS)
  const service = serviceOf(span)
  const key = JSON.stringify([minute, service, model])
  const sum = usage.get(key) ?? {
    ...{ minute, service, model, calls: 0, errors: 0, countedCalls: 0, promptTokens: 0, completionTokens: 0 },
    durationsMs: [],
  }
  usage.set(key, sum)
  Object.assign(sum, joinModelUse(sum, use))
  sum.durationsMs.push(Math.max(0, span.endUnixMs - span.startUnixMs))
}

/** Spans of one resource are of one version, which is read once for all of them. */
function addToDeployment(
  deployments: Map<SpanView['resource'], Growing<DeploymentDigest> | undefined>,
  { resource, startUnixMs }: SpanView,
): void {
  if (!deployments.has(resource)) {
    const application = serviceApplication(resource.get('service.name'))
    const version = deployedVersion(resource)
    const isKnown = application !== undefined && version !== undefined
    deployments.set(resource, isKnown ? { application, version, firstMs: 0, lastMs: 0 } : undefined)
  }
  const deployment = deployments.get(resource)
  if (!deployment) return
  deployment.firstMs = earlier(deployment.firstMs, startUnixMs)
  deployment.lastMs = Math.max(deployment.lastMs, startUnixMs)
}

/** A span that does not tell when it began, which is then 0, does not say that it was first. */
function earlier(knownMs: number, startMs: number): number {
  return knownMs === 0 || startMs === 0 ? Math.max(knownMs, startMs) : Math.min(knownMs, startMs)
}

/** Browsers and phones have the id on their resource. */
function resourceSession({ resource }: SpanView): string | undefined {
  return firstName(resource, ['gen_ai.conversation.id', 'session.id'])
}

function serviceOf(span: SpanView): string {
  const service = span.resource.get('service.name')
  return typeof service === 'string' ? boundedName(service) : ''
}

/** The first name that is told, as it is stored. */
function firstName(said: Said, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = said.get(key)
    if (typeof value === 'string' && value !== '') return boundedName(value)
    if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  }
  return undefined
}

function firstCount(said: Said, keys: readonly string[]): number | undefined {
  for (const key of keys) {
    const value = Number(said.get(key) ?? Number.NaN)
    if (value >= 0 && value <= TOKENS_MAX) return Math.floor(value)
  }
  return undefined
}
