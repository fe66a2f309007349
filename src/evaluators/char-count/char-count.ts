import * as z from 'zod'
import { countCodePoints } from '../../lib/count-text.ts'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { noConfig, text } from '../kit/fields.ts'
import { above, NEUTRAL } from '../kit/verdict-rule.ts'

export const charCount = defineEvaluator({
  slug: 'char-count',
  summary: 'Count the characters of a text.',
  method: 'exact',
  isCheap: true,
  input: z.object({ text: text('Text to count.') }),
  config: noConfig,
  output: z.object({ char_count: z.int().min(0).describe('Number of Unicode code points.') }),
  defaultScope: 'span',
  verdict: NEUTRAL,
  guard: above('char_count', 0),
  fromSpan: { text: 'completion' },
  examples: [{ name: 'counts an emoji as one', input: { text: 'hi 👋' }, output: { char_count: 4 } }],
  evaluate: ({ input }) => ({ char_count: countCodePoints(input.text) }),
})
