import { splitSentences } from './sentences.ts'
import { wordsOf } from './words.ts'

/** A shorter part is no clause of its own: "bread and butter" stays together. */
const CLAUSE_WORDS_MIN = 3
const JOINT = /\s*;\s+|,?\s+(?:and|but|while|whereas)\s+/i

/** The parts of a text that can hold or not by themselves: its sentences, cut where two longer parts are joined. */
export function clausesOf(text: string): string[] {
  return splitSentences(text).flatMap((sentence) => {
    const parts = sentence.split(JOINT)
    return parts.every((part) => wordsOf(part).length >= CLAUSE_WORDS_MIN) ? parts : [sentence]
  })
}
