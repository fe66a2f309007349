import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { jsonArrayText, noConfig, reason, unitInterval } from '../kit/fields.ts'
import { atLeast, judgesBy } from '../kit/verdict-rule.ts'
import { type GoalShare, judgeGoals, judgeGoalsLocally, readTrajectory } from '../trajectory/goal-share.ts'
import { judgeSteps, judgeStepsLocally, type StepEfficiency } from './judge-steps.ts'

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
  verdict: judgesBy(atLeast('task_completion_score', 0.5), {
    pass: 'Task completed',
    fail: 'Task not completed',
  }),
  fromSpan: { trajectory_prompts: 'prompts', trajectory_completions: 'completions' },
  examples: [
    {
      name: 'marks down a search made twice',
      input: {
        trajectory_prompts:
          '["What is the weather in Oslo?", {"role": "tool", "content": "4 °C, rain"}, {"role": "tool", "content": "4 °C, rain"}]',
        trajectory_completions:
          '["Calling weather(Oslo).", "Calling weather(Oslo).", "The weather in Oslo is rainy, at 4 °C."]',
      },
      output: {
        step_efficiency_score: 2 / 3,
        step_efficiency_reason:
          '1 of 3 steps redundant: repeat: turn 4 repeats turn 2: Calling weather(Oslo).',
        task_completion_score: 1,
        task_completion_reason: 'Fulfilled: What is the weather in Oslo?',
      },
    },
  ],
  judging: {
    ask: async ({ input, judge }) => {
      const turns = readTrajectory(input)
      const [completion, steps] = await Promise.all([
        judgeGoals(judge, 'agent-efficiency', turns),
        judgeSteps(turns, judge),
      ])
      return answerOf(steps, completion)
    },
    embedded: ({ input }) => {
      const turns = readTrajectory(input)
      return answerOf(judgeStepsLocally(turns), judgeGoalsLocally(turns))
    },
  },
})

function answerOf(steps: StepEfficiency, completion: GoalShare) {
  return {
    step_efficiency_score: steps.score,
    step_efficiency_reason: steps.reason,
    task_completion_score: completion.score,
    task_completion_reason: completion.reason,
  }
}
