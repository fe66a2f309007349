import { oneLine } from '../../domain/one-line.ts'
import { similarityOf } from '../kit/local/meaning.ts'
import { contentWords } from '../kit/local/words.ts'
import { isAcknowledgement } from '../kit/trajectory/local-goals.ts'
import type { Turn } from '../kit/trajectory/turns.ts'
import { type IntentAnswer, stayed } from './judge-intent.ts'

/** From these odds on, as a logarithm, a turn is taken to want something else. */
const CHANGE_MIN = -0.2
/** How much of a turn, and of what was said before it, is looked at, in characters; of the latter the latest. */
const READ_CHARS_MAX = 2_000

/** Words that point back to what was said. */
const POINTS_BACK =
  /\b(?:it|that|they|them|those|this|these|he|she|him|her|his|one|there|so|too|either|same|then|why|how come|really)\b/i
/** Questions with which people turn to another subject. */
const OPENS_SUBJECT =
  /\b(?:do you (?:like|have|enjoy|work|play|watch|read|travel|live|go|listen|cook|eat|drink|exercise)|what do you do|where (?:do you|are you)|what (?:is|are) your|how old are you|are you married|any (?:pets|kids|hobbies|siblings)|what kind of|what about you|how about you|and you)\b/i

/**
 * The same without a language model: each turn of the user is compared with what was said before it, by meaning, by
 * words and by how it is put.
 */
export function keepsIntentLocally(turns: readonly Turn[]): IntentAnswer {
  const spoken = turns.filter(
    ({ role, text }) => (role === 'user' || role === 'assistant') && text.trim() !== '',
  )
  const users = spoken.filter(({ role }) => role === 'user')
  for (const turn of users.slice(1)) {
    if (isAcknowledgement(turn.text)) continue
    const place = spoken.indexOf(turn)
    if (changeOf(spoken, place) >= CHANGE_MIN)
      return {
        success: false,
        score: 0,
        reason: `Turn ${turn.at} has little to do with what was said before: ${oneLine(turn.text, 160)}`,
      }
  }
  return stayed(
    users.length < 2
      ? 'The user has one intent: there is no later turn that wants something.'
      : 'The later turns of the user have to do with what was said before.',
  )
}

/** How likely a turn of the user wants something else, as the logarithm of odds; fitted on the first half of the rows. */
function changeOf(spoken: readonly Turn[], place: number): number {
  const said = (spoken[place]?.text ?? '').slice(0, READ_CHARS_MAX)
  const history = spoken
    .slice(0, place)
    .map(({ text }) => text)
    .join('\n')
    .slice(-READ_CHARS_MAX)
  const next = spoken[place + 1]
  const answer = next?.role === 'assistant' ? next.text.slice(0, READ_CHARS_MAX) : ''
  const before = lastOf(spoken, place, 'assistant')
  const lastExchange = `${lastOf(spoken, place, 'user')} ${before}`
  const words = new Set(contentWords(said))
  const known = new Set(contentWords(history))
  const share = words.size === 0 ? 0 : [...words].filter((word) => known.has(word)).length / words.size
  return (
    1.3 -
    3.7 * similarityOf(`${said} ${answer}`, lastExchange) -
    1.2 * similarityOf(said, before) -
    0.5 * similarityOf(said, history) -
    1.5 * share +
    (said.includes('?') ? 0.85 : 0) +
    (OPENS_SUBJECT.test(said) ? 1.1 : 0) -
    (POINTS_BACK.test(said) ? 0.55 : 0) -
    (before.includes('?') ? 0.6 : 0)
  )
}

function lastOf(spoken: readonly Turn[], place: number, role: string): string {
  return (
    spoken
      .slice(0, place)
      .findLast((turn) => turn.role === role)
      ?.text.slice(0, READ_CHARS_MAX) ?? ''
  )
}
