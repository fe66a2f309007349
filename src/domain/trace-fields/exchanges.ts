import type { Message, Turn } from '../span-fields/canonical-values.ts'

/** The prompts and the answers: the answer to the first prompt is the first completion, and so on. */
export interface Exchanges {
  readonly prompts: readonly Turn[]
  readonly completions: readonly Turn[]
}

/**
 * Takes a conversation apart so that reading a prompt, its completion, the next prompt and so on gives it back in its
 * order. Results of tools stand among the prompts, calls among the completions. Instructions to the model are left out.
 */
export function exchangesOf(messages: readonly Message[]): Exchanges {
  const told: Message[][] = []
  const answered: Message[][] = []
  for (const message of messages) {
    if (message.role === 'system' || isEmpty(message)) continue
    const isAnswer = message.role === 'assistant'
    if (isAnswer && told.length > 0) {
      if (answered.length < told.length) answered.push([])
      answered.at(-1)?.push(message)
    } else {
      // An assistant's message without a prompt begins the first exchange.
      if (told.length === answered.length) told.push([])
      told.at(-1)?.push(message)
    }
  }
  return {
    prompts: told.map((run) => turnOf(run, 'user')),
    completions: answered.map((run) => turnOf(run, 'assistant')),
  }
}

/** A text where that is all there is. */
function turnOf(messages: readonly Message[], role: string): Turn {
  const [first] = messages
  if (!first || messages.length > 1) return messages
  return first.role === role && !first.tool_calls ? first.content : first
}

function isEmpty({ content, tool_calls: calls = [] }: Message): boolean {
  return content === '' && calls.length === 0
}
