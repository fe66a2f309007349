import { type ChatMessage, messagesOf, type StoredSpan } from '../../ui/span-content.ts'

/** One exchange of a conversation: what was asked, and what came of it. */
export interface Turn {
  readonly question?: ChatMessage
  readonly answer?: ChatMessage
  /** Tools that were called in between, in their order. */
  readonly tools: readonly string[]
}

/**
 * The part of a conversation that one trace adds: the last message of the user in its first call of a model, and the last
 * text that a model gives back. Earlier messages in a prompt are history, which the traces before show.
 */
export function turnOf(spans: readonly StoredSpan[]): Turn {
  const conversations = spans.map((span) => ({
    asked: messagesOf({ prompts: span.prompts, completions: {} }),
    answered: messagesOf({ prompts: {}, completions: span.completions }),
  }))
  const isText = ({ content }: ChatMessage) => content !== ''
  const question = conversations
    .map(({ asked }) => asked.findLast((message) => message.role === 'user' && isText(message)))
    .find((message) => message !== undefined)
  const answer = conversations
    .map(({ answered }) => answered.findLast(isText))
    .findLast((message) => message !== undefined)
  const tools = conversations.flatMap(({ answered }) =>
    answered.flatMap(({ toolCalls }) => toolCalls.map(({ name }) => name)),
  )
  return { ...(question ? { question } : {}), ...(answer ? { answer } : {}), tools }
}
