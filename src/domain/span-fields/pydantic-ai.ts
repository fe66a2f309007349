import type { DialectReader, Found, Message, SourcedMessage } from './canonical-values.ts'
import { textOrJson } from './json-value.ts'
import { splitAtUser, splitEvents } from './otel-events.ts'
import { readUncut } from './read-cut.ts'
import { readMessages } from './read-message.ts'
import { fromAttribute, type SpanSource } from './span-source.ts'

const MESSAGES = 'pydantic_ai.all_messages'
/** The name of the first versions, which wrote events instead of messages. */
const EVENTS = 'all_messages_events'
const RESULT = 'final_result'

/** The run of an agent of Pydantic AI: one attribute has the whole conversation, the answer with it. */
export const pydanticAi: DialectReader = {
  dialect: 'pydantic-ai',
  speaks: (span) => span.raw(MESSAGES) !== undefined || span.raw(EVENTS) !== undefined,
  input: (span) => sourced(keyOf(span), sidesOf(span).sent),
  output(span) {
    const { returned } = sidesOf(span)
    const isSaid = returned.some(({ role, content }) => role === 'assistant' && content !== '')
    // An agent that returns an object calls a tool for it and says nothing.
    const result = isSaid || keyOf(span) === undefined ? undefined : textOrJson(span.raw(RESULT))
    const calls = sourced(keyOf(span), returned)
    if (result === undefined) return calls
    const origin = fromAttribute(RESULT)
    const answer: SourcedMessage = { message: { role: 'assistant', content: result }, origin }
    return { value: [...(calls?.value ?? []), answer], origins: [...(calls?.origins ?? []), origin] }
  },
}

function keyOf(span: SpanSource): string | undefined {
  return [MESSAGES, EVENTS].find((key) => span.raw(key) !== undefined)
}

function sidesOf(span: SpanSource): { readonly sent: Message[]; readonly returned: Message[] } {
  const messages = readUncut(span.raw(MESSAGES), (value) => readMessages(value, 'user'))
  if (messages.length > 0) return splitAtUser(messages)
  return splitEvents(span.raw(EVENTS)) ?? { sent: [], returned: [] }
}

function sourced(
  key: string | undefined,
  messages: readonly Message[],
): Found<readonly SourcedMessage[]> | undefined {
  if (key === undefined || messages.length === 0) return undefined
  const origin = fromAttribute(key)
  return { value: messages.map((message) => ({ message, origin })), origins: [origin] }
}
