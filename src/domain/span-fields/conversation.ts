import type { Message, SourcedMessage, ToolCall, ToolResult } from './canonical-values.ts'
import { structureOf } from './json-value.ts'

/** The messages of a role that say something; those with only media or tool calls do not. */
export function textsOf(messages: readonly SourcedMessage[], role: string): SourcedMessage[] {
  return messages.filter(({ message }) => message.role === role && message.content !== '')
}

/**
 * The answer among the messages that came back. Several are either alternatives, of which the first counts, or the steps
 * of an agent, of which the last does.
 */
export function answerOf(output: readonly SourcedMessage[]): SourcedMessage | undefined {
  const texts = textsOf(output, 'assistant')
  return isTrajectory(output) ? texts.at(-1) : texts[0]
}

/** The turns of the assistant among the messages that came back: every step of an agent, else the answer alone. */
export function turnsOf(output: readonly SourcedMessage[]): SourcedMessage[] {
  if (isTrajectory(output)) return textsOf(output, 'assistant')
  const answer = answerOf(output)
  return answer ? [answer] : []
}

/** A conversation with a system prompt that was kept apart from it at its head, unless it is in there too. */
export function joinSystem(system: string | undefined, messages: readonly Message[]): readonly Message[] {
  if (system === undefined) return messages
  const isThere = messages.some(({ role, content }) => role === 'system' && content === system)
  return isThere ? messages : [{ role: 'system', content: system }, ...messages]
}

/** All calls of tools in a conversation, in order. */
export function callsOf(messages: readonly Message[]): readonly ToolCall[] {
  return messages.flatMap(({ tool_calls }) => tool_calls ?? [])
}

/** The tools that were called in a conversation, by the id of the call. */
export function namesById(messages: readonly Message[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const { id, name } of callsOf(messages)) if (id !== undefined) names.set(id, name)
  return names
}

/** All results of tools in a conversation, in order, named after the calls that they answer. */
export function resultsOf(
  messages: readonly Message[],
  names: ReadonlyMap<string, string>,
): readonly ToolResult[] {
  return messages.flatMap(({ role, content, name, tool_call_id: id }) => {
    if (role !== 'tool') return []
    const known = name ?? (id === undefined ? undefined : names.get(id))
    return {
      ...(known !== undefined && { name: known }),
      ...(id !== undefined && { id }),
      result: structureOf(content),
    }
  })
}

function isTrajectory(output: readonly SourcedMessage[]): boolean {
  return output.some(
    ({ message }, at) => message.role === 'tool' || (message.tool_calls && at < output.length - 1),
  )
}
