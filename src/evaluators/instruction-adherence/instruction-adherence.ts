import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { noConfig, text, unitInterval } from '../kit/fields.ts'
import { atLeast, judgesBy } from '../kit/verdict-rule.ts'
import { judgeInstructions } from './judge-instructions.ts'
import { adheresLocally } from './local-adherence.ts'

export const instructionAdherence = defineEvaluator({
  slug: 'instruction-adherence',
  summary: 'Score how well a response follows its instructions.',
  method: 'judge',
  input: z.object({
    instructions: text('What the response should do.'),
    response: text('The response to score.'),
  }),
  config: noConfig,
  output: z.object({
    instruction_adherence_score: unitInterval('How well the instructions are followed; 1 means all of them.'),
  }),
  defaultScope: 'span',
  verdict: judgesBy(atLeast('instruction_adherence_score', 0.5), {
    pass: 'Instructions followed',
    fail: 'Instructions not followed',
  }),
  // A span need not have a system prompt, but it has what the user asked for.
  fromSpan: { instructions: 'prompt', response: 'completion' },
  examples: [
    {
      name: 'gives 1 when every instruction is followed',
      input: { instructions: 'Answer in lower case. Use at most three words.', response: 'red and blue' },
      output: { instruction_adherence_score: 1 },
    },
    {
      name: 'gives 0.5 when one of two is followed',
      input: { instructions: 'Answer in lower case. Use at most three words.', response: 'RED AND BLUE' },
      output: { instruction_adherence_score: 0.5 },
    },
  ],
  judging: {
    ask: async ({ input, judge }) => ({ instruction_adherence_score: await judgeInstructions(input, judge) }),
    embedded: ({ input }) => ({ instruction_adherence_score: adheresLocally(input) }),
    embeddedQuality: {
      balancedAccuracy: 0.742,
      measuredOn: 'second halves of LLMBar GPTInst, Natural and Neighbor (163 pairs of responses)',
    },
  },
})
