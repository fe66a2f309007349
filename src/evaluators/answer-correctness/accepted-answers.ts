import { dateSays, wholeDate } from '../local/dates.ts'
import { sameQuantity, wholeQuantity } from '../local/quantities.ts'
import { splitSentences } from '../local/sentences.ts'
import { wordsOf } from '../local/words.ts'

/** A truth of at most so many words, in each of its alternatives, names something; a longer one states something. */
const SHORT_TRUTH_WORDS_MAX = 10
const ARTICLES = new Set(['a', 'an', 'the'])
const LEAD_IN = /^\s*(?:the (?:correct |right )?answer is|answer)\s*:?\s+/i

/**
 * The answers that a truth accepts: the truth itself, and its parts where it lists alternatives with `or`, `|`, `;` or line
 * breaks.
 */
export function acceptedAnswers(truth: string): string[] {
  const parts = truth
    .replaceAll(/[^\S\n]+/g, ' ')
    .split(/\s+or\s+|\s*[|;\n]\s*/i)
    .map((part) => part.trim())
    .filter((part) => part !== '')
  return [...new Set([truth.trim(), ...parts])]
}

/** Whether a truth is short: a name, a number, a date or a list of such alternatives. */
export function isShortTruth(truth: string): boolean {
  const [, ...parts] = acceptedAnswers(truth)
  const answers = parts.length > 0 ? parts : [truth]
  return answers.every(
    (answer) => wordsOf(answer).length <= SHORT_TRUTH_WORDS_MAX && splitSentences(answer).length <= 1,
  )
}

/**
 * Whether a whole answer is the same as an accepted one beyond dispute: the same words but for case, accents, articles and
 * punctuation, the same date, or the same number in the same or an equal unit.
 */
export function isSameAnswer(answer: string, accepted: string): boolean {
  const given = answer.replace(LEAD_IN, '')
  const words = plainWords(given)
  if (words !== '' && words === plainWords(accepted)) return true
  const [date, wantedDate] = [wholeDate(given), wholeDate(accepted)]
  if (date && wantedDate) return dateSays(date, wantedDate) && dateSays(wantedDate, date)
  const [quantity, wanted] = [wholeQuantity(given), wholeQuantity(accepted)]
  return quantity !== undefined && wanted !== undefined && sameQuantity(quantity, wanted)
}

function plainWords(text: string): string {
  return wordsOf(text)
    .filter((word) => !ARTICLES.has(word))
    .join(' ')
}
