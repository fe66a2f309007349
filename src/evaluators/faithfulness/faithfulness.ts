import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { noConfig, text } from '../kit/fields.ts'
import { isTrue, judgesBy } from '../kit/verdict-rule.ts'
import { askAboutFaithfulness } from './ask-judge.ts'
import { looksFaithful } from './embedded-judge.ts'

export const faithfulness = defineEvaluator({
  slug: 'faithfulness',
  summary: 'Check whether every claim of an answer is grounded in the context.',
  method: 'judge',
  input: z.object({
    completion: text('The answer to check.'),
    context: text('What the answer must be grounded in.'),
    question: text('What the user asked.'),
  }),
  config: noConfig,
  output: z.object({
    is_faithful: z
      .boolean()
      .describe(
        'True when the context supports every claim of the answer; an answer that claims nothing is faithful.',
      ),
  }),
  defaultScope: 'span',
  verdict: judgesBy(isTrue('is_faithful'), { pass: 'Faithful', fail: 'Not faithful' }),
  fromSpan: { completion: 'completion', context: 'context', question: 'prompt' },
  examples: [
    {
      name: 'accepts an answer taken from the context',
      input: {
        completion: 'The museum opens at 10.',
        context: 'The museum is open from 10 to 17.',
        question: 'When does the museum open?',
      },
      output: { is_faithful: true },
    },
    {
      name: 'rejects a claim that the context does not make',
      input: {
        completion: 'The museum opens at 10 and entry is free.',
        context: 'The museum is open from 10 to 17.',
        question: 'When does the museum open?',
      },
      output: { is_faithful: false },
    },
  ],
  judging: {
    ask: async ({ input, judge }) => ({ is_faithful: await askAboutFaithfulness(judge, input) }),
    embedded: ({ input }) => ({ is_faithful: looksFaithful(input) }),
    embeddedQuality: {
      balancedAccuracy: 0.609,
      measuredOn: 'second half of SummEdits (743 rows)',
    },
  },
})
