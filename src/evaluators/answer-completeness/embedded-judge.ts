import { JUDGED_SOURCE_CHARS_MAX, requireLength } from '../judged/limits.ts'
import { AlignedSource } from '../local/align-statement.ts'
import { ChunkIndex } from '../local/chunks.ts'
import { clausesOf } from '../local/clauses.ts'
import { similarityOf } from '../local/meaning.ts'
import { splitSentences } from '../local/sentences.ts'
import { isSupported } from '../local/support.ts'
import type { CompletenessInput } from './ask-judge.ts'
import { completenessOf } from './completeness-score.ts'

/** Sentences of the context that share most words with the question; only they are read for their meaning. */
const SENTENCES_READ_MAX = 20
/** From here on a sentence has to do with the question, and is vital to it. */
const NEEDED_FROM = 0.35
const VITAL_FROM = 0.55

/** The sentences close to the question are the facts it needs; each of their clauses is aligned with the answer. */
export function estimateCompleteness({ question, completion, context }: CompletenessInput): number {
  requireLength({ question, completion })
  requireLength({ context }, JUDGED_SOURCE_CHARS_MAX)
  const index = new ChunkIndex(splitSentences(context))
  const answer = new AlignedSource(completion)
  const facts = index.bestFor(question, SENTENCES_READ_MAX).flatMap((at) => {
    const sentence = index.chunks[at] ?? ''
    const closeness = similarityOf(question, sentence)
    if (closeness < NEEDED_FROM) return []
    return clausesOf(sentence).map((clause) => ({
      isVital: closeness >= VITAL_FROM,
      isCovered: isSupported(answer.align(clause)),
    }))
  })
  return completenessOf(facts)
}
