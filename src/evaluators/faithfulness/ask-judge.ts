import type { Judge } from '../../ports/judge.ts'
import { JUDGED_SOURCE_CHARS_MAX, requireLength } from '../judged/limits.ts'
import { splitStatements } from '../judged/split-statements.ts'
import { verifyStatements } from '../judged/verify-statements.ts'
import { isNoncommittal } from '../local/noncommittal.ts'

/** The texts that are checked. */
export interface FaithfulnessInput {
  readonly completion: string
  readonly context: string
  readonly question: string
}

const CLAIMS =
  'A statement is one claim of substance: a fact, number, name, cause or judgement that the sentence asserts. Greetings, ' +
  'thanks, offers of help, questions, and remarks about what the writer does not know or cannot find are not statements.'

/** Takes the answer apart into claims and looks each up in the context; faithful when none of them fails. */
export async function askAboutFaithfulness(
  judge: Judge,
  { completion, context, question }: FaithfulnessInput,
): Promise<boolean> {
  requireLength({ completion, question })
  requireLength({ context }, JUDGED_SOURCE_CHARS_MAX)
  // An answer that says nothing, or only "I do not know", claims nothing that the context would have to support.
  if (isNoncommittal(completion)) return true
  const claims = await splitStatements(judge, {
    prompt: 'faithfulness/claims@1',
    text: completion,
    material: [{ label: 'question', data: question }],
    what: CLAIMS,
  })
  const judged = await verifyStatements(judge, {
    prompt: 'faithfulness/verify@1',
    statements: claims,
    source: context,
    sourceLabel: 'context',
    material: [{ label: 'question', data: question }],
  })
  judge.note('claims', judged)
  return judged.every(({ verdict }) => verdict === 'supported')
}
