import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { noConfig, text, unitInterval } from '../kit/fields.ts'
import { atLeast, judgesBy } from '../kit/verdict-rule.ts'
import { embedText } from '../local/text-model.ts'
import { requireReadable } from '../local/text-windows.ts'

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
  verdict: judgesBy(atLeast('similarity_score', 0.7), { pass: 'Similar meaning', fail: 'Different meaning' }),
  fromSpan: { completion: 'completion', reference: null },
  examples: [
    {
      name: 'gives a high score to a paraphrase',
      input: { completion: 'The cat sat on the mat.', reference: 'A cat was sitting on the mat.' },
      output: { similarity_score: 0.9305 },
    },
    {
      name: 'gives a low score to another subject',
      input: { completion: 'The cat sat on the mat.', reference: 'Interest rates rose in March.' },
      output: { similarity_score: 0.0361 },
    },
  ],
  evaluate: ({ input: { completion, reference } }) => {
    requireReadable({ completion, reference })
    const [left, right] = [embedText(completion), embedText(reference)]
    // Two texts without a word are alike; one of them and a text with words have nothing in common.
    if (!left || !right) return { similarity_score: left === right ? 1 : 0 }
    const cosine = left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0)
    return { similarity_score: Number(Math.min(1, Math.max(0, cosine)).toFixed(4)) }
  },
})
