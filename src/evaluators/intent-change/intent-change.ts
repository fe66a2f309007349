import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { jsonArrayText, noConfig, reason } from '../kit/fields.ts'
import { isTrue, judgesBy } from '../kit/verdict-rule.ts'
import { readExchanges } from '../trajectory/turns.ts'
import { judgeIntent } from './judge-intent.ts'
import { keepsIntentLocally } from './local-intent.ts'

export const intentChange = defineEvaluator({
  slug: 'intent-change',
  summary: 'Check whether a conversation keeps to its original intent.',
  method: 'judge',
  input: z.object({
    prompts: jsonArrayText('What the user said, in order.'),
    completions: jsonArrayText('What the assistant answered, in order.'),
  }),
  config: noConfig,
  output: z.object({
    success: z.boolean().describe('True when the intent stayed the same.'),
    score: z.int().min(0).max(1).describe('1 when the intent stayed the same, 0 when it changed.'),
    reason: reason(),
  }),
  defaultScope: 'trace',
  verdict: judgesBy(isTrue('success'), { pass: 'Same intent', fail: 'Intent changed' }),
  fromSpan: { prompts: 'prompts', completions: 'completions' },
  examples: [
    {
      name: 'passes a conversation with one intent',
      input: {
        prompts: '["I want to fly to Oslo.", "On Friday, please."]',
        completions: '["When do you want to leave?", "There is a flight on Friday at 9:40."]',
      },
      output: {
        success: true,
        score: 1,
        reason: 'The later turns of the user have to do with what was said before.',
      },
    },
    {
      name: 'fails a conversation that turns elsewhere',
      input: {
        prompts: '["I want to fly to Oslo.", "Write me a poem about cats."]',
        completions: '["When do you want to leave?", "Soft paws upon the windowsill."]',
      },
      output: {
        success: false,
        score: 0,
        reason: 'Turn 3 has little to do with what was said before: Write me a poem about cats.',
      },
    },
  ],
  judging: {
    ask: async ({ input, judge }) => judgeIntent(readExchanges(input.prompts, input.completions), judge),
    embedded: ({ input }) => keepsIntentLocally(readExchanges(input.prompts, input.completions)),
    embeddedQuality: { balancedAccuracy: 0.732, measuredOn: 'second half of TIAGE small talk (459 rows)' },
  },
})
