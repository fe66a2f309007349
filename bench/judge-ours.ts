import { call } from '../tests/support/call.ts'
import { type Contestant, EXPECTED, type JudgeOutcome, MODEL, QUESTION } from './judge-contestant.ts'

/** The slug of the evaluator that asks for a score, as a user would write one. */
export const SCORE_SLUG = 'correctness'

/** That evaluator as it is sent. */
export const SCORE_EVALUATOR = {
  name: 'Correctness',
  slug: SCORE_SLUG,
  provider: 'openai',
  model: MODEL,
  messages: [
    { role: 'system', content: 'You compare an answer to a question with the expected answer.' },
    {
      role: 'user',
      content:
        'Question: {{question}}\nExpected: {{expected}}\nAnswer: {{answer}}\nHow right is it, from 0 to 1?',
    },
  ],
  input_schema: ['question', 'expected', 'answer'].map((name) => ({ name, type: 'string' })),
  output_schema: [
    { name: 'reason', type: 'string' },
    { name: 'score', type: 'float', description: 'How right it is.', minimum: 0, maximum: 1 },
  ],
}

/** Our judges, asked over HTTP at a running service: one that is built in, and one as users make them. */
export async function prepareOurs(url: string): Promise<Contestant[]> {
  const made = await call(url, 'POST', '/v2/evaluators', { body: SCORE_EVALUATOR })
  if (made.status !== 200) throw new Error(`the evaluator could not be made: ${made.text}`)
  return [
    {
      name: 'relevancy',
      title: 'ours, answer-relevancy',
      judge: (answer) => execute(url, 'answer-relevancy', { answer, question: QUESTION }, 'is_relevant'),
    },
    {
      name: 'score',
      title: 'ours, custom evaluator with a score',
      judge: (answer) => execute(url, SCORE_SLUG, scoreInput(answer), 'score'),
    },
  ]
}

/** The input of the evaluator that gives a score. */
export function scoreInput(answer: string): Record<string, string> {
  return { question: QUESTION, expected: EXPECTED, answer }
}

async function execute(url: string, slug: string, input: object, field: string): Promise<JudgeOutcome> {
  const answer = await call(url, 'POST', `/v2/evaluators/${slug}/execute`, { body: { input } })
  if (answer.status !== 200) return { abstained: String(answer.status) }
  return { score: Number(answer.json[field]) }
}
