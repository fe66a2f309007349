import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { jsonArrayText, noConfig, unitInterval } from '../kit/fields.ts'
import { atLeast, judgesBy } from '../kit/verdict-rule.ts'
import { readExchanges } from '../trajectory/turns.ts'
import { judgeConversation } from './judge-conversation.ts'
import { judgeConversationLocally } from './local-quality.ts'

export const conversationQuality = defineEvaluator({
  slug: 'conversation-quality',
  summary: 'Score a conversation by relevance, completeness and memory.',
  method: 'judge',
  input: z.object({
    prompts: jsonArrayText('What the user said, in order.'),
    completions: jsonArrayText('What the assistant answered, in order.'),
  }),
  config: noConfig,
  output: z.object({
    conversation_quality_score: unitInterval(
      'Relevance of the turns (40 %), completeness (40 %) and retained knowledge (20 %) together.',
    ),
  }),
  defaultScope: 'trace',
  verdict: judgesBy(atLeast('conversation_quality_score', 0.5), {
    pass: 'Good conversation',
    fail: 'Poor conversation',
  }),
  fromSpan: { prompts: 'prompts', completions: 'completions' },
  examples: [
    {
      name: 'gives 1 to answers that stay on the subject and remember it',
      input: {
        prompts: '["I am allergic to nuts. Suggest a dessert.", "Another one, please."]',
        completions: '["How about panna cotta?", "Then a lemon sorbet; it has no nuts either."]',
      },
      output: { conversation_quality_score: 1 },
    },
    {
      name: 'takes off for a forgotten fact',
      input: {
        prompts: '["I am allergic to nuts. Suggest a dessert.", "Another one, please."]',
        completions: '["How about panna cotta?", "Sure. Do you have any allergies?"]',
      },
      output: { conversation_quality_score: 0.6 },
    },
  ],
  judging: {
    ask: async ({ input, judge }) => ({
      conversation_quality_score: await judgeConversation(
        readExchanges(input.prompts, input.completions),
        judge,
      ),
    }),
    embedded: ({ input }) => ({
      conversation_quality_score: judgeConversationLocally(readExchanges(input.prompts, input.completions)),
    }),
  },
})
