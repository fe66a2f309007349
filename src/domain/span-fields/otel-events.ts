import type { SpanEvent } from '../../lib/otlp/span.ts'
import type { FieldOrigin, Found, Message, SourcedMessage } from './canonical-values.ts'
import { isObject, type JsonObject, listOf, structureOf } from './json-value.ts'
import { isPart } from './read-content.ts'
import { readUncut } from './read-cut.ts'
import { readMessage, readMessages } from './read-message.ts'
import { requestMessages, responseMessages } from './read-provider-body.ts'
import { fromEvent, type SpanSource } from './span-source.ts'

const INPUT_EVENTS: Readonly<Record<string, string>> = {
  'gen_ai.system.message': 'system',
  'gen_ai.user.message': 'user',
  'gen_ai.assistant.message': 'assistant',
  'gen_ai.tool.message': 'tool',
}
/** Attributes in which one event holds its whole body, by the senders' different habits. */
const BODY_KEYS = ['gen_ai.event.content', 'event.body', 'body']

/** The conversation from one event for each message. */
export function messageEvents(span: SpanSource): Found<readonly SourcedMessage[]> | undefined {
  return collect(
    span.events.filter(({ name }) => Object.hasOwn(INPUT_EVENTS, name)),
    ({ name }) => INPUT_EVENTS[name] as string,
  )
}

/** The answers from one event for each choice. */
export function choiceEvents(span: SpanSource): Found<readonly SourcedMessage[]> | undefined {
  return collect(
    span.events.filter(({ name }) => name === 'gen_ai.choice'),
    () => 'assistant',
  )
}

/** The conversation or the answer from the oldest events, which hold all of it as one text. */
export function contentEvent(
  span: SpanSource,
  side: 'prompt' | 'completion',
): Found<readonly SourcedMessage[]> | undefined {
  const key = `gen_ai.${side}`
  const event = span.events.find(({ name }) => name === `gen_ai.content.${side}`)
  const value = event?.attributes.get(key) ?? undefined
  if (!event || value === undefined) return undefined
  const role = side === 'prompt' ? 'user' : 'assistant'
  const messages = readUncut(value, (whole) => {
    const inBody = side === 'prompt' ? requestMessages(whole) : (responseMessages(whole) ?? [])
    return inBody.length > 0 ? inBody : readMessages(whole, role)
  })
  const origin = fromEvent(event, key)
  return messages.length > 0
    ? { value: messages.map((message) => ({ message, origin })), origins: [origin] }
    : undefined
}

/** The arguments and the result of a tool, where events of its span carry them. */
export function toolEvents(span: SpanSource): { sent?: Found<unknown>; returned?: Found<unknown> } {
  const sent = firstValue(span, 'gen_ai.tool.message', 'content')
  const returned = firstValue(span, 'gen_ai.choice', 'message')
  return { ...(sent && { sent }), ...(returned && { returned }) }
}

function firstValue(span: SpanSource, name: string, key: string): Found<unknown> | undefined {
  const event = span.events.find((one) => one.name === name)
  const value = event?.attributes.get(key) ?? undefined
  return event && value !== undefined ? { value, origins: [fromEvent(event, key)] } : undefined
}

function collect(
  events: readonly SpanEvent[],
  role: (event: SpanEvent) => string,
): Found<readonly SourcedMessage[]> | undefined {
  const origins = new Map<string, FieldOrigin>()
  const value = events.flatMap((event) => {
    const { key, messages } = readEvent(event, role(event))
    const origin = fromEvent(event, key)
    if (messages.length > 0) origins.set(`${event.name} ${key}`, origin)
    return messages.map((message) => ({ message, origin }))
  })
  return value.length > 0 ? { value, origins: [...origins.values()] } : undefined
}

function readEvent(event: SpanEvent, role: string): { key: string; messages: Message[] } {
  for (const key of BODY_KEYS) {
    const body = structureOf(event.attributes.get(key) ?? undefined)
    if (body !== undefined) return { key, messages: readBody(body, role) }
  }
  const attributes = Object.fromEntries(event.attributes) as JsonObject
  const key =
    attributes['message'] === undefined && attributes['content'] !== undefined ? 'content' : 'message'
  return { key, messages: readBody(attributes, role) }
}

/**
 * The two sides of a conversation in a list of events, as Logfire and Pydantic AI keep them in one attribute. A choice is
 * the answer; without one, the answer follows the last message of the user.
 */
export function splitEvents(value: unknown): { sent: Message[]; returned: Message[] } | undefined {
  const events = listOf(value).filter(isObject)
  const nameOf = (event: JsonObject) => String(event['event.name'] ?? '')
  if (!events.some((event) => nameOf(event).startsWith('gen_ai.'))) return undefined
  const isChoice = (event: JsonObject) => nameOf(event) === 'gen_ai.choice'
  const read = (list: readonly JsonObject[]) =>
    list.flatMap((event) => readBody(event, INPUT_EVENTS[nameOf(event)] ?? 'assistant'))
  const sent = read(events.filter((event) => !isChoice(event)))
  return events.some(isChoice) ? { sent, returned: read(events.filter(isChoice)) } : splitAtUser(sent)
}

/** A conversation up to the last message of the user, and what follows it. */
export function splitAtUser(messages: readonly Message[]): { sent: Message[]; returned: Message[] } {
  const end = messages.findLastIndex(({ role, content }) => role === 'user' && content !== '') + 1
  return { sent: messages.slice(0, end), returned: messages.slice(end) }
}

function readBody(body: unknown, role: string): Message[] {
  if (!isObject(body)) return readMessages(body, role)
  const message = structureOf(body['message'])
  if (typeof message === 'string' || Array.isArray(message))
    return readMessage({ role, content: message }, role)
  const content = structureOf(body['content'])
  // A list of parts; any other JSON that was said or returned stays the text that it was.
  const isParts = Array.isArray(content) && content.length > 0 && content.every(isPart)
  const id = body['tool_call_id'] ?? (role === 'tool' ? body['id'] : undefined)
  return readMessage(
    {
      ...body,
      ...(isParts && { content }),
      ...(id !== undefined && { tool_call_id: id }),
      role: body['role'] ?? role,
    },
    role,
  )
}
