import { similarityOf } from '../local/meaning.ts'
import { isNoncommittal } from '../local/noncommittal.ts'
import { contentWords } from '../local/words.ts'
import type { Turn } from './turns.ts'

/** One turn of the user and the answers to it, up to the next. */
export interface Exchange {
  readonly user: Turn
  readonly answers: readonly Turn[]
}

/** Words that an answer must share with what was asked for, as a share, unless it is close in meaning. */
const COVERAGE_MIN = 0.4
const SIMILARITY_MIN = 0.55
/** From this length on, in words, an answer says something of its own and need not repeat the words of the question. */
const LONG_ANSWER_WORDS = 25
/** How much of a turn is looked at, in characters. */
const READ_CHARS_MAX = 2_000

const ACKNOWLEDGEMENT =
  /^(?:(?:yes|yeah|yep|no|nope|ok(?:ay)?|sure|right|thanks?|thank you|great|perfect|good|fine|cool|nice|hello|hi|hey|bye|goodbye|please|got it|i see|sounds good|go ahead|that'?s (?:all|it|fine|right)|very much|so much|for (?:the|your) help|good (?:morning|evening|afternoon|day))[\s,.!]*)+$/i

const REFUSAL =
  /\b(?:i(?:'m| am) (?:sorry|afraid|unable)|i (?:can(?:not|'t)|could not|couldn't|won't|will not|am not able to)|unable to|not (?:possible|available|supported)|failed to|error occurred|something went wrong|try again later)\b/i

/** Whether a turn only greets, thanks or agrees, so that nothing is wanted by it. */
export function isAcknowledgement(text: string): boolean {
  return ACKNOWLEDGEMENT.test(text.replaceAll('’', "'").trim())
}

/** The turns of the user that want something, with what came after each. */
export function exchangesOf(turns: readonly Turn[]): Exchange[] {
  const exchanges: { user: Turn; answers: Turn[] }[] = []
  for (const turn of turns) {
    if (turn.role === 'user') exchanges.push({ user: turn, answers: [] })
    else exchanges.at(-1)?.answers.push(turn)
  }
  return exchanges.filter(({ user }) => user.text.trim() !== '' && !isAcknowledgement(user.text))
}

/** The last message of the assistant in an exchange; empty when there is none. */
export function answerIn({ answers }: Exchange): string {
  const texts = answers.filter(({ role, text }) => role === 'assistant' && text.trim() !== '')
  return (texts.at(-1)?.text ?? '').slice(0, READ_CHARS_MAX)
}

/** Whether an answer says that it does not do what was asked for. */
export function isRefusal(answer: string): boolean {
  return isNoncommittal(answer) || REFUSAL.test(answer.replaceAll('’', "'").slice(0, 400))
}

/** Whether an answer has to do with what was asked for, by words and by meaning. */
export function isAbout(asked: string, answer: string): boolean {
  const read = asked.slice(0, READ_CHARS_MAX)
  const words = new Set(contentWords(read))
  const answered = contentWords(answer)
  const known = new Set(answered)
  const coverage = words.size === 0 ? 1 : [...words].filter((word) => known.has(word)).length / words.size
  if (coverage >= COVERAGE_MIN) return true
  const isLong = answered.length >= LONG_ANSWER_WORDS
  return similarityOf(read, answer) >= (isLong ? SIMILARITY_MIN / 2 : SIMILARITY_MIN)
}

/** Whether what was asked for in an exchange seems to be done: answered, not refused, and to the point. */
export function seemsFulfilled(exchange: Exchange): boolean {
  const answer = answerIn(exchange)
  return answer !== '' && !isRefusal(answer) && isAbout(exchange.user.text, answer)
}
