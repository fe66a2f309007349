import { similarityOf } from '../local/meaning.ts'
import { isNoncommittal } from '../local/noncommittal.ts'
import { splitSentences } from '../local/sentences.ts'
import { contentWords } from '../local/words.ts'
import { findTextChecks } from '../text-checks/find-text-checks.ts'
import type { Adherence } from './judge-instructions.ts'

/** How much of either text is looked at, in characters. */
const READ_CHARS_MAX = 20_000
// Where a response begins to have to do with what was asked for, and how sharply; fitted on the first half of the rows.
const MIDDLE = 0.35
const STEEPNESS = 10

/**
 * The same without a language model: the demands that code can verify, and one more for all others together, graded by how
 * close the response is to what was asked for in words and in meaning.
 */
export function adheresLocally(input: Adherence): number {
  const instructions = input.instructions.slice(0, READ_CHARS_MAX)
  const response = input.response.slice(0, READ_CHARS_MAX)
  const sentences = splitSentences(instructions)
  if (sentences.length === 0) return 1
  if (response.trim() === '') return 0
  const read = sentences.map((sentence) => findTextChecks(sentence))
  const outcomes = read.flatMap(({ checks }) =>
    checks.flatMap(({ holds }) => {
      const isMet = holds(response)
      return isMet === undefined ? [] : [isMet ? 1 : 0]
    }),
  )
  const rest = sentences.filter((_, at) => !read[at]?.isWholly)
  // Demands that this response leaves open, all of them, say nothing: then only its closeness does.
  const asked = rest.length > 0 ? rest : outcomes.length > 0 ? [] : sentences
  const grades = asked.length === 0 ? outcomes : [...outcomes, closeness(asked, response)]
  return grades.reduce((sum, grade) => sum + grade, 0) / grades.length
}

/** Grades how much a response has to do with what was asked for, from 0 to 1; the last sentence is most often the task. */
function closeness(sentences: readonly string[], response: string): number {
  if (isNoncommittal(response)) return 0
  const asked = new Set(contentWords(sentences.join(' ')))
  const said = new Set(contentWords(response))
  const coverage = asked.size === 0 ? 0 : [...asked].filter((word) => said.has(word)).length / asked.size
  const whole = similarityOf(sentences.join('\n'), response)
  const task = similarityOf(sentences.at(-1) ?? '', response)
  return 1 / (1 + Math.exp(-STEEPNESS * (0.3 * whole + 0.6 * task + 0.1 * coverage - MIDDLE)))
}
