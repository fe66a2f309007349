import type { FakeRequest } from '../../../src/cli/fake-judge/fake-protocol.ts'
import type { FakeReply } from '../../../src/cli/fake-judge/fake-reply.ts'

/** A question and its answer. */
export interface Exchange {
  readonly prompt: string
  readonly completion: string
}

/**
 * The conversation that every client has. The second question has what gets lost in translation: quotation marks, a line break,
 * a backslash, letters beyond ASCII and one beyond the basic plane.
 */
export const CONVERSATION = {
  system: 'You are a guide to capital cities. Answer in one sentence.',
  exchanges: [
    { prompt: 'What is the capital of Norway?', completion: 'The capital of Norway is Oslo.' },
    {
      prompt: 'And of Sweden?\nPlease say "capital" in Swedish, as C:\\words does – tack 👋',
      completion: 'Sveriges "huvudstad" är\nStockholm 👋 (C:\\words).',
    },
  ],
  /** Asked with a tool on offer: the model calls it, and answers when it has the result. */
  withTool: {
    prompt: 'How many people live in Oslo?',
    completion: 'About 709,000 people live in Oslo.',
    tool: 'get_population',
    arguments: { city: 'Oslo' },
    result: '{"city": "Oslo", "population": 709000}',
  },
  /** Asked with a document that was retrieved. */
  withDocument: {
    prompt: 'When was Oslo founded?',
    completion: 'Oslo was founded around the year 1000.',
    document: 'Oslo was founded around the year 1000 – by Harald "Hardrada".',
  },
} as const

const ANSWERS = new Map<string, string>(
  [...CONVERSATION.exchanges, CONVERSATION.withTool, CONVERSATION.withDocument].map(
    ({ prompt, completion }) => [prompt, completion],
  ),
)

/** How the model of the conversation answers a request: by the last thing that the user said. */
export function answerConversation({ messages, channel }: FakeRequest): FakeReply {
  // Gemini has the result of a tool in a message of the user that says nothing.
  const asked = messages.findLast(({ role, content }) => role === 'user' && content !== '')?.content ?? ''
  // Frameworks put what they retrieved around the question.
  const known = [...ANSWERS].find(([prompt]) => asked.includes(prompt))
  if (!known) return { status: 400, body: JSON.stringify({ error: { message: `not rehearsed: ${asked}` } }) }
  const [prompt, completion] = known
  const isCall =
    channel === 'tools' && prompt === CONVERSATION.withTool.prompt && messages.at(-1)?.content.includes(asked)
  return isCall ? { content: { ...CONVERSATION.withTool.arguments } } : { content: completion, inWords: true }
}
