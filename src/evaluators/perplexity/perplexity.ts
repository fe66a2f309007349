import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { noConfig, text } from '../kit/fields.ts'
import { atMost, judgesBy } from '../kit/verdict-rule.ts'
import { readTokenLogprobs } from './token-logprobs.ts'

/**
 * The smallest log-probability that is told apart from impossible. Providers write -9999, -1e9 or minus infinity for a
 * token they would never choose; one of these must not decide the mean alone, and the result has to stay finite.
 */
const LOGPROB_MIN = -100

export const perplexity = defineEvaluator({
  slug: 'perplexity',
  summary: 'Compute the perplexity of a completion from its token log-probabilities.',
  method: 'exact',
  isCheap: true,
  input: z.object({
    logprobs: text(
      'Natural logarithms of the token probabilities: JSON text of an array of numbers or of objects with `logprob`, ' +
        `or of an object that holds one under \`content\`. Values below ${LOGPROB_MIN} count as ${LOGPROB_MIN}.`,
    ),
  }),
  config: noConfig,
  output: z.object({
    perplexity_score: z
      .number()
      .min(0)
      .describe('Exponential of the negative mean log-probability; lower means more confident.'),
  }),
  defaultScope: 'span',
  verdict: judgesBy(atMost('perplexity_score', 10), {
    pass: 'Predictable wording',
    fail: 'Unpredictable wording',
  }),
  // A model that is on average less sure than one in ten of each token is guessing.
  fromSpan: { logprobs: 'logprobs' },
  examples: [
    { name: 'gives 1 to certain tokens', input: { logprobs: '[0, 0, 0]' }, output: { perplexity_score: 1 } },
    {
      name: 'raises e to the negative mean',
      input: { logprobs: '[-0.5, -0.5]' },
      output: { perplexity_score: 1.6487212707001282 },
    },
    {
      name: 'reads the log-probabilities of a chat completion',
      input: {
        logprobs: '{"content": [{"token": "Hi", "logprob": -0.25}, {"token": "!", "logprob": -0.75}]}',
      },
      output: { perplexity_score: 1.6487212707001282 },
    },
  ],
  evaluate({ input }) {
    const logprobs = readTokenLogprobs(input.logprobs)
    const sum = logprobs.reduce((total, logprob) => total + Math.max(logprob, LOGPROB_MIN), 0)
    return { perplexity_score: Math.exp(-sum / logprobs.length) }
  },
})
