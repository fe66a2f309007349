import type { Span } from '../../lib/otlp/span.ts'
import { CANONICAL_FIELDS, type CanonicalField } from '../evaluator.ts'
import type { FieldValues, Message } from '../span-fields/canonical-values.ts'
import { callsOf, namesById, resultsOf } from '../span-fields/conversation.ts'
import { textOrJson } from '../span-fields/json-value.ts'
import type { LogEntry } from './conversation-log.ts'
import { exchangesOf } from './exchanges.ts'
import { firstInputOf, type MergedSteps, mergeSteps } from './merge-steps.ts'
import { STEPS_MAX, sampleSteps } from './sample-steps.ts'
import { inReadingOrder, type SpanNode, spanTrees } from './span-tree.ts'
import { type Step, saysSomething, surveySteps } from './step.ts'

/** Most characters of a conversation that is shown; evaluators refuse texts that no judge can read. */
export const TRACE_CHARS_MAX = 360_000
/** The length of a transcript line besides its text, at most. */
const CHARS_PER_MESSAGE = 40
/** Steps that are kept or left out together: a call without what came of it tells nothing. */
const STEPS_TOGETHER = 10
const EXCHANGE_MESSAGES_MAX = 20
const ERROR_STATUS = 2

/** The content of a trace, in canonical fields; it takes the place of a span's fields. */
export interface TraceFields {
  /** The span that stands for the trace: its root, else the earliest one. */
  readonly root: Span
  /** How many spans say something. */
  readonly steps: number
  /** Not all of it is shown: the trace is longer than can be read. First, last and failed steps are, others evenly spread. */
  readonly isSampled: boolean
  /** The value of a field; undefined, never an empty text or list, where the trace does not carry it. */
  get<F extends CanonicalField>(field: F): FieldValues[F] | undefined
  /** The fields that the trace carries. */
  found(): readonly CanonicalField[]
}

/**
 * Reads the spans of a trace, or of all traces of a session, in any order. Text that several spans repeat is told once.
 * The prompt is the last that the user said and the completion the last that came back, as the outermost spans
 * tell. Undefined where there are no spans.
 */
export function traceFields(spans: readonly Span[]): TraceFields | undefined {
  const order = inReadingOrder(spanTrees(spans))
  const root = order[0]?.span
  if (!root) return undefined
  const speaking = order.filter(({ span }) => saysSomething(span))
  const chosen = sampleNodes(speaking)
  const merged = mergeAll(order, surveySteps(order, new Set(chosen)))
  const shown = sampleEntries(merged.entries)
  const values = valuesOf(merged, shown)
  return {
    root,
    steps: speaking.length,
    isSampled: chosen.length < speaking.length || shown.length < merged.entries.length,
    get: (field) => values[field],
    found: () => CANONICAL_FIELDS.filter((field) => values[field] !== undefined),
  }
}

/** All steps, or stretches of them: even the best spread of single steps could show only every second thing. */
function sampleNodes(speaking: readonly SpanNode[]): readonly SpanNode[] {
  if (speaking.length <= STEPS_MAX) return speaking
  const stretches = Array.from({ length: Math.ceil(speaking.length / STEPS_TOGETHER) }, (_, at) =>
    speaking.slice(at * STEPS_TOGETHER, (at + 1) * STEPS_TOGETHER),
  )
  const isFailed = (at: number) =>
    stretches[at]?.some(({ span }) => span.statusCode === ERROR_STATUS) === true
  const kept = sampleSteps(stretches.length, STEPS_MAX / STEPS_TOGETHER, isFailed)
  return kept.flatMap((at) => stretches[at] ?? [])
}

/** Where nothing but asides says something, they are what the trace is about. */
function mergeAll(order: readonly SpanNode[], steps: ReadonlyMap<SpanNode, Step>): MergedSteps {
  const merged = mergeSteps(order, steps)
  if (merged.entries.length > 0) return merged
  const asTalk = [...steps].map(([node, step]) => [node, { ...step, kind: 'talk', isSilent: false }] as const)
  return mergeSteps(order, new Map<SpanNode, Step>(asTalk))
}

/** Exchanges that evaluators can read: few enough, and short enough together. Each is shown whole or not at all. */
function sampleEntries(entries: readonly LogEntry[]): readonly LogEntry[] {
  const exchanges = exchangesIn(entries).map((list) => ({
    list,
    chars: list.reduce((sum, { message }) => sum + charsOf(message), 0),
    isError: list.some(({ isError }) => isError),
  }))
  for (let max = exchanges.length; ; max = Math.floor(max * 0.75)) {
    const kept = sampleSteps(exchanges.length, max, (at) => exchanges[at]?.isError === true)
    const shown = kept.flatMap((at) => exchanges[at]?.list ?? [])
    const chars = kept.reduce((sum, at) => sum + (exchanges[at]?.chars ?? 0), 0)
    if ((shown.length <= STEPS_MAX && chars <= TRACE_CHARS_MAX) || max <= 2) return shown
  }
}

/** Stretches of a conversation, each from what was told to what was answered; long ones are cut, but before no result. */
function exchangesIn(entries: readonly LogEntry[]): readonly (readonly LogEntry[])[] {
  const isDone = (entry: LogEntry | undefined) => ['assistant', 'tool'].includes(entry?.message.role ?? '')
  const exchanges: LogEntry[][] = []
  for (const [at, entry] of entries.entries()) {
    const isNext = isDone(entries[at - 1]) && !isDone(entry)
    const current = exchanges.at(-1)
    const isLong = (current?.length ?? 0) >= EXCHANGE_MESSAGES_MAX && entry.message.role !== 'tool'
    if (!current || isNext || isLong) exchanges.push([entry])
    else current.push(entry)
  }
  return exchanges
}

function charsOf({ content, tool_calls: calls = [] }: Message): number {
  const called = calls.reduce(
    (sum, call) => sum + call.name.length + (textOrJson(call.arguments)?.length ?? 0),
    0,
  )
  return CHARS_PER_MESSAGE + content.length + called
}

type Values = { readonly [F in CanonicalField]: FieldValues[F] | undefined }

function valuesOf(merged: MergedSteps, shown: readonly LogEntry[]): Values {
  const messages = shown.map(({ message }) => message)
  const { prompts, completions } = exchangesOf(messages)
  const firstEnd = merged.firstInputEnd?.at ?? 0
  const steps = shown.flatMap(({ at, message }) =>
    at > firstEnd && ['assistant', 'tool'].includes(message.role) ? [message] : [],
  )
  const lastOf = (role: string) =>
    messages.findLast((one) => one.role === role && one.content !== '')?.content
  return {
    prompt: merged.prompt ?? lastOf('user'),
    completion: merged.completion ?? lastOf('assistant'),
    system_prompt: merged.systemPrompt,
    messages: nonEmpty(messages),
    input_messages: firstInputOf(merged),
    output_messages: nonEmpty(steps),
    prompts: nonEmpty(prompts),
    completions: nonEmpty(completions),
    context: nonEmpty(merged.context),
    tool_definitions: nonEmpty(merged.toolDefinitions),
    tool_calls: nonEmpty(callsOf(messages)),
    tool_results: nonEmpty(resultsOf(messages, namesById(messages))),
    logprobs: merged.logprobs,
    model: merged.model,
    session_id: merged.sessionId,
  }
}

function nonEmpty<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length > 0 ? list : undefined
}
