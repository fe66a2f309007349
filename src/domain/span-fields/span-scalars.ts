import type { Attributes } from '../../lib/otlp/span.ts'
import type { FieldOrigin, Found } from './canonical-values.ts'
import { textOf } from './json-value.ts'
import type { SpanSource } from './span-source.ts'

// The model that answered is more exact than the name it was asked by.
export const MODEL_KEYS: readonly string[] = [
  ...['gen_ai.response.model', 'gen_ai.request.model', 'llm.response.model', 'llm.request.model'],
  ...['llm.response.model_name', 'llm.model_name', 'llm.request.model_name'],
  ...['ai.response.model', 'ai.model.id', 'embedding.model_name', 'reranker.model_name'],
  'langfuse.observation.model.name',
]

// An id that a convention defines comes before one that an application chose to send along.
const ASSOCIATION = 'traceloop.association.properties.'
const METADATA = 'ai.telemetry.metadata.'
export const SESSION_KEYS: readonly string[] = [
  ...['gen_ai.conversation.id', 'session.id', 'langfuse.session.id', 'gen_ai.session.id'],
  ...['session_id', 'conversation_id', 'chat_id', 'thread_id'].map((name) => `${ASSOCIATION}${name}`),
  ...['sessionId', 'conversationId', 'chatId', 'threadId'].map((name) => `${ASSOCIATION}${name}`),
  ...['sessionId', 'session_id', 'conversationId', 'chatId', 'threadId'].map((name) => `${METADATA}${name}`),
  ...['langsmith.trace.session_id', 'langsmith.metadata.session_id', 'langsmith.metadata.thread_id'],
]

/** The model of a span. */
export function modelOf(source: SpanSource): Found<string> | undefined {
  return firstKey(source.span.attributes, 'span_attributes', MODEL_KEYS)
}

/** The conversation that a span belongs to; browsers and phones have the id on their resource. */
export function sessionIdOf(source: SpanSource): Found<string> | undefined {
  const { attributes, resource } = source.span
  return (
    firstKey(attributes, 'span_attributes', SESSION_KEYS) ??
    firstKey(resource, 'resource_attributes', ['gen_ai.conversation.id', 'session.id'])
  )
}

function firstKey(
  attributes: Attributes,
  source: FieldOrigin['source'],
  keys: readonly string[],
): Found<string> | undefined {
  for (const key of keys) {
    const value = textOf(attributes.get(key))
    if (value !== undefined) return { value, origins: [{ source, key }] }
  }
  return undefined
}
