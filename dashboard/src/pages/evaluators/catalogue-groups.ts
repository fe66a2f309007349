import { METHODS } from '../setups/evaluator-words.ts'
import type { Evaluator } from './evaluator-types.ts'

export type GroupName = 'custom' | Evaluator['method']

/** A part of the catalogue: evaluators that decide in the same way. */
export interface Group {
  readonly name: GroupName
  readonly title: string
  readonly meaning: string
}

/** In the order in which the catalogue shows them: one's own first, then from the surest to the most capable. */
export const GROUPS: readonly Group[] = [
  {
    name: 'custom',
    title: 'Your own',
    meaning: 'Judges with your own prompt: a language model answers the questions that you ask.',
  },
  { name: 'exact', title: 'Exact rules', meaning: METHODS.exact.meaning },
  { name: 'detector', title: 'Detectors', meaning: METHODS.detector.meaning },
  { name: 'judge', title: 'Judges', meaning: METHODS.judge.meaning },
]

export const groupOf = ({ source, method }: Evaluator): GroupName => (source === 'custom' ? 'custom' : method)

/** Whether every word that is looked for stands somewhere in what the evaluator says about itself. */
export function mentions(evaluator: Evaluator, text: string): boolean {
  const { slug, name, description, input_schema, output_schema } = evaluator
  const fields = [...input_schema, ...output_schema].map((field) => `${field.name} ${field.description}`)
  const all = [slug, name, description, ...fields].join(' ').toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word))
}
