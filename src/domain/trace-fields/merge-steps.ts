import type { Message, ToolCall, ToolDefinition, ToolResult } from '../span-fields/canonical-values.ts'
import { joinSystem } from '../span-fields/conversation.ts'
import { type SpanFields, spanFields } from '../span-fields/span-fields.ts'
import { ConversationLog, type LogEntry } from './conversation-log.ts'
import { isSameCall } from './open-calls.ts'
import { STEPS_MAX } from './sample-steps.ts'
import type { SpanNode } from './span-tree.ts'
import { answersOf, type Step } from './step.ts'

/** The joint content of a trace's steps. An absent field was in none of them. */
export interface MergedSteps {
  readonly entries: readonly LogEntry[]
  /** The conversation that was sent first, and the entry that it ends with. */
  readonly firstInput?: readonly Message[]
  readonly firstInputEnd?: LogEntry
  readonly prompt?: string
  readonly completion?: string
  readonly systemPrompt?: string
  readonly model?: string
  readonly sessionId?: string
  readonly logprobs?: readonly number[]
  readonly context: readonly string[]
  readonly toolDefinitions: readonly ToolDefinition[]
}

/** Reads the steps one after the other and tells each thing once. `order` are all nodes, in reading order. */
export function mergeSteps(order: readonly SpanNode[], steps: ReadonlyMap<SpanNode, Step>): MergedSteps {
  const merge = new Merge()
  const around: { readonly node: SpanNode; readonly leave?: () => void }[] = []
  for (const node of order) {
    while (around.length > 0 && around.at(-1)?.node !== node.parent) around.pop()?.leave?.()
    if (!node.parent) merge.enterTrace(node.span.traceId)
    const step = steps.get(node)
    const leave = step && merge.enter(step)
    around.push({ node, ...(leave && { leave }) })
  }
  for (const { leave } of around.toReversed()) leave?.()
  return merge.result()
}

interface Execution {
  readonly call: ToolCall
  readonly asked: ToolCall
  result?: ToolResult
  isError: boolean
}

type Growing<T> = { -readonly [Name in keyof T]: T[Name] }

class Merge {
  readonly #log = new ConversationLog()
  readonly #said: Growing<Omit<MergedSteps, 'entries' | 'context' | 'toolDefinitions'>> = {}
  readonly #context = new Set<string>()
  readonly #definitions = new Map<string, ToolDefinition>()
  readonly #executions = new Map<SpanNode, Execution>()
  #traceId: string | undefined
  #traceStart: LogEntry | undefined

  enterTrace(traceId: string): void {
    if (traceId === this.#traceId) return
    this.#traceId = traceId
    this.#traceStart = this.#log.last
  }

  /** Reads what a step began with; what it ended with is read by the returned function, after all that is within it. */
  enter(step: Step): (() => void) | undefined {
    const fields = spanFields(step.node.span)
    this.#collect(step, fields)
    if (step.kind === 'tool') return this.#enterTool(step, fields)
    if (step.kind === 'aside' || step.isSilent) return undefined
    return this.#enterTalk(step, fields)
  }

  result(): MergedSteps {
    return {
      ...this.#said,
      entries: this.#log.entries,
      context: [...this.#context],
      toolDefinitions: [...this.#definitions.values()],
    }
  }

  #collect({ kind }: Step, fields: SpanFields): void {
    for (const text of fields.get('context') ?? []) {
      if (this.#context.size < STEPS_MAX) this.#context.add(text)
    }
    for (const tool of fields.get('tool_definitions') ?? []) {
      if (!this.#definitions.has(tool.name)) this.#definitions.set(tool.name, tool)
    }
    assign(this.#said, 'sessionId', this.#said.sessionId ?? fields.get('session_id'))
    const model = fields.get('model')
    // The model that talked says more than the one that made an embedding.
    if (kind !== 'aside' || this.#said.model === undefined)
      assign(this.#said, 'model', model ?? this.#said.model)
  }

  #enterTalk({ isOutermost }: Step, fields: SpanFields): () => void {
    const sent = fields.get('input_messages') ?? []
    this.#log.addSent(sent, this.#traceStart)
    const said = this.#said
    assign(said, 'systemPrompt', said.systemPrompt ?? fields.get('system_prompt'))
    if (isOutermost) {
      if (said.firstInput === undefined && sent.length > 0) {
        said.firstInput = sent
        assign(said, 'firstInputEnd', this.#log.last)
      }
      assign(said, 'prompt', fields.get('prompt') ?? said.prompt)
    }
    const begun = this.#log.last
    return () => {
      this.#log.addReturned(answersOf(fields), begun)
      if (isOutermost) assign(said, 'completion', fields.get('completion') ?? said.completion)
      assign(said, 'logprobs', fields.get('logprobs') ?? said.logprobs)
    }
  }

  #enterTool({ node }: Step, fields: SpanFields): (() => void) | undefined {
    const call = fields.get('tool_calls')?.[0]
    if (!call) return undefined
    const result = fields.get('tool_results')?.[0]
    const isError = node.span.statusCode === ERROR_STATUS
    const outer = this.#sameExecutionAround(node, call)
    if (outer) {
      // Two SDKs report one execution, one within the other; the inner one may know the result.
      this.#executions.set(node, outer)
      if (outer.result === undefined && result) Object.assign(outer, { result, isError })
      return undefined
    }
    const asked = this.#log.addExecution(call)
    const execution: Execution = { call, asked, isError, ...(result && { result }) }
    this.#executions.set(node, execution)
    return () => {
      if (execution.result) this.#log.addResult(asked, execution.result.result, execution.isError)
    }
  }

  #sameExecutionAround(node: SpanNode, call: ToolCall): Execution | undefined {
    for (let outer = node.parent; outer; outer = outer.parent) {
      const execution = this.#executions.get(outer)
      if (execution) return isSameCall(execution.call, call) ? execution : undefined
    }
    return undefined
  }
}

const ERROR_STATUS = 2

/** Sets the fields that are there; the others stay absent. */
function assign<T extends object, K extends keyof T>(target: T, name: K, value: T[K] | undefined): void {
  if (value !== undefined) target[name] = value
}

/** The first input with the instructions that the trace ran under at its head. */
export function firstInputOf({ firstInput, systemPrompt }: MergedSteps): readonly Message[] | undefined {
  if (!firstInput) return undefined
  const hasSystem = firstInput.some(({ role }) => role === 'system')
  return hasSystem ? firstInput : joinSystem(systemPrompt, firstInput)
}
