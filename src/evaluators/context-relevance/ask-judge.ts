import type { Judge } from '../../ports/judge.ts'
import { judgeItems } from '../judged/judge-items.ts'
import { requireLength } from '../judged/limits.ts'
import { splitSentences } from '../local/sentences.ts'

/** The texts that are scored; the completion is part of the interface, but relevance is about the query. */
export interface ContextRelevanceInput {
  readonly query: string
  readonly completion: string
  readonly context: string
}

/** Most characters of a context of which every statement is judged: about 50 questions to a judge. */
export const CONTEXT_CHARS_MAX = 100_000

const TASK = [
  'The items are the statements of a context that was retrieved for the query, in their order. Decide for each whether it helps ' +
    'to answer the query. Neighbouring items tell what a pronoun stands for.',
  'relevant: it holds something that an answer to this query would use.',
  'irrelevant: an answer would be no worse without it, also when it is about the same subject.',
].join('\n')

/** The share of the context's sentences that help to answer the query; the sentences are cut in code, so that none drops out. */
export async function askAboutContext(
  judge: Judge,
  { query, completion, context }: ContextRelevanceInput,
): Promise<number> {
  requireLength({ query, completion })
  requireLength({ context }, CONTEXT_CHARS_MAX)
  const statements = splitSentences(context)
  if (statements.length === 0) return 0
  const judged = await judgeItems(judge, {
    prompt: 'context-relevance/relevance@1',
    task: TASK,
    material: [{ label: 'query', data: query }],
    items: statements,
    verdicts: ['relevant', 'irrelevant'],
    evidence: {
      verdicts: ['relevant'],
      source: (item) => item,
      otherwise: 'irrelevant',
      about: 'The words of the item that help, copied letter by letter; empty when there are none.',
    },
  })
  judge.note('statements', judged)
  const relevant = judged.filter(({ verdict }) => verdict === 'relevant').length
  return Number((relevant / judged.length).toFixed(4))
}
