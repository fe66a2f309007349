import { countCodePoints } from '../../lib/count-text.ts'
import { splitSentences } from '../local/sentences.ts'
import { type CheckReader, isNegated, readerOf, withoutOverlaps } from './text-check.ts'

const NUMBER_WORDS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'.split(
    ' ',
  )
const NUMBER = `(\\d{1,6}|a single|a|an|${NUMBER_WORDS.slice(1).join('|')})`
const UNIT =
  '(words?|sentences?|paragraphs?|characters?|letters?|lines?|bullet points?|bullets?|(?:list |numbered )items?|stanzas?)'

/** A number that is said to be about right may be off by this share. */
const ABOUT_SHARE = 0.2

/** Fewer characters than this are those of a story. */
const LENGTH_CHARACTERS_MIN = 20

type Compare = readonly [words: string, isFine: (count: number, wanted: number) => boolean]

const COMPARED_BEFORE: readonly Compare[] = [
  [
    'at least|no (?:less|fewer) than|(?:a )?minimum(?: of)?|not less than',
    (count, wanted) => count >= wanted,
  ],
  [
    'at most|no more than|not more than|up to|within|(?:a )?maximum(?: of)?|(?:a )?limit(?: of)?|(?:not|without) exceed(?:ing)?|limited to|under a limit of',
    (count, wanted) => count <= wanted,
  ],
  ['fewer than|less than|under|below', (count, wanted) => count < wanted],
  ['more than|over|above', (count, wanted) => count > wanted],
  [
    'about|around|approximately|roughly|some|nearly',
    (count, wanted) => Math.abs(count - wanted) <= wanted * ABOUT_SHARE,
  ],
  [
    'exactly|precisely|only|just|in|of|with|using|contains?|containing|have|has|is|be|into|to',
    (count, wanted) => count === wanted,
  ],
]

const COMPARED_AFTER: readonly Compare[] = [
  ['or (?:less|fewer)|(?:at )?(?:max(?:imum)?|most)|or under', (count, wanted) => count <= wanted],
  ['or more|(?:at )?(?:min(?:imum)?|least)', (count, wanted) => count >= wanted],
]

/** Demands on how many words, sentences, paragraphs, characters, lines or bullets there are. */
export const countChecks: CheckReader = (sentence) => {
  const found = [
    ...between(sentence),
    ...COMPARED_AFTER.flatMap(([words, isFine]) =>
      readerOf(new RegExp(`\\b${NUMBER}[ -]${UNIT} (?:${words})\\b`, 'i'), ([, number = '', unit = '']) =>
        countCheck(number, unit, isFine),
      )(sentence),
    ),
    ...COMPARED_BEFORE.flatMap(([words, isFine]) =>
      readerOf(
        new RegExp(
          `\\b(?:${words}) (?:the )?${NUMBER}[ -](?:short |long |full |complete |concise |simple )?${UNIT}\\b`,
          'i',
        ),
        ([, number = '', unit = '']) => countCheck(number, unit, isFine),
      )(sentence),
    ),
    // `a 50-word summary`, `a four-line poem`.
    ...readerOf(
      new RegExp(`\\b${NUMBER}-(word|sentence|paragraph|line|character|bullet|stanza)\\b`, 'i'),
      ([, number = '', unit = '']) => countCheck(number, unit, (count, wanted) => count === wanted),
    )(sentence),
  ]
  return withoutOverlaps(found).map((check) =>
    // `Do not use more than 50 words` asks for the opposite.
    isNegated(sentence, check.from) ? { ...check, holds: (text) => !check.holds(text) } : check,
  )
}

const between = readerOf(
  new RegExp(`\\b(?:between )?${NUMBER} ?(?:and|to|-|–) ?${NUMBER} ${UNIT}\\b`, 'i'),
  ([, low = '', high = '', unit = '']) => {
    const [least, most] = [numberOf(low), numberOf(high)]
    const count = counterOf(unit)
    return {
      about: `from ${least} to ${most} ${unit}`,
      holds: (text) => count(text) >= least && count(text) <= most,
    }
  },
)

function countCheck(number: string, unit: string, isFine: Compare[1]) {
  const wanted = numberOf(number)
  const count = counterOf(unit)
  // `a word` and `in a sentence` are turns of phrase, but for `a single`.
  if (/^an?$/i.test(number)) return undefined
  // A story with four characters is about people.
  if (/^character/i.test(unit) && wanted < LENGTH_CHARACTERS_MIN) return undefined
  return { about: `${number} ${unit}`, holds: (text: string) => isFine(count(text), wanted) }
}

function numberOf(text: string): number {
  const word = text.toLowerCase()
  if (/^\d/.test(word)) return Number(word)
  return word === 'a' || word === 'an' || word === 'a single' ? 1 : NUMBER_WORDS.indexOf(word)
}

/** Counts what a unit names. */
function counterOf(unit: string): (text: string) => number {
  if (/^word/i.test(unit)) return (text) => text.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’.,-]*/gu)?.length ?? 0
  if (/^sentence/i.test(unit)) return (text) => splitSentences(text).length
  if (/^(?:paragraph|stanza)/i.test(unit)) return (text) => blocksOf(text, /\n\s*\n/)
  if (/^line/i.test(unit)) return (text) => blocksOf(text, /\n/)
  if (/bullet|item/i.test(unit)) return listItems
  if (/^letter/i.test(unit)) return (text) => text.match(/\p{L}/gu)?.length ?? 0
  return (text) => countCodePoints(text.trim())
}

/** How many entries of lists a text has. */
export function listItems(text: string): number {
  return text.match(/^\s{0,12}(?:[-*•‣▪–]|\(?\d{1,3}[.)])\s+\S/gm)?.length ?? 0
}

function blocksOf(text: string, border: RegExp): number {
  return text.split(border).filter((block) => block.trim() !== '').length
}
