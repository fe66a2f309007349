import * as z from 'zod'
import { countCodePoints } from '../../lib/count-text.ts'
import { invalidInput } from '../../lib/public-error.ts'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { noConfig, text } from '../kit/fields.ts'
import { above, NEUTRAL } from '../kit/verdict-rule.ts'

export const charCountRatio = defineEvaluator({
  slug: 'char-count-ratio',
  summary: 'Divide the number of characters of one text by that of another.',
  method: 'exact',
  isCheap: true,
  input: z.object({
    numerator_text: text('Text whose length is divided.'),
    denominator_text: text('Text whose length divides.'),
  }),
  config: noConfig,
  output: z.object({
    char_ratio: z.number().min(0).describe('Code points of the numerator for each one of the denominator.'),
  }),
  defaultScope: 'span',
  verdict: NEUTRAL,
  guard: above('char_ratio', 0),
  fromSpan: { numerator_text: 'completion', denominator_text: 'prompt' },
  examples: [
    {
      name: 'gives 0.5 to a text half as long',
      input: { numerator_text: 'four', denominator_text: 'fourfour' },
      output: { char_ratio: 0.5 },
    },
    {
      name: 'counts an emoji as one',
      input: { numerator_text: 'hi 👋', denominator_text: 'hi' },
      output: { char_ratio: 2 },
    },
    {
      name: 'gives 0 to an empty numerator',
      input: { numerator_text: '', denominator_text: 'four' },
      output: { char_ratio: 0 },
    },
  ],
  evaluate({ input }) {
    const denominator = countCodePoints(input.denominator_text)
    // There is no honest number for a division by zero.
    if (denominator === 0) throw invalidInput('input.denominator_text must not be empty')
    return { char_ratio: countCodePoints(input.numerator_text) / denominator }
  },
})
