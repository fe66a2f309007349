import * as z from 'zod'
import { builtInId, findBuiltIn } from '../../src/evaluators/catalogue.ts'
import { type AnyEvaluator, defineEvaluator } from '../../src/evaluators/kit/define-evaluator.ts'
import { TaintedThread } from '../../src/evaluators/kit/tainted-thread.ts'
import { NEUTRAL } from '../../src/evaluators/kit/verdict-rule.ts'
import { invalidInput } from '../../src/lib/public-error.ts'

/** Does to its thread what the text says, and counts characters otherwise. */
export const trap: AnyEvaluator = defineEvaluator({
  slug: 'trap',
  summary: 'Count, or misbehave.',
  method: 'exact',
  input: z.object({ text: z.string() }),
  config: z.object({}),
  output: z.object({ length: z.int() }),
  defaultScope: 'span',
  verdict: NEUTRAL,
  fromSpan: { text: 'completion' },
  examples: [],
  evaluate: async ({ input: { text } }) => {
    await misbehave(text)
    return { length: text === 'wrong' ? Number.NaN : text.length }
  },
})

/** The built-in evaluators and the trap. */
export function findWithTrap({ evaluatorId }: { readonly evaluatorId: string }): AnyEvaluator | undefined {
  return evaluatorId === trap.slug || evaluatorId === builtInId(trap.slug) ? trap : findBuiltIn(evaluatorId)
}

async function misbehave(text: string): Promise<void> {
  if (text === 'hang') for (;;);
  if (text === 'never') await new Promise(() => {})
  if (text === 'eat') for (const all: unknown[] = []; ; ) all.push(new Array(100_000).fill(Math.random()))
  if (text === 'exit') process.exit(3)
  if (text === 'refuse') throw invalidInput('input.text is refused')
  if (text === 'taint') throw new TaintedThread('input.text is too deep')
  if (text === 'throw') throw new Error('a bug')
}
