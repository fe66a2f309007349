import { AlignedSource } from '../local/align-statement.ts'
import { clausesOf } from '../local/clauses.ts'
import { isNoncommittal } from '../local/noncommittal.ts'
import { splitSentences } from '../local/sentences.ts'
import { isSupported } from '../local/support.ts'
import { type GoalInput, requireGoal } from './ask-judge.ts'

// A goal that is only announced, offered or asked about has not been reached.
const NOT_DONE =
  /\b(?:i|we)(?:['’]ll| will| shall|(?:['’]m| am|['’]re| are) going to| can| could| would| need| must| have to)\b|\?$|\b(?:unable|could not|couldn['’]t|cannot|can['’]t|failed)\b/i

/** The share of the reference's clauses that align with what the agent says it has done. */
export function estimateAccuracy(input: GoalInput): number {
  requireGoal(input)
  if (isNoncommittal(input.completion)) return 0
  const done = splitSentences(input.completion).filter((sentence) => !NOT_DONE.test(sentence))
  const source = new AlignedSource(done.join('\n'))
  const outcomes = clausesOf(input.reference)
  const reached = outcomes.filter((outcome) => isSupported(source.align(outcome)))
  return Number((reached.length / outcomes.length).toFixed(4))
}
