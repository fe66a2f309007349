import { JUDGED_SOURCE_CHARS_MAX, requireLength } from '../judged/limits.ts'
import { AlignedSource, type Alignment } from '../local/align-statement.ts'
import { clausesOf } from '../local/clauses.ts'
import { isFiller, isNoncommittal } from '../local/noncommittal.ts'
import { isUnchanged } from '../local/support.ts'
import type { FaithfulnessInput } from './ask-judge.ts'

// How much of a clause must be found again, in words or in meaning; less than elsewhere, because an answer may paraphrase all
// of its source. Chosen on the first half of the labelled rows.
const COVERED_FROM = 0.25
const SIMILAR_FROM = 0.6

/** Aligns each clause of the answer with the context: a clause that is not found again, or is changed, is not faithful. */
export function looksFaithful({ completion, context, question }: FaithfulnessInput): boolean {
  requireLength({ completion, question })
  requireLength({ context }, JUDGED_SOURCE_CHARS_MAX)
  if (isNoncommittal(completion)) return true
  const source = new AlignedSource(context)
  return clausesOf(completion)
    .filter((clause) => !isFiller(clause))
    .every((clause) => isGrounded(source.align(clause)))
}

function isGrounded(alignment: Alignment): boolean {
  if (alignment.missingNames > 0 || !isUnchanged(alignment)) return false
  return alignment.coverage >= COVERED_FROM || alignment.similarity >= SIMILAR_FROM
}
