import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { messageList, noConfig, reason } from '../kit/fields.ts'

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
  fromSpan: { messages: 'messages' },
  examples: [
    {
      name: 'passes an answer that settles the request',
      input: {
        messages:
          '[{"role": "user", "content": "Cancel my order 1042."}, {"role": "assistant", "content": "Order 1042 is cancelled."}]',
      },
      output: { pass: true, reason: 'The order is cancelled as asked.' },
    },
    {
      name: 'fails an answer that leads nowhere',
      input: {
        messages: [
          { role: 'user', content: 'Cancel my order 1042.' },
          { role: 'assistant', content: 'Orders are an interesting subject.' },
        ],
      },
      output: { pass: false, reason: 'The assistant neither acts on the order nor asks for what it needs.' },
    },
  ],
})
