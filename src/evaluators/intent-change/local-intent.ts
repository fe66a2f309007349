import { oneLine } from '../../lib/one-line.ts'
import { cosineOf } from '../local/meaning.ts'
import { embedText } from '../local/text-model.ts'
import { contentWords } from '../local/words.ts'
import { isAcknowledgement } from '../trajectory/local-goals.ts'
import type { Turn } from '../trajectory/turns.ts'
import { type IntentAnswer, stayed } from './judge-intent.ts'

/** From these odds on, as a logarithm, a turn is taken to want something else. */
const CHANGE_MIN = 0
/** How much of a turn is looked at, in characters, and how many turns before it. */
const READ_CHARS_MAX = 1_000
const HISTORY_TURNS = 20

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
  const said = turns.filter(
    ({ role, text }) => (role === 'user' || role === 'assistant') && text.trim() !== '',
  )
  const users = said.filter(({ role }) => role === 'user')
  const spoken = users.length < 2 ? [] : said.map(readSpoken)
  for (const turn of users.slice(1)) {
    if (isAcknowledgement(turn.text)) continue
    if (changeOf(spoken, said.indexOf(turn)) >= CHANGE_MIN)
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
function changeOf(spoken: readonly Spoken[], place: number): number {
  const turn = spoken[place]
  const history = spoken.slice(Math.max(0, place - HISTORY_TURNS), place)
  const before = history.findLast(({ role }) => role === 'assistant')
  const last = [history.findLast(({ role }) => role === 'user'), before]
  const next = spoken[place + 1]
  const words = [...(turn?.words ?? [])]
  const shared = words.filter((word) => history.some((other) => other.words.has(word))).length
  return (
    1.5 -
    4.1 * closeness([turn, next?.role === 'assistant' ? next : undefined], last) -
    1.3 * closeness([turn], [before]) -
    1.5 * (words.length === 0 ? 0 : shared / words.length) +
    (turn?.text.includes('?') ? 0.85 : 0) +
    (OPENS_SUBJECT.test(turn?.text ?? '') ? 1.15 : 0) -
    (POINTS_BACK.test(turn?.text ?? '') ? 0.55 : 0) -
    (before?.text.includes('?') ? 0.65 : 0)
  )
}

/** A turn that was read once: comparing it again costs little. */
interface Spoken {
  readonly role: string
  readonly text: string
  readonly words: ReadonlySet<string>
  readonly meaning: Float32Array | undefined
}

function readSpoken({ role, text }: Turn): Spoken {
  const read = text.slice(0, READ_CHARS_MAX)
  return { role, text: read, words: new Set(contentWords(read)), meaning: embedText(read) }
}

/** How close two groups of turns are in meaning, from 0 to 1; a group means what its turns mean on average. */
function closeness(left: readonly (Spoken | undefined)[], right: readonly (Spoken | undefined)[]): number {
  const [a, b] = [meanOf(left), meanOf(right)]
  return a && b ? Math.max(0, cosineOf(a, b)) : 0
}

function meanOf(turns: readonly (Spoken | undefined)[]): Float32Array | undefined {
  const meanings = turns.flatMap((turn) => turn?.meaning ?? [])
  const [first] = meanings
  if (!first) return undefined
  const sum = first.map((_, at) => meanings.reduce((total, meaning) => total + (meaning[at] ?? 0), 0))
  const length = Math.sqrt(sum.reduce((total, value) => total + value * value, 0))
  return length === 0 ? undefined : sum.map((value) => value / length)
}
