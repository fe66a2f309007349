import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { noConfig, text, unitInterval } from '../kit/fields.ts'
import { atLeast, judgesBy } from '../kit/verdict-rule.ts'
import { askAboutGoal } from './ask-judge.ts'
import { estimateAccuracy } from './embedded-judge.ts'

export const agentGoalAccuracy = defineEvaluator({
  slug: 'agent-goal-accuracy',
  summary: 'Score whether an agent reached the goal that a reference describes.',
  method: 'judge',
  input: z.object({
    question: text('What the user asked of the agent.'),
    completion: text('What the agent answered.'),
    reference: text('The outcome that the agent should reach.'),
  }),
  config: noConfig,
  output: z.object({
    accuracy_score: unitInterval(
      'How well the outcome agrees with the reference; 1 means the goal is reached.',
    ),
  }),
  defaultScope: 'trace',
  verdict: judgesBy(atLeast('accuracy_score', 0.5), { pass: 'Goal reached', fail: 'Goal not reached' }),
  fromSpan: { question: 'prompt', completion: 'completion', reference: null },
  examples: [
    {
      name: 'gives 1 when the goal is reached',
      input: {
        question: 'Book a table for two at an Italian restaurant tonight.',
        completion: 'Done: a table for two at Trattoria Roma, tonight at 19:30.',
        reference: 'A table for two is booked at an Italian restaurant for tonight.',
      },
      output: { accuracy_score: 1 },
    },
    {
      name: 'gives 0 when the agent only promises to act',
      input: {
        question: 'Book a table for two at an Italian restaurant tonight.',
        completion: 'I will look into it tomorrow.',
        reference: 'A table for two is booked at an Italian restaurant for tonight.',
      },
      output: { accuracy_score: 0 },
    },
  ],
  judging: {
    ask: async ({ input, judge }) => ({ accuracy_score: await askAboutGoal(judge, input) }),
    embedded: ({ input }) => ({ accuracy_score: estimateAccuracy(input) }),
  },
})
