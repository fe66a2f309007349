import { cosineOf } from '../local/meaning.ts'
import { isFiller, isNoncommittal } from '../local/noncommittal.ts'
import { splitSentences } from '../local/sentences.ts'
import { embedText } from '../local/text-model.ts'
import { contentWords } from '../local/words.ts'
import { type TopicInput, topicsOf } from './ask-judge.ts'

/** From here on a sentence has to do with a topic, which is only a word or two. */
const WITHIN_FROM = 0.25

/** The share of the sentences that name a topic or are close to one in meaning. */
export function estimateAdherence(input: TopicInput): number {
  const topics = topicsOf(input)
  if (isNoncommittal(input.completion)) return 1
  const sentences = splitSentences(input.completion).filter((sentence) => !isFiller(sentence))
  if (sentences.length === 0) return 1
  const words = new Set(topics.flatMap(contentWords))
  const meanings = [...topics, topics.join(', ')].flatMap((topic) => embedText(topic) ?? [])
  const within = sentences.filter((sentence) => {
    if (contentWords(sentence).some((word) => words.has(word))) return true
    const meaning = embedText(sentence)
    return meaning !== undefined && meanings.some((topic) => cosineOf(topic, meaning) >= WITHIN_FROM)
  })
  return Number((within.length / sentences.length).toFixed(4))
}
