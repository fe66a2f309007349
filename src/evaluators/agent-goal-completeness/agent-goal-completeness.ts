import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { jsonArrayText, reason, unitInterval } from '../kit/fields.ts'
import { isTrue, judgesBy } from '../kit/verdict-rule.ts'
import { judgeGoals, judgeGoalsLocally, readTrajectory } from '../trajectory/goal-share.ts'

export const agentGoalCompleteness = defineEvaluator({
  slug: 'agent-goal-completeness',
  summary: 'Check how many of the goals of the user an agent fulfils over a conversation.',
  method: 'judge',
  input: z.object({
    trajectory_prompts: jsonArrayText('What the user asked, in order.'),
    trajectory_completions: jsonArrayText('What the agent answered, in order.'),
  }),
  config: z.object({
    threshold: unitInterval('Smallest share of fulfilled goals that counts as success.'),
  }),
  output: z.object({
    success: z.boolean().describe('True when the score reaches the threshold.'),
    score: unitInterval('Share of the goals of the user that are fulfilled.'),
    reason: reason(),
  }),
  defaultScope: 'trace',
  verdict: judgesBy(isTrue('success'), { pass: 'Goals fulfilled', fail: 'Goals left open' }, 'score'),
  fromSpan: { trajectory_prompts: 'prompts', trajectory_completions: 'completions' },
  examples: [
    {
      name: 'fails when one of two goals stays open',
      input: {
        trajectory_prompts: '["Cancel my order 1042.", "And send me the invoice of order 1040."]',
        trajectory_completions: '["Order 1042 is cancelled.", "I cannot find invoices here."]',
      },
      config: { threshold: 0.8 },
      output: {
        success: false,
        score: 0.5,
        reason: 'Fulfilled: Cancel my order 1042. Open: And send me the invoice of order 1040.',
      },
    },
  ],
  judging: {
    ask: async ({ input, config, judge }) => {
      const share = await judgeGoals(judge, 'agent-goal-completeness', readTrajectory(input))
      return { ...share, success: share.score >= config.threshold }
    },
    embedded: ({ input, config }) => {
      const share = judgeGoalsLocally(readTrajectory(input))
      return { ...share, success: share.score >= config.threshold }
    },
  },
})
