import { JUDGED_SOURCE_CHARS_MAX, requireLength } from '../kit/judged/limits.ts'
import { AlignedSource } from '../kit/local/align-statement.ts'
import { clausesOf } from '../kit/local/clauses.ts'
import { isFiller, isNoncommittal } from '../kit/local/noncommittal.ts'
import { isSupported } from '../kit/local/support.ts'
import type { FaithfulnessInput } from './ask-judge.ts'

/** Aligns each clause of the answer with the context: a clause that is not found again, or is changed, is not faithful. */
export function looksFaithful({ completion, context, question }: FaithfulnessInput): boolean {
  requireLength({ completion, question })
  requireLength({ context }, JUDGED_SOURCE_CHARS_MAX)
  if (isNoncommittal(completion)) return true
  const source = new AlignedSource(context)
  return clausesOf(completion)
    .filter((clause) => !isFiller(clause))
    .every((clause) => {
      const alignment = source.align(clause)
      return alignment.missingNames === 0 && isSupported(alignment)
    })
}
