import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { text, unitInterval } from '../kit/fields.ts'
import { atLeast, judgesBy } from '../kit/verdict-rule.ts'
import { askAboutContext } from './ask-judge.ts'
import { estimateRelevance } from './embedded-judge.ts'

export const contextRelevance = defineEvaluator({
  slug: 'context-relevance',
  summary: 'Score how much of a retrieved context is relevant to the query.',
  method: 'judge',
  input: z.object({
    query: text('What the user asked.'),
    completion: text('What was answered.'),
    context: text('What was retrieved for the query.'),
  }),
  config: z.object({
    model: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe(
        'Model that judges, as `provider/model`; the judge that the service is set up with when absent.',
      ),
  }),
  output: z.object({
    relevance_score: unitInterval(
      'Share of the statements in the context that help to answer the query; 0 when none does.',
    ),
  }),
  defaultScope: 'span',
  verdict: judgesBy(atLeast('relevance_score', 0.5), {
    pass: 'Relevant context',
    fail: 'Irrelevant context',
  }),
  fromSpan: { query: 'prompt', completion: 'completion', context: 'context' },
  examples: [
    {
      name: 'gives 0.5 when one of two statements is relevant',
      input: {
        query: 'When is the museum open?',
        completion: 'It is open from 10 to 17.',
        context: 'The museum is open from 10 to 17. Its café serves waffles.',
      },
      output: { relevance_score: 0.5 },
    },
  ],
  judging: {
    ask: async ({ input, judge }) => ({ relevance_score: await askAboutContext(judge, input) }),
    embedded: ({ input }) => ({ relevance_score: estimateRelevance(input) }),
    embeddedQuality: {
      balancedAccuracy: 0.983,
      measuredOn: 'second halves of ARES HotpotQA, NQ and WoW: own or foreign passage (300 rows)',
    },
    modelOf: ({ model }) => model,
  },
})
