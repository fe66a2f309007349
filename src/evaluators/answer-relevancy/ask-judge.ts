import type { Judge } from '../../ports/judge.ts'
import { judgeItems } from '../judged/judge-items.ts'
import { requireLength } from '../judged/limits.ts'
import { splitStatements } from '../judged/split-statements.ts'
import { isNoncommittal } from '../local/noncommittal.ts'

/** The texts that are checked. */
export interface RelevancyInput {
  readonly answer: string
  readonly question: string
}

/** An answer may say more than was asked, but most of it must have to do with the question. */
const OFF_TOPIC_SHARE_MAX = 0.5

const TASK = [
  'The items are the statements of an answer to the question. Decide for each what it does for the question. Whether it is true ' +
    'does not matter here.',
  'answers: it answers the question or a part of it, rightly or wrongly.',
  'helps: it does not answer by itself, but explains, qualifies or completes an answer to this question.',
  'evades: it says that there is no answer, or avoids one.',
  'off_topic: it has nothing to do with what was asked.',
].join('\n')

const STATEMENTS =
  'A statement is one thing that the sentence says. Greetings, thanks and offers of help are not statements; a remark that ' +
  'something is not known is one.'

/** Labels each statement; relevant when one answers the question and at most half of them are off the topic. */
export async function askAboutRelevancy(
  judge: Judge,
  { answer, question }: RelevancyInput,
): Promise<boolean> {
  requireLength({ answer, question })
  if (isNoncommittal(answer)) return false
  const material = [{ label: 'question', data: question }]
  const statements = await splitStatements(judge, {
    prompt: 'answer-relevancy/statements@1',
    text: answer,
    material,
    what: STATEMENTS,
  })
  const judged = await judgeItems(judge, {
    prompt: 'answer-relevancy/relevance@1',
    task: TASK,
    material,
    items: statements,
    verdicts: ['answers', 'helps', 'evades', 'off_topic'],
    evidence: {
      verdicts: ['answers'],
      source: (item) => item,
      otherwise: 'off_topic',
      about:
        'The words of the item that answer the question, copied letter by letter; empty when there are none.',
    },
  })
  judge.note('statements', judged)
  const offTopic = judged.filter(({ verdict }) => verdict === 'off_topic').length
  return (
    judged.some(({ verdict }) => verdict === 'answers') && offTopic <= judged.length * OFF_TOPIC_SHARE_MAX
  )
}
