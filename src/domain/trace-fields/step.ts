import type { Span } from '../../lib/otlp/span.ts'
import type { Message } from '../span-fields/canonical-values.ts'
import { type SpanFields, spanFields } from '../span-fields/span-fields.ts'
import { handsOn, KIND_KEYS, OPERATION_KEYS, type SpanRole, spanRole } from '../span-role.ts'
import type { SpanNode } from './span-tree.ts'

/**
 * The part that a span plays in a trajectory. `talk`: a conversation, of a model, an agent or a workflow. `tool`: one
 * execution of a tool. `aside`: it serves the conversation without being a part of it, such as a retrieval, an
 * embedding or a guard.
 */
export type StepKind = 'talk' | 'tool' | 'aside'

/** A span that says something, without what it says. */
export interface Step {
  readonly node: SpanNode
  readonly kind: StepKind
  /** An agent that was given a task. */
  readonly isAgent: boolean
  /** No conversation around it is seen as a whole: this is what the user sent and got back. */
  readonly isOutermost: boolean
  /** The steps within it tell the same more exactly. */
  readonly isSilent: boolean
}

const AGENT_WORDS = ['AGENT', 'agent', 'invoke_agent']
const ASIDE_ROLES: ReadonlySet<SpanRole> = new Set(['embedding', 'retrieval', 'reranking'])

/** Whether a span says something that a trajectory is made of. */
export function saysSomething(span: Span): boolean {
  return spanFields(span).dialect !== undefined
}

/** Whether a span that nothing is around tells the whole conversation: the question of the user and the answer to it. */
export function tellsWhole(span: Span): boolean {
  return survey(span).isWhole && !isGuard(span)
}

/**
 * Finds out what each of the given nodes is. `order` are all nodes, in reading order. Only answers are read for this, and
 * nothing that was read is kept: a long trace sends its conversation again and again.
 */
export function surveySteps(
  order: readonly SpanNode[],
  chosen: ReadonlySet<SpanNode>,
): ReadonlyMap<SpanNode, Step> {
  const found = new Map<SpanNode, ReturnType<typeof survey>>()
  for (const node of order) if (chosen.has(node)) found.set(node, survey(node.span))

  const guarded = new Set<SpanNode>()
  for (const node of order) {
    if (isGuard(node.span) || (node.parent && guarded.has(node.parent))) guarded.add(node)
  }
  const answersWithin = new Set<SpanNode>()
  for (const node of order.toReversed()) {
    const isAnswer = found.get(node)?.isAnswer && !guarded.has(node)
    if (node.parent && (isAnswer || answersWithin.has(node))) answersWithin.add(node.parent)
  }
  const covered = new Set<SpanNode>()
  for (const { parent, ...rest } of order.map((node) => ({ node, parent: node.parent }))) {
    if (parent && (covered.has(parent) || found.get(parent)?.isWhole)) covered.add(rest.node)
  }

  const steps = new Map<SpanNode, Step>()
  for (const [node, { kind, isAgent, isWhole }] of found) {
    const isOutermost = !covered.has(node)
    const isSilent = answersWithin.has(node) && !isAgent && !(isOutermost && isWhole)
    steps.set(node, { node, kind: guarded.has(node) ? 'aside' : kind, isAgent, isOutermost, isSilent })
  }
  return steps
}

/** The messages that came back. Of several alternatives of one answer the first counts. */
export function answersOf(fields: SpanFields): readonly Message[] {
  const messages = fields.get('output_messages') ?? []
  const isOneOfSeveral = messages.every(({ role, tool_calls }) => role === 'assistant' && !tool_calls)
  return isOneOfSeveral ? messages.filter(({ content }) => content !== '').slice(0, 1) : messages
}

function survey(span: Span): { kind: StepKind; isAgent: boolean; isAnswer: boolean; isWhole: boolean } {
  const fields = spanFields(span)
  // A workflow that runs an agent says both; the task it was given is told like an agent's.
  const isAgent = [...KIND_KEYS, ...OPERATION_KEYS].some((key) =>
    AGENT_WORDS.includes(String(span.attributes.get(key))),
  )
  const isAnswer = answersOf(fields).some(({ role }) => role === 'assistant')
  const kind = kindOf(span, fields, isAnswer)
  const isWhole =
    kind === 'talk' && fields.get('completion') !== undefined && fields.get('prompt') !== undefined
  return { kind, isAgent, isAnswer: isAnswer && kind === 'talk', isWhole }
}

function kindOf(span: Span, fields: SpanFields, isAnswer: boolean): StepKind {
  const role = spanRole(span, fields)
  if (ASIDE_ROLES.has(role) || handsOn(span, role)) return 'aside'
  if (isAnswer) return 'talk'
  // The span of a tool has a call and no conversation.
  if (fields.get('tool_calls') && !fields.get('messages')) return 'tool'
  return fields.get('context') ? 'aside' : 'talk'
}

function isGuard(span: Span): boolean {
  return spanRole(span, spanFields(span)) === 'guard'
}
