import { similarityOf } from '../local/meaning.ts'
import { splitSentences } from '../local/sentences.ts'
import { contentWords } from '../local/words.ts'
import { answerIn, exchangesOf, isRefusal } from '../trajectory/local-goals.ts'
import { saidBy, type Turn } from '../trajectory/turns.ts'
import { isAnswered, qualityOf, turnsThatCouldForget } from './quality.ts'

/** Words that agree in this many letters at their beginning are taken for forms of one: allergic, allergies. */
const SAME_BEGINNING = 6
/** How much of a turn is looked at, in characters. */
const READ_CHARS_MAX = 2_000
/** From this similarity on, two texts have to do with each other. */
const RELATED_MIN = 0.15
/** Turns of the user with at most this many words that mean something refer to what was said before. */
const SHORT_WORDS = 3

/** The same without a language model. */
export function judgeConversationLocally(turns: readonly Turn[]): number {
  if (!isAnswered(turns)) return 0
  const told = toldIn(turns)
  const exchanges = exchangesOf(turns).map((exchange) => {
    const answer = answerIn(exchange)
    const isRelevant = answer !== '' && isRelated(contextOf(turns, exchange.user), answer)
    const isRepeatedQuestion = saidBy(exchange.answers, 'assistant').some((turn) =>
      asksForWhatIsKnown(told, turn),
    )
    return { isRelevant, isComplete: isRelevant && !isRefusal(answer) && !isRepeatedQuestion }
  })
  return qualityOf({
    relevancy: shareTrue(exchanges.map(({ isRelevant }) => isRelevant)),
    completeness: shareTrue(exchanges.map(({ isComplete }) => isComplete)),
    retention: shareTrue(turnsThatCouldForget(turns).map((turn) => !asksForWhatIsKnown(told, turn))),
  })
}

/** Whether two texts have anything to do with each other. */
function isRelated(asked: string, answer: string): boolean {
  const words = new Set(contentWords(asked))
  return contentWords(answer).some((word) => words.has(word)) || similarityOf(asked, answer) >= RELATED_MIN
}

/** A short turn is understood together with the one before it. */
function contextOf(turns: readonly Turn[], user: Turn): string {
  if (!isShort(user.text)) return user.text.slice(0, READ_CHARS_MAX)
  const before = saidBy(turns, 'user').findLast(({ at }) => at < user.at)
  return before ? `${before.text} ${user.text}` : user.text
}

function isShort(text: string): boolean {
  return contentWords(text).length <= SHORT_WORDS
}

/** Words of what the user told about themselves, each with the turn that it was told in first. */
function toldIn(turns: readonly Turn[]): ReadonlyMap<string, number> {
  const told = new Map<string, number>()
  for (const { at, text } of saidBy(turns, 'user')) {
    const sentences = splitSentences(text).filter(
      (sentence) => /\b(?:i|my|we|our|me)\b/i.test(sentence) && !sentence.endsWith('?'),
    )
    for (const word of sentences.flatMap(beginnings)) if (!told.has(word)) told.set(word, at)
  }
  return told
}

/** Whether a turn asks a question about something that the user had told in an earlier exchange. */
function asksForWhatIsKnown(told: ReadonlyMap<string, number>, turn: Turn): boolean {
  const questions = splitSentences(turn.text).filter(
    (sentence) => sentence.endsWith('?') && /\byour?\b/i.test(sentence),
  )
  return questions.some((question) => {
    const asked = beginnings(question)
    return asked.length > 0 && asked.every((word) => (told.get(word) ?? turn.at) < turn.at - 1)
  })
}

function beginnings(sentence: string): string[] {
  return contentWords(sentence).map((word) => word.slice(0, SAME_BEGINNING))
}

function shareTrue(outcomes: readonly boolean[]): number {
  return outcomes.length === 0 ? 1 : outcomes.filter(Boolean).length / outcomes.length
}
