import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { noConfig, text } from '../kit/fields.ts'

export const profanityDetector = defineEvaluator({
  slug: 'profanity-detector',
  summary: 'Detect profanity in a text.',
  method: 'detector',
  input: z.object({ text: text('Text to search.') }),
  config: noConfig,
  output: z.object({
    is_safe: z.boolean().describe('True when the text is clean, false when it has profanity.'),
  }),
  defaultScope: 'span',
  fromSpan: { text: 'completion' },
  examples: [
    {
      name: 'passes a polite text',
      input: { text: 'Thank you for your patience.' },
      output: { is_safe: true },
    },
    {
      name: 'flags a swear word',
      input: { text: 'What the hell is this crap?' },
      output: { is_safe: false },
    },
  ],
})
