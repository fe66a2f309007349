import { type CalendarDate, dateSays, datesOf, wholeDate } from '../local/dates.ts'
import { quantitiesOf, sameQuantity, wholeQuantity } from '../local/quantities.ts'
import { contentWords, wordsOf } from '../local/words.ts'
import { acceptedAnswers, isSameAnswer } from './accepted-answers.ts'

/** The share that the other words of an accepted answer still prove when its number is missing. */
const WITHOUT_NUMBER = 0.5

/** How far an answer names one of the accepted ones, from 0 to 1, without a language model. */
export function matchShortTruth(question: string, answer: string, truth: string): number {
  const asked = new Set(contentWords(question))
  return Math.max(...acceptedAnswers(truth).map((accepted) => matchOne(asked, answer, accepted)))
}

function matchOne(asked: ReadonlySet<string>, answer: string, accepted: string): number {
  if (isSameAnswer(answer, accepted)) return 1
  const date = wholeDate(accepted)
  if (date) return matchDate(answer, date)
  const quantity = wholeQuantity(accepted)
  if (quantity) return quantitiesOf(answer).some((found) => sameQuantity(found, quantity)) ? 1 : 0
  return matchWords(asked, answer, accepted)
}

/** A date that is said less exactly agrees in part, at least half when the year is right. */
function matchDate(answer: string, wanted: CalendarDate): number {
  return Math.max(
    0,
    ...datesOf(answer).map((found) => {
      if (dateSays(found, wanted)) return 1
      if (!dateSays(wanted, found)) return 0
      return found.year !== undefined && found.month !== undefined ? 0.75 : 0.5
    }),
  )
}

/** Words of the question prove little: they are in most answers, right or wrong. */
function matchWords(asked: ReadonlySet<string>, answer: string, accepted: string): number {
  const given = new Set(contentWords(answer))
  const all = contentWords(accepted)
  const own = all.filter((word) => !asked.has(word))
  const wanted = own.length > 0 ? own : all
  if (wanted.length === 0)
    return ` ${wordsOf(answer).join(' ')} `.includes(` ${wordsOf(accepted).join(' ')} `) ? 1 : 0
  const share = wanted.filter((word) => given.has(word)).length / wanted.length
  const found = quantitiesOf(answer)
  const isNumberMissing = quantitiesOf(accepted).some(
    (number) => !found.some((other) => sameQuantity(other, number)),
  )
  return isNumberMissing ? share * WITHOUT_NUMBER : share
}
