import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { noConfig, text } from '../kit/fields.ts'

export const promptPerplexity = defineEvaluator({
  slug: 'prompt-perplexity',
  summary: 'Measure how predictable a prompt is to a language model.',
  method: 'detector',
  input: z.object({ prompt: text('Prompt to measure.') }),
  config: noConfig,
  output: z.object({
    perplexity_score: z.number().min(0).describe('Perplexity of the prompt; lower means more predictable.'),
  }),
  defaultScope: 'span',
  fromSpan: { prompt: 'prompt' },
  examples: [
    {
      name: 'gives a low score to plain language',
      input: { prompt: 'What is the capital of Norway?' },
      output: { perplexity_score: 18.4 },
    },
  ],
})
