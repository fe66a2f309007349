import * as z from 'zod'
import { countWords } from '../../lib/count-text.ts'
import { invalidInput } from '../../lib/public-error.ts'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { noConfig, text } from '../kit/fields.ts'
import { above, NEUTRAL } from '../kit/verdict-rule.ts'

export const wordCountRatio = defineEvaluator({
  slug: 'word-count-ratio',
  summary: 'Divide the number of words of one text by that of another.',
  method: 'exact',
  isCheap: true,
  input: z.object({
    numerator_text: text('Text whose words are divided.'),
    denominator_text: text('Text whose words divide.'),
  }),
  config: noConfig,
  output: z.object({
    word_ratio: z.number().min(0).describe('Words of the numerator for each one of the denominator.'),
  }),
  defaultScope: 'span',
  verdict: NEUTRAL,
  guard: above('word_ratio', 0),
  fromSpan: { numerator_text: 'completion', denominator_text: 'prompt' },
  examples: [
    {
      name: 'gives 1.5 to three words against two',
      input: { numerator_text: 'one two three', denominator_text: 'one two' },
      output: { word_ratio: 1.5 },
    },
    {
      name: 'gives 0 to an empty numerator',
      input: { numerator_text: '', denominator_text: 'one two' },
      output: { word_ratio: 0 },
    },
  ],
  evaluate({ input }) {
    const denominator = countWords(input.denominator_text)
    // There is no honest number for a division by zero.
    if (denominator === 0) throw invalidInput('input.denominator_text must contain at least one word')
    return { word_ratio: countWords(input.numerator_text) / denominator }
  },
})
