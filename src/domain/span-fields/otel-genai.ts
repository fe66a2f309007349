import type { SpanEvent } from '../../lib/otlp/span.ts'
import type { DialectReader, Found, Message, SourcedMessage } from './canonical-values.ts'
import { isObject, structureOf, textOf } from './json-value.ts'
import { choiceEvents, contentEvent, messageEvents, toolEvents } from './otel-events.ts'
import { readContent } from './read-content.ts'
import { beforeCut, markCutText, readUncut } from './read-cut.ts'
import { readDocuments } from './read-documents.ts'
import { readLogprobs } from './read-logprobs.ts'
import { readMessages } from './read-message.ts'
import { toolArguments } from './read-payload.ts'
import { readToolOutcome } from './read-tool-outcome.ts'
import { readArguments, readToolDefinitions } from './read-tools.ts'
import { fromAttribute, fromEvent, type SpanSource } from './span-source.ts'

const INPUT = 'gen_ai.input.messages'
const OUTPUT = 'gen_ai.output.messages'
const SYSTEM = 'gen_ai.system_instructions'
const DEFINITIONS = 'gen_ai.tool.definitions'
const DETAILS_EVENT = 'gen_ai.client.inference.operation.details'
const QUERY = 'gen_ai.retrieval.query.text'
const DOCUMENTS = 'gen_ai.retrieval.documents'
// Google's ADK and the first versions of Pydantic AI name the tool as OpenTelemetry does, but not what went in and out of it.
const ARGUMENTS = ['gen_ai.tool.call.arguments', 'gcp.vertex.agent.tool_call_args', 'tool_arguments']
const RESULT = ['gen_ai.tool.call.result', 'gcp.vertex.agent.tool_response', 'tool_response']
const MARKERS = [INPUT, OUTPUT, SYSTEM, QUERY, DOCUMENTS]

/**
 * OpenTelemetry's conventions for generative AI. The structured attributes of the span win over the same attributes on
 * the event that carries the details of an operation, these over the older event for each message, these over the oldest
 * pair of events with everything as text.
 */
export const otelGenai: DialectReader = {
  dialect: 'otel-genai',
  speaks: (span) =>
    MARKERS.some((key) => span.raw(key) !== undefined) ||
    isToolSpan(span) ||
    span.events.some(({ name }) => name.startsWith('gen_ai.')),

  input: (span) =>
    found(span, INPUT, (value) => messagesOf(value, 'user')) ??
    retrievalQuery(span) ??
    (isToolSpan(span) ? undefined : (messageEvents(span) ?? contentEvent(span, 'prompt'))),
  output: (span) =>
    found(span, OUTPUT, (value) => messagesOf(value, 'assistant')) ??
    (isToolSpan(span) ? undefined : (choiceEvents(span) ?? contentEvent(span, 'completion'))),
  system: (span) =>
    carried(span, SYSTEM, (value) => {
      const part = beforeCut(value)
      const { text } = readContent(part ?? structureOf(value))
      return text === '' ? undefined : part === undefined ? text : markCutText(text)
    }),
  context: (span) => carried(span, DOCUMENTS, (value) => nonEmpty(readDocuments(value))),
  toolDefinitions: (span) => carried(span, DEFINITIONS, (value) => nonEmpty(readToolDefinitions(value))),

  toolCalls(span) {
    const name = span.text('gen_ai.tool.name')
    if (name === undefined || !isToolSpan(span)) return undefined
    const key = present(span, ARGUMENTS)
    const sent = key && span.raw(key)
    const event = sent === undefined ? toolEvents(span).sent : undefined
    const id = span.text('gen_ai.tool.call.id')
    return {
      value: [{ name, arguments: argumentsOf(sent ?? event?.value), ...(id !== undefined && { id }) }],
      origins: [
        fromAttribute('gen_ai.tool.name'),
        ...(key !== undefined ? [fromAttribute(key)] : (event?.origins ?? [])),
      ],
    }
  },
  toolResults(span) {
    if (!isToolSpan(span)) return undefined
    const key = present(span, RESULT)
    const found =
      key === undefined ? toolEvents(span).returned : { value: span.raw(key), origins: [fromAttribute(key)] }
    if (!found) return undefined
    const name = span.text('gen_ai.tool.name')
    const outcome = readToolOutcome(found.value)
    const id = span.text('gen_ai.tool.call.id') ?? outcome.id
    const named = { ...(name !== undefined && { name }), ...(id !== undefined && { id }) }
    return { value: [{ ...named, result: outcome.result }], origins: found.origins }
  },

  logprobs: (span) => carried(span, 'gen_ai.response.logprobs', readLogprobs),
}

/** Whether a span is the execution of a tool in the words of OpenTelemetry. */
export function isToolSpan(span: SpanSource): boolean {
  return (
    span.text('gen_ai.operation.name') === 'execute_tool' ||
    span.raw('gen_ai.tool.call.arguments') !== undefined ||
    span.raw('gen_ai.tool.call.result') !== undefined ||
    (span.raw('gen_ai.tool.name') !== undefined && span.raw('tool_arguments') !== undefined)
  )
}

// OpenLLMetry for LangChain writes the record of the run: {input_str, inputs, tags, metadata, kwargs}.
function argumentsOf(sent: unknown): object | string {
  const record = structureOf(sent)
  const isRun = isObject(record) && Object.hasOwn(record, 'input_str') && Object.hasOwn(record, 'inputs')
  return isRun ? toolArguments(record) : readArguments(record)
}

function present(span: SpanSource, keys: readonly string[]): string | undefined {
  return keys.find((key) => span.raw(key) !== undefined)
}

function messagesOf(value: unknown, role: string): readonly Message[] | undefined {
  return nonEmpty(readUncut(value, (whole) => readMessages(whole, role)))
}

function found(
  span: SpanSource,
  key: string,
  read: (value: unknown) => readonly Message[] | undefined,
): Found<readonly SourcedMessage[]> | undefined {
  const messages = carried(span, key, read)
  const origin = messages?.origins[0]
  if (!messages || !origin) return undefined
  return { value: messages.value.map((message) => ({ message, origin })), origins: messages.origins }
}

function retrievalQuery(span: SpanSource): Found<readonly SourcedMessage[]> | undefined {
  return found(span, QUERY, (value) => {
    const content = textOf(value)
    return content === undefined ? undefined : [{ role: 'user', content }]
  })
}

/** The value of an attribute, on the span or on an event with the details of the operation. */
function carried<T>(
  span: SpanSource,
  key: string,
  read: (value: unknown) => T | undefined,
): Found<T> | undefined {
  const own = span.raw(key)
  const value = own === undefined ? undefined : read(own)
  if (value !== undefined) return { value, origins: [fromAttribute(key)] }
  for (const event of span.events.filter(isDetails)) {
    const attribute = event.attributes.get(key)
    const fromIt = attribute === undefined || attribute === null ? undefined : read(attribute)
    if (fromIt !== undefined) return { value: fromIt, origins: [fromEvent(event, key)] }
  }
  return undefined
}

function isDetails({ name }: SpanEvent): boolean {
  return name === DETAILS_EVENT
}

function nonEmpty<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length > 0 ? list : undefined
}
