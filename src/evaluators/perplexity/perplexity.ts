import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { jsonArrayText, noConfig } from '../kit/fields.ts'

export const perplexity = defineEvaluator({
  slug: 'perplexity',
  summary: 'Compute the perplexity of a completion from its token log-probabilities.',
  method: 'exact',
  input: z.object({ logprobs: jsonArrayText('Natural logarithms of the token probabilities.') }),
  config: noConfig,
  output: z.object({
    perplexity_score: z
      .number()
      .min(0)
      .describe('Exponential of the negative mean log-probability; lower means more confident.'),
  }),
  defaultScope: 'span',
  fromSpan: { logprobs: 'logprobs' },
  examples: [
    {
      name: 'gives 1 to certain tokens',
      input: { logprobs: '[0, 0, 0]' },
      output: { perplexity_score: 1 },
    },
    {
      name: 'raises e to the negative mean',
      input: { logprobs: '[-0.5, -0.5]' },
      output: { perplexity_score: 1.6487212707001282 },
    },
  ],
})
