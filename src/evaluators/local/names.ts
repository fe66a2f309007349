import { splitSentences } from './sentences.ts'

// Capitalised words that are no names.
const COMMON = new Set(
  `The A An This That These Those It He She They We You I In On At By For With From To And Or But If When While Where Who What
  Why How There Here As Of Is Are Was Were Be Yes No Not Its His Her Their Our Your My After Before During Since Until Because
  Although However Therefore Also Both Some Many Most All Each Every One Two Three First Second According Answer`.split(
    /\s+/,
  ),
)

/**
 * The words of a text that look like parts of names, in lower case: written with a capital, and not only because a sentence
 * begins.
 */
export function nameWordsOf(text: string): Set<string> {
  const names = new Set<string>()
  for (const sentence of splitSentences(text)) {
    const words = [...sentence.matchAll(/\p{Lu}[\p{L}\p{M}’'-]*/gu)]
    for (const [at, { 0: word, index }] of words.entries()) {
      if (COMMON.has(word) || word.length < 2) continue
      const beginsSentence = at === 0 && /^\P{L}*$/u.test(sentence.slice(0, index))
      // The first word counts when another capitalised word follows at once, as in a full name.
      const next = words[at + 1]
      const isFollowed = next !== undefined && /^\s+$/.test(sentence.slice(index + word.length, next.index))
      if (!beginsSentence || isFollowed || /\p{Lu}/u.test(word.slice(1))) names.add(plain(word))
    }
  }
  return names
}

function plain(word: string): string {
  return word
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/['’]s?$/, '')
}
