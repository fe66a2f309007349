import { PublicError } from '../../lib/public-error.ts'

/** Most characters of an answer, a question or a reference: what is taken apart statement by statement. */
export const JUDGED_TEXT_CHARS_MAX = 40_000
/** Most characters of a source that statements are looked up in; it is searched to its end. */
export const JUDGED_SOURCE_CHARS_MAX = 400_000
/** Most characters of a source in one question to a judge: about 10,000 tokens, which every current model can read. */
export const SOURCE_CHARS_PER_QUESTION = 40_000
/** Most items that a judge is asked about at once; more of them are left out more often. */
export const ITEMS_PER_QUESTION = 20

/** Refuses a text that is longer than it may be, instead of judging only a part of it. */
export function requireLength(
  texts: Readonly<Record<string, string>>,
  charsMax: number = JUDGED_TEXT_CHARS_MAX,
): void {
  for (const [name, text] of Object.entries(texts)) {
    if (text.length > charsMax)
      throw new PublicError('too_large', `input.${name} must have at most ${charsMax} characters`)
  }
}
