import type { Message, ToolCall } from '../span-fields/canonical-values.ts'
import { isObject } from '../span-fields/json-value.ts'
import { canonicalText } from './message-key.ts'

/** Most values that two calls are compared by where their arguments have different shapes. */
const LEAVES_MAX = 200
/** Most calls of one tool that an execution is compared with, the newest: an agent executes what it asked for soon or never. */
const CANDIDATES_MAX = 100

/** The calls of a conversation without a seen execution, and those that were answered. */
export class OpenCalls {
  readonly #unclaimed = new Map<string, ToolCall[]>()
  /** Calls without an answer, oldest first. */
  readonly #unanswered = new Set<ToolCall>()
  readonly #answered = new WeakSet<ToolCall>()

  /** Takes note of the calls that a message makes, or of the call that it answers. */
  hear({ role, name, tool_calls: calls = [], tool_call_id: id }: Message): void {
    for (const call of calls) {
      const sameName = this.#unclaimed.get(call.name) ?? []
      this.#unclaimed.set(call.name, sameName)
      sameName.push(call)
      this.#unanswered.add(call)
    }
    if (role !== 'tool') return
    for (const call of this.#unanswered) {
      const isIt =
        id !== undefined && call.id !== undefined ? id === call.id : (name ?? call.name) === call.name
      if (!isIt) continue
      this.answer(call)
      return
    }
  }

  /** The oldest of the newest calls that an execution can be of; no other execution gets it. */
  claim(execution: ToolCall): ToolCall | undefined {
    const calls = this.#unclaimed.get(execution.name) ?? []
    const sent = canonicalText(execution.arguments)
    const ways: ((call: ToolCall) => boolean)[] = [
      ({ id }) => id !== undefined && id === execution.id,
      (call) => isSameCall(call, execution) && canonicalText(call.arguments) === sent,
      (call) => isSameCall(call, execution),
    ]
    const candidates = calls.slice(-CANDIDATES_MAX)
    for (const isIt of ways) {
      const call = candidates.find(isIt)
      if (call) return calls.splice(calls.indexOf(call), 1)[0]
    }
    return undefined
  }

  /** Takes note that a call was answered. */
  answer(call: ToolCall): void {
    this.#unanswered.delete(call)
    this.#answered.add(call)
  }

  /** Whether a call was answered. */
  isAnswered(call: ToolCall): boolean {
    return this.#answered.has(call)
  }
}

/**
 * Whether two reports can be of the same call: the names are the same, the ids do not tell them apart, and one has no
 * value that the other lacks. Shapes differ: one SDK reports `{city: 'Oslo'}`, another `{args: ['Oslo'], kwargs: {}}`, and
 * a third keeps the arguments to itself.
 */
export function isSameCall(one: ToolCall, other: ToolCall): boolean {
  if (one.name !== other.name) return false
  if (one.id !== undefined && other.id !== undefined && one.id !== other.id) return false
  const [ones, others] = [leavesOf(one.arguments), leavesOf(other.arguments)]
  const [few, many] = ones.size <= others.size ? [ones, others] : [others, ones]
  return [...few].every((leaf) => many.has(leaf))
}

function leavesOf(value: unknown): ReadonlySet<string> {
  const leaves = new Set<string>()
  const left = [value]
  while (left.length > 0 && leaves.size < LEAVES_MAX) {
    const item = left.pop()
    if (Array.isArray(item)) for (const inner of item) left.push(inner)
    else if (isObject(item)) for (const inner of Object.values(item)) left.push(inner)
    else if (item !== null && item !== undefined && item !== '') leaves.add(String(item))
  }
  return leaves
}
