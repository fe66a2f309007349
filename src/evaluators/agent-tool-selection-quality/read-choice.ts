import type { ToolCall, ToolDefinition } from '../../domain/span-fields/canonical-values.ts'
import type { Message } from '../kit/fields.ts'
import { readTurns, saidBy, type Turn, transcriptOf } from '../trajectory/turns.ts'
import { findArgumentFault } from './check-arguments.ts'
import { findToolDefinitions } from './tool-definitions.ts'

/** The tools that an agent could choose from, its task and its choice. */
export interface Choice {
  /** None: nothing is known about the tools, which is not the same as there being none. */
  readonly tools: readonly ToolDefinition[]
  readonly calls: readonly ToolCall[]
  /** The turns before the choice, without the lists of tools. */
  readonly before: readonly Turn[]
  /** The agent's text instead of a call or beside it. */
  readonly said: string
}

/** Faults that the definitions of the tools alone reveal. */
export interface Faults {
  readonly tool?: string
  readonly args?: string
}

/** Reads both lists of messages. */
export function readChoice(input: readonly Message[], output: readonly Message[]): Choice {
  const tools = findToolDefinitions(input)
  const turns = readTurns(input, 'input_messages')
  const after = readTurns(output, 'output_messages')
  return {
    tools,
    calls: after.flatMap(({ calls }) => calls),
    before: turns.filter(({ role }) => role !== 'system' || tools.length === 0),
    said: transcriptOf(saidBy(after, 'assistant')),
  }
}

/** A tool that does not exist is the wrong tool; arguments that its definition refuses are wrong arguments. */
export function findFaults({ tools, calls }: Choice): Faults {
  if (tools.length === 0) return {}
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const unknown = calls.find(({ name }) => !byName.has(name))
  if (unknown) return { tool: `There is no tool ${unknown.name}.` }
  for (const call of calls) {
    const tool = byName.get(call.name)
    const fault = tool && findArgumentFault(tool, call.arguments)
    if (fault !== undefined) return { args: `${call.name}: ${fault}.` }
  }
  return {}
}

/** The values of the arguments of a call, each with the way to it: `budget.min`, `points[0]`. */
export function argumentLeaves(args: object | string): { readonly path: string; readonly value: unknown }[] {
  const leaves: { path: string; value: unknown }[] = []
  const visit = (value: unknown, path: string, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth === 0) leaves.push({ path, value })
    else if (Array.isArray(value))
      for (const [at, item] of value.entries()) visit(item, `${path}[${at}]`, depth - 1)
    else
      for (const [name, item] of Object.entries(value))
        visit(item, path === '' ? name : `${path}.${name}`, depth - 1)
  }
  visit(args, '', 6)
  return leaves
}
