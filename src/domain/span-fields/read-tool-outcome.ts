import { isObject, structureOf } from './json-value.ts'
import { responseMessages } from './read-provider-body.ts'
import { readResult } from './read-tools.ts'

/** The outcome of a tool by its own span: the result, and the id of the call where the result names it. */
export interface ToolOutcome {
  readonly id?: string
  readonly result: unknown
}

/** Reads what a tool returned. LangChain's tools return a message, LangGraph's also a command that adds one. */
export function readToolOutcome(value: unknown): ToolOutcome {
  const returned = unwrapOutput(structureOf(value))
  const message = responseMessages(returned)?.find(({ role }) => role === 'tool')
  if (!message) return { result: readResult(returned) }
  const { tool_call_id: id, content } = message
  return { ...(id !== undefined && { id }), result: structureOf(content) }
}

// OpenLLMetry for LangChain: {output, kwargs: {...}}.
function unwrapOutput(value: unknown): unknown {
  return isObject(value) && Object.hasOwn(value, 'output') && isObject(value['kwargs'])
    ? value['output']
    : value
}
