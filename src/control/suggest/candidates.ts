import type { ApplicationTrait } from '../../domain/application/recognize-application.ts'
import type { EvaluatorOverride } from '../../domain/setup.ts'

/** An evaluator that may be suggested, and when. */
export interface Candidate {
  readonly slug: string
  /** The application has all of these traits. */
  readonly needs: readonly ApplicationTrait[]
  /** The application has none of these. */
  readonly unless?: readonly ApplicationTrait[]
  /** Why it is suggested, as a sentence for the person who looks at their own traces. */
  readonly reason: string
  /** `answer`: one result for each answer of the application. Absent: the unit that the evaluator looks at by itself. */
  readonly unit?: 'answer'
  readonly mapping?: EvaluatorOverride['mapping']
}

/** Forms of answers that are no prose. */
const FORMS: readonly ApplicationTrait[] = ['sql', 'json', 'labels']

/** Everything that may be suggested. Those that need no judge stand first; among equals, the more telling one does. */
export const CANDIDATES: readonly Candidate[] = [
  {
    slug: 'sql-validator',
    needs: ['sql'],
    unit: 'answer',
    reason: 'Most answers are SQL. This checks that each one parses.',
  },
  {
    slug: 'json-validator',
    needs: ['json'],
    unit: 'answer',
    reason: 'Most answers are JSON. This checks that each one parses.',
  },
  {
    slug: 'pii-detector',
    needs: ['answers'],
    unless: ['sql', 'labels'],
    unit: 'answer',
    reason: 'Finds names, addresses, and account numbers that an answer gives away.',
  },
  {
    slug: 'prompt-injection',
    needs: ['answers'],
    unless: FORMS,
    unit: 'answer',
    reason: 'Finds questions that try to override the instructions of your model.',
  },
  {
    slug: 'secrets-detector',
    needs: ['answers', 'tools'],
    unit: 'answer',
    reason: 'Finds keys and passwords that tools may have put into an answer.',
  },
  {
    slug: 'toxicity-detector',
    needs: ['answers'],
    unless: FORMS,
    unit: 'answer',
    reason: 'Finds answers that are insulting or threatening.',
  },
  {
    slug: 'faithfulness',
    needs: ['answers', 'documents'],
    unit: 'answer',
    reason:
      'Your traces carry the documents that were retrieved. This checks each claim of an answer against them.',
  },
  {
    slug: 'context-relevance',
    needs: ['answers', 'documents'],
    unit: 'answer',
    reason:
      'Tells how much of the retrieved documents is about the question, so that you can tell bad search from bad answers.',
  },
  {
    slug: 'agent-goal-completeness',
    needs: ['answers', 'tools'],
    reason: 'Your application calls tools. This checks whether the goals of the user were reached.',
  },
  {
    slug: 'agent-tool-selection-quality',
    needs: ['answers', 'tools'],
    reason: 'Checks whether the right tools were called, with the right arguments.',
  },
  {
    slug: 'conversation-quality',
    needs: ['answers', 'conversations'],
    unless: FORMS,
    reason: 'Users say more than one thing in a session. This scores the conversation as a whole.',
  },
  {
    slug: 'answer-relevancy',
    needs: ['answers'],
    unless: FORMS,
    unit: 'answer',
    reason: 'Checks whether an answer addresses the question.',
  },
  {
    slug: 'instruction-adherence',
    needs: ['answers', 'instructions'],
    unit: 'answer',
    mapping: { instructions: { from: { field: 'system_prompt' } } },
    reason: 'Your calls have a system prompt. This checks whether answers follow it.',
  },
]

/** The candidates for an application with these traits, in their order. */
export function candidatesFor(traits: readonly ApplicationTrait[]): readonly Candidate[] {
  const has = (trait: ApplicationTrait) => traits.includes(trait)
  return CANDIDATES.filter(({ needs, unless = [] }) => needs.every(has) && !unless.some(has))
}
