import { requireLength } from '../judged/limits.ts'
import { cosineOf } from '../local/meaning.ts'
import { splitSentences } from '../local/sentences.ts'
import { embedText } from '../local/text-model.ts'
import { CONTEXT_CHARS_MAX, type ContextRelevanceInput } from './ask-judge.ts'

/** From here on a sentence has to do with the query; chosen on the first half of the labelled rows. */
export const RELEVANT_FROM = 0.35

/** The share of the sentences that are close to the query in meaning. */
export function estimateRelevance({ query, completion, context }: ContextRelevanceInput): number {
  requireLength({ query, completion })
  requireLength({ context }, CONTEXT_CHARS_MAX)
  const asked = embedText(query)
  const sentences = splitSentences(context)
  if (!asked || sentences.length === 0) return 0
  const relevant = sentences.filter((sentence) => {
    const meaning = embedText(sentence)
    return meaning !== undefined && cosineOf(asked, meaning) >= RELEVANT_FROM
  })
  return Number((relevant.length / sentences.length).toFixed(4))
}
