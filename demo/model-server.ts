import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One message of a chat. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** How the model answers a conversation; `random` is a number from 0 to 1 of its own for each call. */
export type Answer = (messages: readonly ChatMessage[], random: () => number) => string

/** A Chat Completions server on loopback whose answers come from a function instead of a model. */
export interface ModelServer {
  /** To be used like `https://api.openai.com/v1`. */
  readonly baseUrl: string
  close(): Promise<void>
}

/** Starts the server. Answers depend only on the order of the calls, so that every run shows the same. */
export async function startModelServer(answer: Answer): Promise<ModelServer> {
  const random = seededRandom(7)
  const server = createServer(async (request, response) => {
    const { model, messages } = JSON.parse(await bodyOf(request))
    const content = answer(messages, random)
    const promptTokens = tokensOf(messages.map((message: ChatMessage) => message.content).join(' '))
    const completionTokens = tokensOf(content)
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({
        id: `chatcmpl-${Math.floor(random() * 1e12)}`,
        object: 'chat.completion',
        created: Math.floor(Date.now() / 1_000),
        model,
        choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
        usage: {
          prompt_tokens: promptTokens,
          completion_tokens: completionTokens,
          total_tokens: promptTokens + completionTokens,
        },
      }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: () => closeServer(server),
  }
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}

/** About what a tokenizer would count; only shown, never scored. */
function tokensOf(text: string): number {
  return Math.ceil(text.length / 4)
}

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
