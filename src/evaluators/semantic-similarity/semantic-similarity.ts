import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { noConfig, text, unitInterval } from '../kit/fields.ts'

export const semanticSimilarity = defineEvaluator({
  slug: 'semantic-similarity',
  summary: 'Score how close in meaning an answer is to a reference.',
  method: 'detector',
  input: z.object({
    completion: text('The answer to compare.'),
    reference: text('The text to compare it with.'),
  }),
  config: noConfig,
  output: z.object({ similarity_score: unitInterval('How close the meanings are; 1 means the same.') }),
  defaultScope: 'span',
  fromSpan: { completion: 'completion', reference: null },
  examples: [
    {
      name: 'gives a high score to a paraphrase',
      input: { completion: 'The cat sat on the mat.', reference: 'A cat was sitting on the mat.' },
      output: { similarity_score: 0.93 },
    },
    {
      name: 'gives a low score to another subject',
      input: { completion: 'The cat sat on the mat.', reference: 'Interest rates rose in March.' },
      output: { similarity_score: 0.05 },
    },
  ],
})
