import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import type { Report } from './finding.ts'
import { FEATURES_MAX, mayBeName, writeFeatures } from './person-features.ts'
import { SHAPE, TOKEN, type Tokens } from './tokens.ts'
import { FLAG } from './word-flags.ts'

// Beside `src` in a checkout and beside `dist` in the package: the same way up from here.
const WEIGHTS = new URL('../../../models/pii-names/weights.bin.br', import.meta.url)

/** A name has at most this many words; longer stretches of likely words are lists or headings, read in pieces. */
const NAME_TOKENS_MAX = 6
/** Words less likely than this are no part of a name that is reported. */
const WORD_PROBABILITY_MIN = 0.2

/** The trained tagger: one weight per feature, added up, and the two numbers that turn the sum into a probability. */
export interface PersonModel {
  readonly weights: Int8Array
  readonly scale: number
  readonly offset: number
}

/** Reads the weights: two floats (scale and offset of the logistic curve), then a signed byte per feature place. */
export function loadPersonModel(): PersonModel {
  const bytes = brotliDecompressSync(readFileSync(WEIGHTS))
  return {
    scale: bytes.readFloatLE(0),
    offset: bytes.readFloatLE(4),
    weights: new Int8Array(bytes.buffer, bytes.byteOffset + 8, bytes.length - 8),
  }
}

const places = new Int32Array(FEATURES_MAX)

/** The probability that a token is part of a person's name; 0 for tokens that cannot be. */
export function nameProbability(model: PersonModel, tokens: Tokens, token: number): number {
  if (!mayBeName(tokens, token)) return 0
  const count = writeFeatures(tokens, token, places)
  let sum = 0
  for (let at = 0; at < count; at++) sum += model.weights[places[at] as number] as number
  return 1 / (1 + Math.exp(-(sum * model.scale + model.offset)))
}

/** Titles that only people have. `Miss`, `Lord` or `Don` are also other words, and left to the model. */
const TITLES = /^(?:mr|mrs|dr|prof|mme|mlle|herrn?|frau|sra?|srta|dhr|mevr)$/i
const TITLED = 0.93

/** True for a word with a capital right after a title, with or without its dot, whatever else the word means: Mrs Banks. */
function isTitled(tokens: Tokens, token: number): boolean {
  if (tokens.kind[token] !== TOKEN.word || tokens.shape[token] !== SHAPE.title) return false
  const title = tokens.signAt(token - 1) === 46 ? token - 2 : token - 1
  if (title < 0 || !((tokens.flags[title] as number) & FLAG.title)) return false
  return TITLES.test(tokens.textOf(title)) && ((tokens.flags[token] as number) & FLAG.title) === 0
}

/**
 * Reports the names that begin at a token; returns the last token that was read. Words next to each other are one name, and
 * its confidence is that of its surest word: a surname nobody has heard of is a name because of what stands before it.
 */
export function findName(model: PersonModel, tokens: Tokens, first: number, report: Report): number {
  let confidence = nameProbability(model, tokens, first)
  if (isTitled(tokens, first)) confidence = Math.max(confidence, TITLED)
  if (confidence < WORD_PROBABILITY_MIN) return first
  let last = first
  while (last + 1 < tokens.count && last - first < NAME_TOKENS_MAX) {
    const probability = nameProbability(model, tokens, last + 1)
    if (probability < WORD_PROBABILITY_MIN) break
    confidence = Math.max(confidence, probability)
    last++
  }
  report('person', confidence, tokens.start[first] as number, tokens.end[last] as number)
  return last
}
