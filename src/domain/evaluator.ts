import type { VerdictRule } from './verdict.ts'

/** The facts about evaluators that the rest of the service knows without running them. */

/** The scope of an evaluation: one span, all spans of a trace, or all spans of a conversation. */
export const EVALUATION_SCOPES = ['span', 'trace', 'session'] as const
export type EvaluationScope = (typeof EVALUATION_SCOPES)[number]

export const FIELD_TYPES = ['string', 'int', 'float', 'boolean', 'enum'] as const
export type FieldType = (typeof FIELD_TYPES)[number]

/** One input or output of an evaluator, as a setup shows it. */
export interface SchemaField {
  readonly name: string
  readonly type: FieldType
  readonly description: string
  readonly label: string
  readonly enumValues?: readonly string[]
  /** The range of a number; absent: every number will do. */
  readonly minimum?: number
  readonly maximum?: number
}

/** Names an evaluator: the slug people write and the id that stays the same when a slug is reused. */
export interface EvaluatorRef {
  readonly slug: string
  readonly evaluatorId: string
}

/** The part of an evaluator that a setup shows, built-in or custom. */
export interface EvaluatorSummary extends EvaluatorRef {
  readonly inputSchema: readonly SchemaField[]
  readonly outputSchema: readonly SchemaField[]
  /** The rule for good answers. */
  readonly verdict: VerdictRule
}

/** Span fields that every dialect of tracing is reduced to; inputs of evaluators come from these. */
export const CANONICAL_FIELDS = [
  'prompt',
  'completion',
  'system_prompt',
  'messages',
  'input_messages',
  'output_messages',
  'prompts',
  'completions',
  'context',
  'tool_definitions',
  'tool_calls',
  'tool_results',
  'logprobs',
  'model',
  'session_id',
] as const
export type CanonicalField = (typeof CANONICAL_FIELDS)[number]
