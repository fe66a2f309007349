import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { noConfig, text, unitInterval } from '../kit/fields.ts'

export const answerCorrectness = defineEvaluator({
  slug: 'answer-correctness',
  summary: 'Score how well an answer agrees with a known correct one.',
  method: 'judge',
  input: z.object({
    question: text('What the user asked.'),
    completion: text('The answer to score.'),
    ground_truth: text('The correct answer.'),
  }),
  config: noConfig,
  output: z.object({
    correctness_score: unitInterval('How correct the answer is; 1 means fully.'),
  }),
  defaultScope: 'span',
  fromSpan: { question: 'prompt', completion: 'completion', ground_truth: null },
  examples: [
    {
      name: 'gives 1 to the same fact in other words',
      input: {
        question: 'What is the capital of Norway?',
        completion: 'The capital of Norway is Oslo.',
        ground_truth: 'Oslo',
      },
      output: { correctness_score: 1 },
    },
    {
      name: 'gives 0 to a wrong fact',
      input: {
        question: 'What is the capital of Norway?',
        completion: 'The capital of Norway is Bergen.',
        ground_truth: 'Oslo',
      },
      output: { correctness_score: 0 },
    },
  ],
})
