import { invalidInput } from '../../lib/public-error.ts'
import type { Judge } from '../../ports/judge.ts'
import { judgeItems } from '../judged/judge-items.ts'
import { requireLength } from '../judged/limits.ts'
import { splitStatements } from '../judged/split-statements.ts'
import { verifyStatements } from '../judged/verify-statements.ts'
import { similarityOf } from '../local/meaning.ts'
import { isNoncommittal } from '../local/noncommittal.ts'
import { requireReadable } from '../local/text-windows.ts'
import { acceptedAnswers, isSameAnswer, isShortTruth } from './accepted-answers.ts'
import { blend, statementF1 } from './statement-f1.ts'

/** The texts that are compared. */
export interface CorrectnessInput {
  readonly question: string
  readonly completion: string
  readonly ground_truth: string
}

const SAME_ANSWER = [
  'For each item, an answer to the question, decide whether it gives one of the accepted answers.',
  'equivalent: it answers the question with an accepted answer, in whatever words: other names of the same thing, equal numbers ' +
    'in other units, the same date in another form or more exactly, more detail that is not wrong.',
  'different: what it answers is not an accepted answer, or it denies it, or it offers several answers that exclude each other.',
  'no_answer: it does not answer the question.',
].join('\n')

/** Refuses a truth that says nothing, with which no answer can be compared, and texts that are too long to compare. */
export function requireTruth({ question, completion, ground_truth }: CorrectnessInput): void {
  requireLength({ question })
  // Both are read whole for their similarity.
  requireReadable({ completion, ground_truth })
  if (ground_truth.trim() === '') throw invalidInput('input.ground_truth must not be empty')
}

/** Decides in code what is equal beyond dispute; a short truth is asked about as a whole, a long one statement by statement. */
export async function askAboutCorrectness(judge: Judge, input: CorrectnessInput): Promise<number> {
  requireTruth(input)
  const { completion, ground_truth: truth } = input
  if (acceptedAnswers(truth).some((accepted) => isSameAnswer(completion, accepted))) return 1
  if (completion.trim() === '') return 0
  return isShortTruth(truth) ? askShort(judge, input) : askLong(judge, input)
}

async function askShort(
  judge: Judge,
  { question, completion, ground_truth }: CorrectnessInput,
): Promise<number> {
  const [judged] = await judgeItems(judge, {
    prompt: 'answer-correctness/same-answer@1',
    task: SAME_ANSWER,
    material: [
      { label: 'question', data: question },
      { label: 'accepted answers', data: ground_truth },
    ],
    items: [completion],
    verdicts: ['equivalent', 'different', 'no_answer'],
    evidence: {
      verdicts: ['equivalent'],
      source: (item) => item,
      otherwise: 'different',
      about:
        'The words of the item that give the accepted answer, copied letter by letter; empty when there are none.',
    },
  })
  judge.note('comparison', judged)
  return judged?.verdict === 'equivalent' ? 1 : 0
}

async function askLong(
  judge: Judge,
  { question, completion, ground_truth: truth }: CorrectnessInput,
): Promise<number> {
  const material = [{ label: 'question', data: question }]
  const prompt = 'answer-correctness/statements@1'
  const [given, wanted] = await Promise.all([
    isNoncommittal(completion) ? [] : splitStatements(judge, { prompt, text: completion, material }),
    splitStatements(judge, { prompt, text: truth, material }),
  ])
  const verify = (statements: readonly string[], source: string) =>
    verifyStatements(judge, { prompt: 'answer-correctness/verify@1', statements, source, material })
  const [right, covered] = await Promise.all([verify(given, truth), verify(wanted, completion)])
  judge.note('statements of the answer', right)
  judge.note('statements of the truth', covered)
  const isSupported = ({ verdict }: { verdict: string }) => verdict === 'supported'
  const f1 = statementF1(right.map(isSupported), covered.map(isSupported))
  return blend(f1, similarityOf(completion, truth))
}
