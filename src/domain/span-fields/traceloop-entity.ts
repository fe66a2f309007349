import type { DialectReader, Found, Message, SourcedMessage } from './canonical-values.ts'
import { isObject, jsonOf } from './json-value.ts'
import { documentsIn } from './read-documents.ts'
import { inputPayload, outputPayload, toolArguments } from './read-payload.ts'
import { readToolOutcome } from './read-tool-outcome.ts'
import { fromAttribute, type SpanSource } from './span-source.ts'

const INPUT = 'traceloop.entity.input'
const OUTPUT = 'traceloop.entity.output'
const NAME = 'traceloop.entity.name'
const KIND = 'traceloop.span.kind'

/**
 * The workflow, task, agent and tool spans of the Traceloop SDKs. A tool span is a call and its result; any other is a
 * question and an answer.
 */
export const traceloopEntity: DialectReader = {
  dialect: 'openllmetry',
  speaks: (span) => [INPUT, OUTPUT, KIND].some((key) => span.raw(key) !== undefined),
  input: (span) => payload(span, INPUT, inputPayload),
  // Documents that were retrieved are no answer.
  output: (span) => (retrieved(span).length > 0 ? undefined : payload(span, OUTPUT, outputPayload)),
  context(span) {
    const value = isTool(span) ? [] : documentsIn(span.raw(OUTPUT), isRetriever(span))
    return value.length > 0 ? { value, origins: [fromAttribute(OUTPUT)] } : undefined
  },
  toolCalls(span) {
    const name = isTool(span) ? toolName(span) : undefined
    if (name === undefined) return undefined
    const sent = span.raw(INPUT)
    return {
      value: [{ name: name.value, arguments: toolArguments(sent) }],
      origins: [...name.origins, ...(sent === undefined ? [] : [fromAttribute(INPUT)])],
    }
  },
  toolResults(span) {
    const result = isTool(span) ? span.raw(OUTPUT) : undefined
    if (result === undefined) return undefined
    const name = toolName(span)?.value
    const outcome = readToolOutcome(jsonOf(result))
    const value = [{ ...(name !== undefined && { name }), ...outcome }]
    return { value, origins: [fromAttribute(OUTPUT)] }
  },
}

function payload(
  span: SpanSource,
  key: string,
  read: (value: unknown) => Message[],
): Found<readonly SourcedMessage[]> | undefined {
  if (isTool(span) || span.text('gen_ai.operation.name') === 'embeddings') return undefined
  const origin = fromAttribute(key)
  const value = read(span.raw(key)).map((message) => ({ message, origin }))
  return value.length > 0 ? { value, origins: [origin] } : undefined
}

function isTool(span: SpanSource): boolean {
  return span.text(KIND) === 'tool'
}

function retrieved(span: SpanSource): readonly string[] {
  return isRetriever(span) ? documentsIn(span.raw(OUTPUT), true) : []
}

function isRetriever(span: SpanSource): boolean {
  return /retriev/i.test(span.text(NAME) ?? '')
}

function toolName(span: SpanSource): Found<string> | undefined {
  const name = span.text(NAME)
  if (name !== undefined) return { value: name, origins: [fromAttribute(NAME)] }
  const input = jsonOf(span.raw(INPUT))
  const named = isObject(input) && typeof input['tool_name'] === 'string' ? input['tool_name'] : ''
  return named === '' ? undefined : { value: named, origins: [] }
}
