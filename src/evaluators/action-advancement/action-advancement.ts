import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { messageList, noConfig, reason } from '../kit/fields.ts'
import { isTrue, judgesBy } from '../kit/verdict-rule.ts'
import { readTurns } from '../trajectory/turns.ts'
import { advancesLocally, askWhetherAdvanced } from './advance.ts'

export const actionAdvancement = defineEvaluator({
  slug: 'action-advancement',
  summary: 'Check whether the assistant moves at least one goal of the user forward.',
  method: 'judge',
  input: z.object({ messages: messageList('The conversation, with role and content each.') }),
  config: noConfig,
  output: z.object({
    pass: z.boolean().describe('True when at least one goal of the user is moved forward.'),
    reason: reason(),
  }),
  defaultScope: 'trace',
  verdict: judgesBy(isTrue('pass'), { pass: 'Goal moved forward', fail: 'No progress' }),
  fromSpan: { messages: 'messages' },
  examples: [
    {
      name: 'passes an answer that settles the request',
      input: {
        messages:
          '[{"role": "user", "content": "Cancel my order 1042."}, {"role": "assistant", "content": "Order 1042 is cancelled."}]',
      },
      output: { pass: true, reason: 'Turn 2 answers turn 1.' },
    },
    {
      name: 'fails an answer that leads nowhere',
      input: {
        messages: [
          { role: 'user', content: 'Cancel my order 1042.' },
          { role: 'assistant', content: 'Orders are an interesting subject.' },
        ],
      },
      output: { pass: false, reason: 'No turn of the assistant has to do with what the user wants.' },
    },
  ],
  judging: {
    ask: async ({ input, judge }) => askWhetherAdvanced(readTurns(input.messages, 'messages'), judge),
    embedded: ({ input }) => advancesLocally(readTurns(input.messages, 'messages')),
  },
})
