import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { noConfig, text, unitInterval } from '../kit/fields.ts'
import { atLeast, judgesBy } from '../kit/verdict-rule.ts'
import { askAboutTopics } from './ask-judge.ts'
import { estimateAdherence } from './embedded-judge.ts'

export const topicAdherence = defineEvaluator({
  slug: 'topic-adherence',
  summary: 'Score how well an answer keeps to the topics you allow.',
  method: 'judge',
  input: z.object({
    question: text('What the user asked.'),
    completion: text('The answer to score.'),
    reference_topics: text('Topics that the answer should keep to, separated by commas.'),
  }),
  config: noConfig,
  output: z.object({
    adherence_score: unitInterval('How well the answer keeps to the topics; 1 means fully.'),
  }),
  defaultScope: 'span',
  verdict: judgesBy(atLeast('adherence_score', 0.5), { pass: 'On topic', fail: 'Off topic' }),
  fromSpan: { question: 'prompt', completion: 'completion', reference_topics: null },
  examples: [
    {
      name: 'gives 1 to an answer within the topics',
      input: {
        question: 'How do I return a parcel?',
        completion: 'Print the return label and hand the parcel in at any post office.',
        reference_topics: 'shipping, returns, refunds',
      },
      output: { adherence_score: 1 },
    },
    {
      name: 'gives 0 to an answer outside the topics',
      input: {
        question: 'Who will win the match tonight?',
        completion: 'The home team will win.',
        reference_topics: 'shipping, returns, refunds',
      },
      output: { adherence_score: 0 },
    },
  ],
  judging: {
    ask: async ({ input, judge }) => ({ adherence_score: await askAboutTopics(judge, input) }),
    embedded: ({ input }) => ({ adherence_score: estimateAdherence(input) }),
  },
})
