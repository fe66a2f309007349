import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { noConfig, text, unitInterval } from '../kit/fields.ts'
import { atLeast, judgesBy } from '../kit/verdict-rule.ts'
import { askAboutCompleteness } from './ask-judge.ts'
import { estimateCompleteness } from './embedded-judge.ts'

export const answerCompleteness = defineEvaluator({
  slug: 'answer-completeness',
  summary: 'Score how fully an answer uses what the context offers.',
  method: 'judge',
  input: z.object({
    question: text('What the user asked.'),
    completion: text('The answer to score.'),
    context: text('What the answer could draw on.'),
  }),
  config: noConfig,
  output: z.object({
    answer_completeness_score: unitInterval(
      'How much of the relevant context the answer covers; 1 means all.',
    ),
  }),
  defaultScope: 'span',
  verdict: judgesBy(atLeast('answer_completeness_score', 0.5), { pass: 'Complete', fail: 'Incomplete' }),
  fromSpan: { question: 'prompt', completion: 'completion', context: 'context' },
  examples: [
    {
      name: 'marks down an answer that leaves half out',
      input: {
        question: 'When is the museum open?',
        completion: 'It is open from 10 to 17 on weekdays.',
        context: 'The museum is open from 10 to 17 on weekdays and from 11 to 16 at weekends.',
      },
      output: { answer_completeness_score: 0.5 },
    },
  ],
  judging: {
    ask: async ({ input, judge }) => ({
      answer_completeness_score: await askAboutCompleteness(judge, input),
    }),
    embedded: ({ input }) => ({ answer_completeness_score: estimateCompleteness(input) }),
  },
})
