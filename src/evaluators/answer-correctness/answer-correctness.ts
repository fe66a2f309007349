import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { noConfig, text, unitInterval } from '../kit/fields.ts'
import { atLeast, judgesBy } from '../kit/verdict-rule.ts'
import { askAboutCorrectness } from './ask-judge.ts'
import { estimateCorrectness } from './embedded-judge.ts'

export const answerCorrectness = defineEvaluator({
  slug: 'answer-correctness',
  summary: 'Score how well an answer agrees with a known correct one.',
  method: 'judge',
  input: z.object({
    question: text('What the user asked.'),
    completion: text('The answer to score.'),
    ground_truth: text(
      'The correct answer, or alternatives separated by "or", semicolons, vertical bars or line breaks; an answer that gives one of them is correct.',
    ),
  }),
  config: noConfig,
  output: z.object({
    correctness_score: unitInterval(
      'How correct the answer is; 1 means fully. A truth of a few words is compared as a whole; for a longer one it is 0.75 of the F1 of statements and 0.25 of the similarity in meaning.',
    ),
  }),
  defaultScope: 'span',
  verdict: judgesBy(atLeast('correctness_score', 0.5), { pass: 'Correct', fail: 'Incorrect' }),
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
  judging: {
    ask: async ({ input, judge }) => ({ correctness_score: await askAboutCorrectness(judge, input) }),
    embedded: ({ input }) => ({ correctness_score: estimateCorrectness(input) }),
    embeddedQuality: {
      balancedAccuracy: 0.924,
      measuredOn: 'second half of EVOUNA-NQ (1496 rows)',
    },
  },
})
