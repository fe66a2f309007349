import type { DialectReader, Found, Message, SourcedMessage } from './canonical-values.ts'
import { firstText, isObject, jsonOf, structureOf } from './json-value.ts'
import { documentsIn } from './read-documents.ts'
import { readLogprobs } from './read-logprobs.ts'
import { inputPayload, outputPayload, toolArguments } from './read-payload.ts'
import { readToolOutcome } from './read-tool-outcome.ts'
import { readToolDefinitions } from './read-tools.ts'
import { FROM_NAME, fromAttribute, type SpanSource } from './span-source.ts'

const INPUT = 'input.value'
const OUTPUT = 'output.value'
const TEMPLATE = 'llm.prompt_template.template'

/**
 * OpenInference's `input.value` and `output.value`, which every kind of span has: the bodies of a model call, question
 * and answer of a chain or an agent, call and result of a tool, query and documents of a retriever.
 */
export const openinferenceValue: DialectReader = {
  dialect: 'openinference',
  speaks: (span) => span.raw(INPUT) !== undefined || span.raw(OUTPUT) !== undefined,
  input: (span) =>
    filledTemplate(span) ??
    (['TOOL', 'EMBEDDING'].includes(kindOf(span)) ? undefined : payload(span, 'input', inputPayload)),
  output: (span) =>
    ['TOOL', 'EMBEDDING', 'RETRIEVER', 'RERANKER'].includes(kindOf(span))
      ? undefined
      : payload(span, 'output', outputPayload),
  context(span) {
    const kind = kindOf(span)
    const value = kind === 'TOOL' || kind === 'LLM' ? [] : documentsIn(span.raw(OUTPUT), kind === 'RETRIEVER')
    return value.length > 0 ? { value, origins: [fromAttribute(OUTPUT)] } : undefined
  },
  toolDefinitions(span) {
    const body = kindOf(span) === 'LLM' ? span.structure(INPUT) : undefined
    const value = isObject(body) ? readToolDefinitions(body['tools']) : []
    return value.length > 0 ? { value, origins: [fromAttribute(INPUT)] } : undefined
  },
  toolCalls(span) {
    const name = kindOf(span) === 'TOOL' ? (span.text('tool.name') ?? span.span.name) : ''
    if (name === '') return undefined
    // By the conventions `tool.parameters` is the definition of the parameters, but some senders write the arguments.
    const key = [INPUT, 'tool.parameters'].find((one) => span.raw(one) !== undefined)
    const id = span.text('tool.id') ?? span.text('tool_call.id')
    const call = { name, arguments: toolArguments(key && span.raw(key)), ...(id !== undefined && { id }) }
    const named = span.text('tool.name') === undefined ? FROM_NAME : fromAttribute('tool.name')
    return { value: [call], origins: [named, ...(key ? [fromAttribute(key)] : [])] }
  },
  toolResults(span) {
    const result = kindOf(span) === 'TOOL' ? span.raw(OUTPUT) : undefined
    if (result === undefined) return undefined
    const name = span.text('tool.name')
    const isJson = span.text('output.mime_type') === 'application/json'
    const value = {
      ...(name !== undefined && { name }),
      ...readToolOutcome(isJson ? jsonOf(result) : result),
    }
    return { value: [value], origins: [fromAttribute(OUTPUT)] }
  },
  logprobs(span) {
    const sent = span.raw(OUTPUT)
    // A body is large and rarely has them: looking is cheaper than parsing.
    if (typeof sent === 'string' && !sent.includes('"logprobs"')) return undefined
    const body = structureOf(sent)
    const value = isObject(body) && Array.isArray(body['choices']) ? readLogprobs(body) : undefined
    return value && { value, origins: [fromAttribute(OUTPUT)] }
  },
}

function kindOf(span: SpanSource): string {
  return (span.text('openinference.span.kind') ?? '').toUpperCase()
}

// LlamaIndex has only the name of an object where the prompt should be, and the prompt as a template with its variables.
function filledTemplate(span: SpanSource): Found<readonly SourcedMessage[]> | undefined {
  const template = kindOf(span) === 'LLM' ? span.text(TEMPLATE) : undefined
  const variables = template === undefined ? undefined : span.structure('llm.prompt_template.variables')
  if (template === undefined || !isObject(variables)) return undefined
  const content = template.replace(
    /\{(\w+)\}/g,
    (whole, name: string) => firstText(variables, [name]) ?? whole,
  )
  const origin = fromAttribute(TEMPLATE)
  return { value: [{ message: { role: 'user', content }, origin }], origins: [origin] }
}

function payload(
  span: SpanSource,
  side: 'input' | 'output',
  read: (value: unknown) => Message[],
): Found<readonly SourcedMessage[]> | undefined {
  const origin = fromAttribute(`${side}.value`)
  const sent = span.raw(origin.key)
  // Plain text may look like JSON, and then it is still what was said.
  const isPlain = typeof sent === 'string' && sent !== '' && span.text(`${side}.mime_type`) === 'text/plain'
  const role = side === 'input' ? 'user' : 'assistant'
  const messages = isPlain ? [{ role, content: sent }] : read(sent)
  const value = messages.map((message) => ({ message, origin }))
  return value.length > 0 ? { value, origins: [origin] } : undefined
}
