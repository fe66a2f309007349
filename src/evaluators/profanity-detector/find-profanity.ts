import { chunkAround, isDisguised, isDrawnApart, isLink } from './disguises.ts'
import { foldText } from './fold-text.ts'
import { type Lexicon, loadLexicon, type WordRule } from './lexicon.ts'
import { countsHere } from './word-context.ts'
import { isSign, isWord, type WordFilter, wordFilterOf } from './word-filter.ts'

/** A word that is longer is not in the lexicon. */
const WORD_CHARS_MAX = 40
/** How far from a word the beginning of an address is looked for. */
const LINK_CHARS_MAX = 200
/** So many single letters in a row are looked at as one word. */
const LETTERS_APART_MIN = 4
const LETTERS_APART_MAX = 16

const DRAWN_OUT = /(.)\1{2,}/g

// Properties of a word that make it worth a closer look.
const HAS_LETTER = 1
const HAS_DIGIT = 2
const IS_DRAWN_OUT = 4
const MAY_HOLD_STEM = 8

/** Whether the text holds a word of the lexicon, plain or disguised. Linear in the text. */
export function hasProfanity(text: string): boolean {
  const lexicon = loadLexicon()
  return scan(foldText(text), lexicon, wordFilterOf(lexicon))
}

/**
 * Goes over the text once. Nearly every word is passed over by its hash alone; only one that may be in the lexicon, or
 * that looks odd, is copied and looked at.
 */
function scan(text: string, lexicon: Lexicon, filter: WordFilter): boolean {
  const apart = new LettersApart()
  // Signs and words up to here belong to a chunk that was looked at.
  let seenUpTo = 0
  let start = -1
  let traits = 0
  let hash = 0
  let previous = 0
  let repeats = 0
  let trigram = 0
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : 0
    if (isWord(code)) {
      const letter = code | 32
      if (start < 0) {
        start = at
        traits = hash = repeats = trigram = previous = 0
      }
      traits |= code >= 48 && code <= 57 ? HAS_DIGIT : HAS_LETTER
      hash = filter.nextHash(hash, letter)
      if (letter === previous) {
        if (++repeats === 2) traits |= IS_DRAWN_OUT
        continue
      }
      repeats = 0
      previous = letter
      trigram = filter.nextTrigram(trigram, letter)
      if (filter.startsStem(trigram)) traits |= MAY_HOLD_STEM
    } else if (start >= 0) {
      if (traits > HAS_LETTER || filter.mayHold(hash)) {
        if (isProfaneWord(text, start, at, traits, lexicon)) return true
      }
      if (start >= seenUpTo && touchesSign(text, start, at, traits)) {
        const chunk = chunkAround(text, start)
        if (isDisguised(text, chunk, lexicon.disguised)) return true
        seenUpTo = chunk.seenUpTo
      }
      if (apart.next(text, start, at) && isDrawnApart(apart.letters, lexicon.disguised)) return true
      start = -1
    }
  }
  return false
}

function isProfaneWord(text: string, start: number, end: number, traits: number, lexicon: Lexicon): boolean {
  const written = text.slice(start, end)
  const word = written.toLowerCase()
  const rules = end - start <= WORD_CHARS_MAX ? rulesFor(word, traits, lexicon) : undefined
  // A part of an address is somebody's name for something; only what is profane inside of any word counts there.
  if (rules)
    return countsHere(rules, text, start, end) && !isLink(text, chunkAround(text, start, LINK_CHARS_MAX))
  return (traits & MAY_HOLD_STEM) !== 0 && lexicon.anywhere.test(written) && !lexicon.innocent.has(word)
}

/** Undefined when the word is not in the lexicon. A letter three times or more stands for itself once or twice. */
function rulesFor(word: string, traits: number, { words }: Lexicon): readonly WordRule[] | undefined {
  const rules = words.get(word)
  if (rules || (traits & IS_DRAWN_OUT) === 0) return rules
  return words.get(word.replace(DRAWN_OUT, '$1')) ?? words.get(word.replace(DRAWN_OUT, '$1$1'))
}

/** A sign right before a word, or behind it and followed by more; or digits among its letters. */
function touchesSign(text: string, start: number, end: number, traits: number): boolean {
  if ((traits & HAS_LETTER) === 0) return false
  if (traits & HAS_DIGIT) return true
  const next = text.charCodeAt(end + 1)
  if (isSign(text.charCodeAt(end)) && (isSign(next) || isWord(next))) return true
  return start > 0 && isSign(text.charCodeAt(start - 1))
}

/** Collects single letters that stand one after the other with little between them. */
class LettersApart {
  letters = ''
  #end = -1

  /** Takes the next word; true when the letters so far are enough to be looked at. */
  next(text: string, start: number, end: number): boolean {
    if (end - start !== 1) {
      this.letters = ''
      return false
    }
    const gap = start - this.#end
    const isClose = this.letters !== '' && (gap === 1 || (gap === 2 && text[start - 1] === ' '))
    this.letters = (isClose ? this.letters.slice(1 - LETTERS_APART_MAX) : '') + text[start]
    this.#end = end
    return this.letters.length >= LETTERS_APART_MIN
  }
}
