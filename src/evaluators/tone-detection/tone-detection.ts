import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { noConfig, text, unitInterval } from '../kit/fields.ts'

export const toneDetection = defineEvaluator({
  slug: 'tone-detection',
  summary: 'Name the dominant tone of a text.',
  method: 'detector',
  input: z.object({ text: text('Text to classify.') }),
  config: noConfig,
  output: z.object({
    tone: z
      .enum(['joy', 'anger', 'sadness', 'fear', 'surprise', 'disgust', 'neutral'])
      .describe('The dominant tone.'),
    score: unitInterval('Confidence in the tone.'),
  }),
  defaultScope: 'span',
  fromSpan: { text: 'completion' },
  examples: [
    {
      name: 'hears joy',
      input: { text: 'We won! I am so happy for all of you!' },
      output: { tone: 'joy', score: 0.97 },
    },
    {
      name: 'calls a plain statement neutral',
      input: { text: 'The meeting is on Tuesday at ten.' },
      output: { tone: 'neutral', score: 0.91 },
    },
  ],
})
