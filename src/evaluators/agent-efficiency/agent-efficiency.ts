import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { jsonArrayText, noConfig, reason, unitInterval } from '../kit/fields.ts'

export const agentEfficiency = defineEvaluator({
  slug: 'agent-efficiency',
  summary: 'Score whether an agent finished its task and took no redundant steps.',
  method: 'judge',
  input: z.object({
    trajectory_prompts: jsonArrayText('What the agent was told, in order.'),
    trajectory_completions: jsonArrayText('What the agent answered, in order.'),
  }),
  config: noConfig,
  output: z.object({
    step_efficiency_score: unitInterval('How free of redundant steps the trajectory is; 1 means none.'),
    step_efficiency_reason: reason('Why the steps got this score.'),
    task_completion_score: unitInterval('How far the task is done; 1 means fully.'),
    task_completion_reason: reason('Why the completion got this score.'),
  }),
  defaultScope: 'trace',
  fromSpan: { trajectory_prompts: 'prompts', trajectory_completions: 'completions' },
  examples: [
    {
      name: 'marks down a search made twice',
      input: {
        trajectory_prompts: '["What is the weather in Oslo?", "Result: 4 °C, rain.", "Result: 4 °C, rain."]',
        trajectory_completions:
          '["Calling weather(Oslo).", "Calling weather(Oslo).", "It is 4 °C and raining in Oslo."]',
      },
      output: {
        step_efficiency_score: 0.5,
        step_efficiency_reason: 'The same weather call is made twice.',
        task_completion_score: 1,
        task_completion_reason: 'The weather in Oslo is given.',
      },
    },
  ],
})
