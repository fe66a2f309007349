import { type CheckReader, isNegated, readerOf, withoutOverlaps } from './text-check.ts'

const QUOTED = `["“'‘\`]([^"”'’\`\\n]{1,120})["”'’\`]`
const KEYWORD = `(?:the )?(?:exact )?(?:word|phrase|keyword|term|text|sentence|string|letter|name)s?:? ${QUOTED}`

/** How often a phrase occurs, as whole words and in any case. */
export function occurrences(text: string, phrase: string): number {
  const words = escapePattern(phrase.trim()).replaceAll(/\s+/g, '\\s+')
  const before = /^[\p{L}\p{N}]/u.test(phrase.trim()) ? '(?<![\\p{L}\\p{N}])' : ''
  const after = /[\p{L}\p{N}]$/u.test(phrase.trim()) ? '(?![\\p{L}\\p{N}])' : ''
  return text.match(new RegExp(`${before}${words}${after}`, 'giu'))?.length ?? 0
}

function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')
}

/** A letter counts wherever it stands, a word only as a whole. */
function counterFor(demand: string, phrase: string): (text: string) => number {
  if (!/\bletters?\b/i.test(demand) || phrase.length !== 1) return (text) => occurrences(text, phrase)
  return (text) => text.toLowerCase().split(phrase.toLowerCase()).length - 1
}

const counted: CheckReader = readerOf(
  new RegExp(
    `(?:${KEYWORD}|${QUOTED})[^.;]{0,40}?\\b(at least|at most|exactly|no more than|fewer than|less than|more than)? ?(\\d{1,3}|once|twice|three|four|five) ?(?:times?)?\\b`,
    'i',
  ),
  (match) => {
    const phrase = match[1] ?? match[2]
    const [, , , comparison = 'exactly', count = ''] = match
    if (phrase === undefined || (!/times/i.test(match[0]) && !/once|twice/i.test(count))) return undefined
    const wanted = countOf(count)
    const isFine = comparatorOf(comparison.toLowerCase())
    return {
      about: `${phrase} ${comparison} ${count}`,
      holds: (text) => isFine(counterFor(match[0], phrase)(text), wanted),
    }
  },
)

const included: CheckReader = (sentence) =>
  readerOf(
    new RegExp(
      `\\b(?:includ(?:e|es|ing)|contain(?:s|ing)?|mention(?:s|ing)?|us(?:e|es|ing)|say(?:s|ing)?|writ(?:e|es|ing)|appear) (?:${KEYWORD}|${QUOTED})(?:(?:,| and|, and| or) ${QUOTED})?`,
      'i',
    ),
    (match) => {
      const phrases = match.slice(1).filter((phrase) => phrase !== undefined)
      const negated = isNegated(sentence, match.index ?? 0)
      return {
        about: `${negated ? 'without' : 'with'} ${phrases.join(', ')}`,
        holds: (text) =>
          negated
            ? phrases.every((phrase) => counterFor(match[0], phrase)(text) === 0)
            : phrases.every((phrase) => counterFor(match[0], phrase)(text) > 0),
      }
    },
  )(sentence)

const avoided: CheckReader = readerOf(
  new RegExp(`\\b(?:avoid(?:ing)?|without)(?: using| mentioning)? (?:${KEYWORD}|${QUOTED})`, 'i'),
  (match) => {
    const phrase = match[1] ?? match[2] ?? ''
    return { about: `without ${phrase}`, holds: (text) => counterFor(match[0], phrase)(text) === 0 }
  },
)

const edges: CheckReader = (sentence) =>
  readerOf(
    new RegExp(
      `\\b(start|begin|open|end|finish|conclude|close)(?:s|ning|ing|ting)? (?:your |the |with |by )*(?:response |answer |reply |text |message |email |letter |writing )?(?:with |by saying |in )?(?:${KEYWORD}|${QUOTED})`,
      'i',
    ),
    (match) => {
      const phrase = plain(match[2] ?? match[3] ?? '')
      const isStart = /^(?:start|begin|open)/i.test(match[1] ?? '')
      const negated = isNegated(sentence, match.index ?? 0)
      return {
        about: `${isStart ? 'starts' : 'ends'} with ${phrase}`,
        holds: (text) =>
          (isStart ? plain(text).startsWith(phrase) : plain(text).endsWith(phrase)) !== negated,
      }
    },
  )(sentence)

function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[“”]/g, '"')
    .replaceAll(/[‘’]/g, "'")
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^[\s"'*_#]+|[\s"'*_.!]+$/g, '')
}

function countOf(text: string): number {
  const words = ['', 'once', 'twice', 'three', 'four', 'five']
  return /^\d/.test(text) ? Number(text) : words.indexOf(text.toLowerCase())
}

function comparatorOf(words: string): (count: number, wanted: number) => boolean {
  if (words === 'at least') return (count, wanted) => count >= wanted
  if (words === 'at most' || words === 'no more than') return (count, wanted) => count <= wanted
  if (words === 'fewer than' || words === 'less than') return (count, wanted) => count < wanted
  if (words === 'more than') return (count, wanted) => count > wanted
  return (count, wanted) => count === wanted
}

/** Demands on words that must or must not occur, how often, and at which end. Only what stands in quotes is a keyword. */
export const keywordChecks: CheckReader = (sentence) =>
  withoutOverlaps([...counted(sentence), ...edges(sentence), ...included(sentence), ...avoided(sentence)])
