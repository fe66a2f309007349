import { AlignedSource } from '../local/align-statement.ts'
import { clausesOf } from '../local/clauses.ts'
import { similarityOf } from '../local/meaning.ts'
import { isNoncommittal } from '../local/noncommittal.ts'
import { isSupported } from '../local/support.ts'
import { isShortTruth } from './accepted-answers.ts'
import { type CorrectnessInput, requireTruth } from './ask-judge.ts'
import { matchShortTruth } from './match-short-truth.ts'
import { blend, statementF1 } from './statement-f1.ts'

/** The same two ways without a language model: words of a short truth, aligned clauses of a long one. */
export function estimateCorrectness(input: CorrectnessInput): number {
  requireTruth(input)
  const { question, completion, ground_truth: truth } = input
  if (completion.trim() === '') return 0
  if (isShortTruth(truth)) return Number(matchShortTruth(question, completion, truth).toFixed(4))
  const [given, wanted] = [new AlignedSource(completion), new AlignedSource(truth)]
  const clauses = isNoncommittal(completion) ? [] : clausesOf(completion)
  const f1 = statementF1(
    clauses.map((clause) => isSupported(wanted.align(clause))),
    clausesOf(truth).map((clause) => isSupported(given.align(clause))),
  )
  return blend(f1, similarityOf(completion, truth))
}
