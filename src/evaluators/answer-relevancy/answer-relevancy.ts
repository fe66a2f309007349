import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { noConfig, text } from '../kit/fields.ts'
import { isTrue, judgesBy } from '../kit/verdict-rule.ts'
import { askAboutRelevancy } from './ask-judge.ts'
import { looksRelevant } from './embedded-judge.ts'

export const answerRelevancy = defineEvaluator({
  slug: 'answer-relevancy',
  summary: 'Check whether an answer addresses the question.',
  method: 'judge',
  input: z.object({
    answer: text('The answer to check.'),
    question: text('What the user asked.'),
  }),
  config: noConfig,
  output: z.object({
    is_relevant: z
      .boolean()
      .describe(
        'True when the answer addresses the question, rightly or wrongly; false when it gives no answer.',
      ),
  }),
  defaultScope: 'span',
  verdict: judgesBy(isTrue('is_relevant'), { pass: 'Relevant', fail: 'Not relevant' }),
  fromSpan: { answer: 'completion', question: 'prompt' },
  examples: [
    {
      name: 'accepts an answer to the question',
      input: { answer: 'Oslo is the capital of Norway.', question: 'What is the capital of Norway?' },
      output: { is_relevant: true },
    },
    {
      name: 'rejects an answer to something else',
      input: { answer: 'The museum is closed on Mondays.', question: 'What is the capital of Norway?' },
      output: { is_relevant: false },
    },
  ],
  judging: {
    ask: async ({ input, judge }) => ({ is_relevant: await askAboutRelevancy(judge, input) }),
    embedded: ({ input }) => ({ is_relevant: looksRelevant(input) }),
    embeddedQuality: {
      balancedAccuracy: 0.826,
      measuredOn: 'second halves of ARES HotpotQA, NQ and WoW (298 rows)',
    },
  },
})
