import * as z from 'zod'
import { countWords } from '../../lib/count-text.ts'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { noConfig, text } from '../kit/fields.ts'
import { above, NEUTRAL } from '../kit/verdict-rule.ts'

export const wordCount = defineEvaluator({
  slug: 'word-count',
  summary: 'Count the words of a text.',
  method: 'exact',
  isCheap: true,
  input: z.object({ text: text('Text to count.') }),
  config: noConfig,
  output: z.object({ word_count: z.int().min(0).describe('Number of words separated by whitespace.') }),
  defaultScope: 'span',
  verdict: NEUTRAL,
  guard: above('word_count', 0),
  fromSpan: { text: 'completion' },
  examples: [
    {
      name: 'takes a run of whitespace as one separator',
      input: { text: '  Hello,  brave\nnew world ' },
      output: { word_count: 4 },
    },
    { name: 'finds no words in an empty text', input: { text: '' }, output: { word_count: 0 } },
  ],
  evaluate: ({ input }) => ({ word_count: countWords(input.text) }),
})
