import * as z from 'zod'
import { TONES } from '../../domain/own-model.ts'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { noConfig, text, unitInterval } from '../kit/fields.ts'
import { atLeast, isOneOf, judgesBy } from '../kit/verdict-rule.ts'
import { meanLikelihoods } from '../local/ask-classifier.ts'
import { sharesOf } from '../local/ask-model.ts'
import { requireReadable } from '../local/text-windows.ts'

export const toneDetection = defineEvaluator({
  slug: 'tone-detection',
  summary: 'Name the dominant tone of a text.',
  method: 'detector',
  input: z.object({ text: text('Text to classify.') }),
  config: noConfig,
  output: z.object({
    tone: z.enum(TONES).describe('The dominant tone.'),
    score: unitInterval('Confidence in the tone.'),
  }),
  defaultScope: 'span',
  verdict: judgesBy(isOneOf('tone', 'joy', 'surprise', 'neutral'), {
    pass: 'Friendly or neutral tone',
    fail: 'Negative tone',
  }),
  guard: atLeast('score', 0.5),
  fromSpan: { text: 'completion' },
  examples: [
    {
      name: 'hears joy',
      input: { text: 'We won! I am so happy for all of you!' },
      output: { tone: 'joy', score: 0.9611 },
    },
    {
      name: 'calls a plain statement neutral',
      input: { text: 'The meeting is on Tuesday at ten.' },
      output: { tone: 'neutral', score: 0.965 },
    },
  ],
  evaluate: ({ input: { text: read } }) => {
    requireReadable({ text: read })
    return dominantTone(sharesOf(read, 'tone'))
  },
  evaluateWith: async ({ input: { text: read }, classifier }) => {
    requireReadable({ text: read })
    return dominantTone(await meanLikelihoods(classifier, read))
  },
})

function dominantTone(shares: readonly number[] | undefined) {
  // A text without a word has no feeling in it.
  if (!shares) return { tone: 'neutral' as const, score: 1 }
  const score = Math.max(...shares)
  const tone = TONES[shares.indexOf(score)]
  if (!tone) throw new Error('the model answers a tone that has no name')
  return { tone, score: Number(score.toFixed(4)) }
}
