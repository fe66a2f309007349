import { invalidInput } from '../../domain/errors.ts'
import type { SchemaField } from '../../domain/evaluator.ts'

type Output = Readonly<Record<string, unknown>>

/** What an evaluator has to answer for a guard to let something pass, and the same in words. */
export interface GuardRule {
  readonly inWords: string
  readonly passes: (output: Output) => boolean
}

/**
 * Measured (docs/quality.md): exceeded by 64 % of machine-made attack suffixes, by no short prompt or question, and by 3 to
 * 22 % of long texts, tables and code. A guard that turns ordinary prompts away is switched off, so it is set high.
 */
const PROMPT_PERPLEXITY_MAX = 2_000
/** A model that is on average less sure than one in ten of each token is guessing. */
const PERPLEXITY_MAX = 10

const isTrue = (field: string): GuardRule => ({
  inWords: `${field} is true`,
  passes: (output) => output[field] === true,
})
const isFalse = (field: string): GuardRule => ({
  inWords: `${field} is false`,
  passes: (output) => output[field] === false,
})
const atLeast = (field: string, min: number): GuardRule => ({
  inWords: `${field} is at least ${min}`,
  passes: (output) => typeof output[field] === 'number' && output[field] >= min,
})
const atMost = (field: string, max: number): GuardRule => ({
  inWords: `${field} is at most ${max}`,
  passes: (output) => typeof output[field] === 'number' && output[field] <= max,
})
const below = (field: string, limit: number): GuardRule => ({
  inWords: `${field} is less than ${limit}`,
  passes: (output) => typeof output[field] === 'number' && output[field] < limit,
})
const above = (field: string, limit: number): GuardRule => ({
  inWords: `${field} is greater than ${limit}`,
  passes: (output) => typeof output[field] === 'number' && output[field] > limit,
})

/**
 * The rule of every built-in evaluator. Those that the vendor's guards have are as theirs; scores of others pass from one
 * half on, and what only counts passes when there is anything at all.
 */
const RULES: Readonly<Record<string, GuardRule>> = {
  'action-advancement': isTrue('pass'),
  'agent-efficiency': atLeast('task_completion_score', 0.5),
  'agent-flow-quality': isTrue('success'),
  'agent-goal-accuracy': atLeast('accuracy_score', 0.5),
  'agent-goal-completeness': isTrue('success'),
  'agent-tool-error-detector': isTrue('success'),
  'agent-tool-selection-quality': {
    inWords: 'tool_selection is correct and correct_args is true',
    passes: (output) => output['tool_selection'] === 'correct' && output['correct_args'] === true,
  },
  'agent-tool-trajectory': isTrue('success'),
  'answer-completeness': atLeast('answer_completeness_score', 0.5),
  'answer-correctness': atLeast('correctness_score', 0.5),
  'answer-relevancy': isTrue('is_relevant'),
  'char-count': above('char_count', 0),
  'char-count-ratio': above('char_ratio', 0),
  'context-relevance': atLeast('relevance_score', 0.5),
  'conversation-quality': atLeast('conversation_quality_score', 0.5),
  faithfulness: isTrue('is_faithful'),
  'html-comparison': atLeast('similarity_score', 0.7),
  'instruction-adherence': atLeast('instruction_adherence_score', 0.5),
  'intent-change': isTrue('success'),
  'json-validator': isTrue('is_valid_json'),
  perplexity: atMost('perplexity_score', PERPLEXITY_MAX),
  'pii-detector': isFalse('has_pii'),
  'placeholder-regex': isTrue('is_valid_regex'),
  'profanity-detector': isTrue('is_safe'),
  'prompt-injection': isFalse('has_injection'),
  'prompt-perplexity': atMost('perplexity_score', PROMPT_PERPLEXITY_MAX),
  'regex-validator': isTrue('is_valid_regex'),
  'secrets-detector': isFalse('has_secret'),
  'semantic-similarity': atLeast('similarity_score', 0.7),
  'sexism-detector': isTrue('is_safe'),
  'sql-validator': isTrue('is_valid_sql'),
  'tone-detection': atLeast('score', 0.5),
  'topic-adherence': atLeast('adherence_score', 0.5),
  'toxicity-detector': isTrue('is_safe'),
  'uncertainty-detector': below('uncertainty', 0.5),
  'word-count': above('word_count', 0),
  'word-count-ratio': above('word_ratio', 0),
}

/** The rule of a built-in evaluator. */
export function builtInGuardRule(slug: string): GuardRule {
  const rule = Object.hasOwn(RULES, slug) ? RULES[slug] : undefined
  if (!rule) throw new Error(`there is no guard rule for ${slug}`)
  return rule
}

/**
 * The rule of a custom evaluator: its boolean output named `pass`, else its first boolean output is true; where there is
 * none, its first number is at least 0.5. One that answers only in words cannot guard.
 */
export function customGuardRule(slug: string, outputs: readonly SchemaField[]): GuardRule {
  const booleans = outputs.filter(({ type }) => type === 'boolean')
  const verdict = booleans.find(({ name }) => name === 'pass') ?? booleans[0]
  if (verdict) return isTrue(verdict.name)
  const number = outputs.find(({ type }) => type === 'int' || type === 'float')
  if (number) return atLeast(number.name, 0.5)
  throw invalidInput(`evaluator ${slug} cannot guard: it has no output of the type boolean, int or float`)
}
