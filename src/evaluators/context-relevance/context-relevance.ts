import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { text, unitInterval } from '../kit/fields.ts'

export const contextRelevance = defineEvaluator({
  slug: 'context-relevance',
  summary: 'Score how much of a retrieved context is relevant to the query.',
  method: 'judge',
  input: z.object({
    query: text('What the user asked.'),
    completion: text('What was answered.'),
    context: text('What was retrieved for the query.'),
  }),
  config: z.object({
    model: z.string().min(1).optional().describe('Model that judges; the service chooses one when absent.'),
  }),
  output: z.object({
    relevance_score: unitInterval('Share of the statements in the context that are relevant.'),
  }),
  defaultScope: 'span',
  fromSpan: { query: 'prompt', completion: 'completion', context: 'context' },
  examples: [
    {
      name: 'gives 0.5 when one of two statements is relevant',
      input: {
        query: 'When is the museum open?',
        completion: 'It is open from 10 to 17.',
        context: 'The museum is open from 10 to 17. Its café serves waffles.',
      },
      output: { relevance_score: 0.5 },
    },
  ],
})
