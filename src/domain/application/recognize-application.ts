import type { Span } from '../../lib/otlp/span.ts'
import type { TraceFields } from '../trace-fields/trace-fields.ts'
import { type AnswerForm, answerForm } from './answer-form.ts'
import { type Framework, frameworkOf } from './framework.ts'

/**
 * | kind           | true of it                                                        |
 * |----------------|-------------------------------------------------------------------|
 * | sql            | most answers are SQL                                              |
 * | rag            | answers rest on documents that were retrieved                     |
 * | agent          | it calls tools                                                    |
 * | json           | most answers are JSON                                             |
 * | classification | the answers are a few short labels                                |
 * | conversation   | users say more than one thing in a session                        |
 * | chat           | one question, one answer                                          |
 * | other          | no span of the sample says what was answered                      |
 */
export const APPLICATION_KINDS = [
  'sql',
  'rag',
  'agent',
  'json',
  'classification',
  'conversation',
  'chat',
  'other',
] as const
export type ApplicationKind = (typeof APPLICATION_KINDS)[number]

/** Something that an application does, which has evaluators of its own. */
export const APPLICATION_TRAITS = [
  'answers',
  'documents',
  'tools',
  'conversations',
  'instructions',
  'sql',
  'json',
  'labels',
] as const
export type ApplicationTrait = (typeof APPLICATION_TRAITS)[number]

/** A trace of an application, as far as it was sampled. */
export interface SampledTrace {
  readonly spans: readonly Span[]
  readonly fields: TraceFields
}

/** What an application is, by the traces that it sent. */
export interface RecognizedApplication {
  readonly kind: ApplicationKind
  readonly traits: readonly ApplicationTrait[]
  readonly framework?: Framework
  /** For example `We see a retrieval-augmented assistant with tools in LangChain.` */
  readonly sentence: string
}

/** Share of traces that must show a trait; below it, it is the exception. */
const SHARE_MIN = 0.1
const FORM_TRAITS: Partial<Record<AnswerForm, ApplicationTrait>> = {
  sql: 'sql',
  json: 'json',
  label: 'labels',
}

const NOUNS: Readonly<Record<ApplicationKind, string>> = {
  sql: 'a SQL generator',
  rag: 'a retrieval-augmented assistant',
  agent: 'an agent',
  json: 'an application that answers in JSON',
  classification: 'a classifier',
  conversation: 'a multi-turn chat assistant',
  chat: 'a chat assistant',
  other: 'an application without model calls that carry text',
}

/** Recognizes an application by a sample of its traces. */
export function recognizeApplication(traces: readonly SampledTrace[]): RecognizedApplication {
  const framework = frameworkOf(traces.flatMap(({ spans }) => spans))
  const traits = traitsOf(traces)
  const kind = kindOf(new Set(traits))
  return { kind, traits, ...(framework && { framework }), sentence: sentenceOf(kind, traits, framework) }
}

function traitsOf(traces: readonly SampledTrace[]): ApplicationTrait[] {
  const fields = traces.map((trace) => trace.fields)
  const isOften = (has: (trace: TraceFields) => boolean) =>
    fields.filter(has).length >= Math.max(1, SHARE_MIN * traces.length)
  const answers = fields.flatMap((trace) => trace.get('completion') ?? [])
  const form = FORM_TRAITS[answerForm(answers)]
  const found: Partial<Record<ApplicationTrait, boolean>> = {
    answers: answers.length > 0,
    documents: isOften((trace) => trace.get('context') !== undefined),
    tools: isOften(usesTools),
    conversations: hasConversations(fields),
    instructions: isOften((trace) => trace.get('system_prompt') !== undefined),
    ...(form && { [form]: true }),
  }
  return APPLICATION_TRAITS.filter((trait) => found[trait])
}

function usesTools(trace: TraceFields): boolean {
  return trace.get('tool_calls') !== undefined || trace.get('tool_definitions') !== undefined
}

/** Whether sessions have more than one trace, or prompts carry what the user had said before. */
function hasConversations(traces: readonly TraceFields[]): boolean {
  const sessions = traces.flatMap((trace) => trace.get('session_id') ?? [])
  if (new Set(sessions).size < sessions.length) return true
  const long = traces.filter((trace) => {
    const said = trace.get('input_messages') ?? []
    return said.filter(({ role }) => role === 'user').length > 1
  })
  return long.length > 0 && long.length >= SHARE_MIN * traces.length
}

function kindOf(traits: ReadonlySet<ApplicationTrait>): ApplicationKind {
  if (traits.has('sql')) return 'sql'
  if (traits.has('documents')) return 'rag'
  if (traits.has('tools')) return 'agent'
  if (traits.has('json')) return 'json'
  if (traits.has('labels')) return 'classification'
  if (traits.has('conversations')) return 'conversation'
  return traits.has('answers') ? 'chat' : 'other'
}

function sentenceOf(
  kind: ApplicationKind,
  traits: readonly ApplicationTrait[],
  framework: Framework | undefined,
): string {
  const tools = traits.includes('tools') && kind !== 'other' ? ' with tools' : ''
  return `We see ${NOUNS[kind]}${tools}${framework ? ` ${framework.words}` : ''}.`
}
