import type { Dialect, DialectReader, Found, Message, SourcedMessage } from './canonical-values.ts'
import { isObject, type JsonObject, jsonOf, textOf } from './json-value.ts'
import { splitEvents } from './otel-events.ts'
import { documentsIn } from './read-documents.ts'
import { inputPayload, outputPayload, toolArguments } from './read-payload.ts'
import { requestMessages, responseMessages } from './read-provider-body.ts'
import { readToolOutcome } from './read-tool-outcome.ts'
import { FROM_NAME, fromAttribute, type SpanSource } from './span-source.ts'

type Kind = 'tool' | 'retriever' | 'embedding' | undefined

/** A dialect that has the input of any span in one attribute and its output in another. */
interface PayloadNames {
  readonly dialect: Dialect
  /** The attributes, the first that is there counts. */
  readonly input: readonly string[]
  readonly output: readonly string[]
  readonly kindOf: (span: SpanSource) => Kind
  readonly readInput?: (value: unknown) => Message[]
  readonly readOutput?: (value: unknown) => Message[]
}

/** Langfuse's own attributes. */
export const langfuse = payloadDialect({
  dialect: 'langfuse',
  input: ['langfuse.observation.input', 'langfuse.trace.input'],
  output: ['langfuse.observation.output', 'langfuse.trace.output'],
  kindOf: (span) => kindNamed(span.text('langfuse.observation.type')),
})

/** MLflow writes every attribute as JSON. */
export const mlflow = payloadDialect({
  dialect: 'mlflow',
  input: ['mlflow.spanInputs'],
  output: ['mlflow.spanOutputs'],
  kindOf: (span) => kindNamed(textOf(jsonOf(span.raw('mlflow.spanType')))),
})

/** Braintrust's exporter and its processor for OpenTelemetry. */
export const braintrust = payloadDialect({
  dialect: 'braintrust',
  input: ['braintrust.input_json', 'braintrust.input'],
  output: ['braintrust.output_json', 'braintrust.output'],
  kindOf(span) {
    const given = span.structure('braintrust.span_attributes')
    return isObject(given) ? kindNamed(textOf(given['type'])) : undefined
  },
})

/** Google's Agent Development Kit. Its tools are named as OpenTelemetry names them. */
export const googleAdk = payloadDialect({
  dialect: 'google-adk',
  input: ['gcp.vertex.agent.llm_request'],
  output: ['gcp.vertex.agent.llm_response'],
  kindOf: () => undefined,
})

/** Logfire's calls of models. The names are general, so that only what is unmistakably a conversation counts. */
export const logfire = payloadDialect({
  dialect: 'logfire',
  input: ['request_data', 'events'],
  output: ['response_data', 'events'],
  kindOf: () => undefined,
  readInput: (value) => splitEvents(value)?.sent ?? requestMessages(value),
  readOutput: (value) => splitEvents(value)?.returned ?? streamed(value) ?? responseMessages(value) ?? [],
})

/** Haystack's components and pipelines. */
export const haystack = payloadDialect({
  dialect: 'haystack',
  input: ['haystack.component.input', 'haystack.pipeline.input_data'],
  output: ['haystack.component.output', 'haystack.pipeline.output_data'],
  kindOf(span) {
    const type = span.text('haystack.component.type') ?? ''
    return /retriever/i.test(type) ? 'retriever' : /embedder/i.test(type) ? 'embedding' : undefined
  },
  readInput: (value) => inputPayload(ofComponent(value, 'messages')),
  readOutput: (value) => outputPayload(ofComponent(value, 'replies')),
})

function payloadDialect(names: PayloadNames): DialectReader {
  const { dialect, kindOf, readInput = inputPayload, readOutput = outputPayload } = names
  return {
    dialect,
    speaks: (span) =>
      payload(span, names.input, readInput) !== undefined ||
      payload(span, names.output, readOutput) !== undefined,
    input(span) {
      const kind = kindOf(span)
      return kind === 'tool' || kind === 'embedding' ? undefined : payload(span, names.input, readInput)
    },
    output: (span) => (kindOf(span) === undefined ? payload(span, names.output, readOutput) : undefined),
    context(span) {
      const key = kindOf(span) === 'retriever' ? present(span, names.output) : undefined
      const value = key === undefined ? [] : documentsIn(span.raw(key), true)
      return key !== undefined && value.length > 0 ? { value, origins: [fromAttribute(key)] } : undefined
    },
    toolCalls(span) {
      if (kindOf(span) !== 'tool' || span.span.name === '') return undefined
      const key = present(span, names.input)
      const call = { name: span.span.name, arguments: toolArguments(key && span.raw(key)) }
      return { value: [call], origins: [FROM_NAME, ...(key ? [fromAttribute(key)] : [])] }
    },
    toolResults(span) {
      const key = kindOf(span) === 'tool' ? present(span, names.output) : undefined
      if (key === undefined) return undefined
      const { name } = span.span
      const value = [{ ...(name !== '' && { name }), ...readToolOutcome(jsonOf(span.raw(key))) }]
      return { value, origins: [fromAttribute(key)] }
    },
  }
}

function payload(
  span: SpanSource,
  keys: readonly string[],
  read: (value: unknown) => Message[],
): Found<readonly SourcedMessage[]> | undefined {
  const key = present(span, keys)
  if (key === undefined) return undefined
  const origin = fromAttribute(key)
  const value = read(span.raw(key)).map((message) => ({ message, origin }))
  return value.length > 0 ? { value, origins: [origin] } : undefined
}

function present(span: SpanSource, keys: readonly string[]): string | undefined {
  return keys.find((key) => span.raw(key) !== undefined)
}

function kindNamed(name = ''): Kind {
  const kind = name.toLowerCase()
  return kind === 'tool' || kind === 'retriever' || kind === 'embedding' ? kind : undefined
}

/** An answer that Logfire put together from the pieces of a stream. */
function streamed(value: unknown): Message[] | undefined {
  const body = jsonOf(value)
  const content = isObject(body) ? textOf(body['combined_chunk_content']) : undefined
  return content === undefined ? undefined : [{ role: 'assistant', content }]
}

/** A pipeline has the data of each component under its name: that of the one with the conversation, else of the first. */
function ofComponent(value: unknown, name: string): unknown {
  const data = jsonOf(value)
  const parts = isObject(data) ? Object.values(data) : []
  if (!parts.every((part): part is JsonObject => isObject(part))) return data
  return parts.find((part) => Object.hasOwn(part, name)) ?? parts[0] ?? data
}
