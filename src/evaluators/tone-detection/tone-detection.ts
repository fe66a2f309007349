import * as z from 'zod'
import { sharesOf } from '../kit/ask-model.ts'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { noConfig, text, unitInterval } from '../kit/fields.ts'
import { requireReadable } from '../kit/text-windows.ts'

// In the order of the model's answers.
const TONES = ['joy', 'anger', 'sadness', 'fear', 'surprise', 'disgust', 'neutral'] as const

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
  fromSpan: { text: 'completion' },
  examples: [
    {
      name: 'hears joy',
      input: { text: 'We won! I am so happy for all of you!' },
      output: { tone: 'joy', score: 0.9637 },
    },
    {
      name: 'calls a plain statement neutral',
      input: { text: 'The meeting is on Tuesday at ten.' },
      output: { tone: 'neutral', score: 0.9746 },
    },
  ],
  evaluate: ({ input: { text: read } }) => {
    requireReadable({ text: read })
    const shares = sharesOf(read, 'tone')
    // A text without a word has no feeling in it.
    if (!shares) return { tone: 'neutral' as const, score: 1 }
    const score = Math.max(...shares)
    const tone = TONES[shares.indexOf(score)]
    if (!tone) throw new Error('the model answers a tone that has no name')
    return { tone, score: Number(score.toFixed(4)) }
  },
})
