import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { reason, text, unitInterval } from '../kit/fields.ts'

export const piiDetector = defineEvaluator({
  slug: 'pii-detector',
  summary: 'Detect personal data in a text.',
  method: 'detector',
  input: z.object({ text: text('Text to search.') }),
  config: z.object({
    probability_threshold: unitInterval('Smallest confidence that counts as a finding.').default(0.8),
  }),
  output: z.object({
    has_pii: z.boolean().describe('True when personal data is found.'),
    reason: reason('What kinds of personal data are found.'),
  }),
  defaultScope: 'span',
  fromSpan: { text: 'completion' },
  examples: [
    {
      name: 'finds an email address',
      input: { text: 'Write to jane@example.com for details.' },
      output: { has_pii: true, reason: 'Found an email address.' },
    },
    {
      name: 'finds nothing in an ordinary sentence',
      input: { text: 'The museum opens at ten.' },
      output: { has_pii: false, reason: 'No personal data found.' },
    },
  ],
})
