import { requireLength } from '../judged/limits.ts'
import { typeFit } from '../local/answer-type.ts'
import { ChunkIndex } from '../local/chunks.ts'
import { similarityOf } from '../local/meaning.ts'
import { isNoncommittal } from '../local/noncommittal.ts'
import { splitSentences } from '../local/sentences.ts'
import type { RelevancyInput } from './ask-judge.ts'

// Both chosen on the first half of the labelled rows.
const RELEVANT_FROM = 0.2
const TYPE_WEIGHT = 0.1
/** A long answer is read in its most promising sentences; a short one whole as well. */
const SENTENCES_READ_MAX = 8
const READ_WHOLE_CHARS_MAX = 4_000

/**
 * Compares question and answer in meaning, and the kind of thing that is asked for (a date, a number, a person, a place) with
 * what the answer holds.
 */
export function looksRelevant({ answer, question }: RelevancyInput): boolean {
  requireLength({ answer, question })
  if (isNoncommittal(answer)) return false
  const index = new ChunkIndex(splitSentences(answer))
  const parts = index.bestFor(question, SENTENCES_READ_MAX).map((at) => index.chunks[at] ?? '')
  if (answer.length <= READ_WHOLE_CHARS_MAX) parts.push(answer)
  const similarity = Math.max(0, ...parts.map((part) => similarityOf(question, part)))
  return similarity + TYPE_WEIGHT * typeFit(question, answer) >= RELEVANT_FROM
}
