import * as z from 'zod'
import { invalidInput } from '../../lib/public-error.ts'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { noConfig, text, unitInterval } from '../kit/fields.ts'
import { below, judgesBy } from '../kit/verdict-rule.ts'
import { measureUncertainty } from './measure-uncertainty.ts'

export const uncertaintyDetector = defineEvaluator({
  slug: 'uncertainty-detector',
  summary: 'Answer a prompt and measure how unsure the answer is.',
  method: 'judge',
  input: z.object({ prompt: text('Prompt to answer.') }),
  config: noConfig,
  output: z.object({
    answer: z.string().describe('The answer that was generated.'),
    uncertainty: unitInterval('How unsure the answer is: 1 minus the probability of its least likely token.'),
  }),
  defaultScope: 'span',
  verdict: judgesBy(below('uncertainty', 0.5), { pass: 'Sure answer', fail: 'Unsure answer' }),
  fromSpan: { prompt: 'prompt' },
  examples: [
    {
      name: 'is sure of a well-known fact',
      input: { prompt: 'What is the capital of Norway?' },
      output: { answer: 'Oslo', uncertainty: 0.02 },
    },
    {
      name: 'is unsure of what nobody can know',
      input: { prompt: 'Which number am I thinking of?' },
      output: { answer: 'Perhaps 7.', uncertainty: 0.88 },
    },
  ],
  // Nothing sensible can be said without a model that answers, so there is no embedded judge.
  judging: {
    ask: async ({ input, judge }) => {
      if (input.prompt.trim() === '') throw invalidInput('input.prompt must not be empty')
      const generated = await judge.generate(input.prompt)
      const uncertainty = measureUncertainty(generated)
      judge.note('tokens', generated.logprobs.length)
      return { answer: generated.text, uncertainty }
    },
  },
})
