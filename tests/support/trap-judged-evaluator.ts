import * as z from 'zod'
import { type AnyEvaluator, defineEvaluator } from '../../src/evaluators/kit/define-evaluator.ts'
import { NEUTRAL } from '../../src/evaluators/kit/verdict-rule.ts'
import { invalidInput } from '../../src/lib/public-error.ts'
import type { EvaluatorSource } from '../../src/pipeline/judging/judging-message.ts'
import { trap } from './trap-evaluator.ts'

/** Asks a judge how long a text is, or does to its thread what the text says. */
export const judgedTrap: AnyEvaluator = defineEvaluator({
  slug: 'judged-trap',
  summary: 'Ask, or misbehave.',
  method: 'judge',
  input: z.object({ text: z.string() }),
  config: z.object({}),
  output: z.object({ length: z.int() }),
  defaultScope: 'span',
  verdict: NEUTRAL,
  fromSpan: { text: 'completion' },
  examples: [],
  judging: {
    ask: async ({ input: { text }, judge }) => {
      if (text === 'hang') for (;;);
      if (text === 'die') process.exit(1)
      if (text === 'refuse') throw invalidInput('input.text is refused')
      if (text === 'bug') throw new TypeError('a bug')
      const { length } = await judge.ask({
        prompt: 'trap/length@1',
        messages: [{ role: 'user', parts: [{ label: 'text', data: text }] }],
        answer: { kind: 'object', fields: { length: { kind: 'integer' } } },
      })
      judge.note('asked', text)
      return { length }
    },
  },
})

/** The two traps and nothing else. */
export function findJudgedTrap(source: EvaluatorSource): AnyEvaluator | undefined {
  return 'slug' in source ? [judgedTrap, trap].find(({ slug }) => slug === source.slug) : undefined
}
