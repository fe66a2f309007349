import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { jsonArrayText, reason, unitInterval } from '../kit/fields.ts'
import { isTrue, judgesBy } from '../kit/verdict-rule.ts'
import { readTrajectory } from '../trajectory/goal-share.ts'
import { judgeConditions, judgeConditionsLocally } from './judge-conditions.ts'

export const agentFlowQuality = defineEvaluator({
  slug: 'agent-flow-quality',
  summary: 'Check which of your conditions the trajectory of an agent meets.',
  method: 'judge',
  input: z.object({
    trajectory_prompts: jsonArrayText('What the agent was told, in order.'),
    trajectory_completions: jsonArrayText('What the agent answered, in order.'),
  }),
  config: z.object({
    conditions: z.array(z.string().min(1)).min(1).describe('Statements that the trajectory should meet.'),
    threshold: unitInterval('Smallest share of met conditions that counts as success.'),
  }),
  output: z.object({
    success: z.boolean().describe('True when the score reaches the threshold.'),
    score: unitInterval('Share of the conditions that are met.'),
    reason: reason(),
  }),
  defaultScope: 'trace',
  verdict: judgesBy(isTrue('success'), { pass: 'Conditions met', fail: 'Conditions not met' }, 'score'),
  fromSpan: { trajectory_prompts: 'prompts', trajectory_completions: 'completions' },
  examples: [
    {
      name: 'passes when every condition is met',
      input: {
        trajectory_prompts: '["Find me a flight to Oslo on Friday."]',
        trajectory_completions: '["I found two flights. Shall I book the one at 9:40?"]',
      },
      config: { conditions: ['The agent asks before it books.'], threshold: 1 },
      output: { success: true, score: 1, reason: 'The agent asks before it books: met.' },
    },
  ],
  judging: {
    ask: async ({ input, config, judge }) => {
      const share = await judgeConditions(readTrajectory(input), config.conditions, judge)
      return { ...share, success: share.score >= config.threshold }
    },
    embedded: ({ input, config }) => {
      const share = judgeConditionsLocally(readTrajectory(input), config.conditions)
      return { ...share, success: share.score >= config.threshold }
    },
  },
})
