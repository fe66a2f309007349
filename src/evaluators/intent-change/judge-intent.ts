import { oneLine } from '../../lib/one-line.ts'
import type { Judge } from '../../ports/judge.ts'
import { type JudgedItem, judgeItems } from '../judged/judge-items.ts'
import { isAcknowledgement } from '../trajectory/local-goals.ts'
import { requireReadable, saidBy, type Turn, transcriptOf, turnText } from '../trajectory/turns.ts'
import { windowsOf } from '../trajectory/windows.ts'

/** Whether the intent stayed, and why. */
export interface IntentAnswer {
  readonly success: boolean
  readonly score: 0 | 1
  readonly reason: string
}

const TASK = [
  'The first turn of the user shows what the user came for. Each item is a later turn of the user. Decide how what the user',
  'wants there relates to what the user came for.',
  'same: it is about the same thing, answers a question of the assistant, or adds, corrects or narrows something.',
  'next_step: it is another thing, but a natural continuation, such as the return flight after the flight, or a question',
  'that what the assistant said leads to.',
  'small_talk: thanks, greetings, moods.',
  'different: the user now wants something that has nothing to do with what was wanted first and that nothing said in',
  'between leads to; quote the words of the turn that show it.',
].join('\n')

/** How much of a turn is given in its item, in characters; the whole of it is in the conversation. */
const ITEM_CHARS_MAX = 400

/** Compares what the user wants in each later turn with the first; turns that only agree or thank are not asked about. */
export async function judgeIntent(turns: readonly Turn[], judge: Judge): Promise<IntentAnswer> {
  requireReadable('prompts', transcriptOf(turns))
  const [first, ...later] = saidBy(turns, 'user')
  const open = later.filter(({ text }) => !isAcknowledgement(text))
  if (!first || open.length === 0)
    return stayed('The user has one intent: there is no later turn that wants something.')
  const judged: JudgedItem<'same' | 'next_step' | 'small_talk' | 'different'>[] = []
  for (const window of windowsOf(turns)) {
    const fresh = window.fresh.filter((turn) => open.includes(turn))
    if (fresh.length === 0) continue
    judged.push(
      ...(await judgeItems(judge, {
        prompt: 'intent-change/turns@1',
        task: TASK,
        material: [
          { label: 'first turn of the user', data: turnText(first) },
          { label: 'conversation', data: transcriptOf(window.turns) },
        ],
        items: fresh.map((turn) => `turn ${turn.at}: ${oneLine(turn.text, ITEM_CHARS_MAX)}`),
        verdicts: ['same', 'next_step', 'small_talk', 'different'],
        evidence: { verdicts: ['different'], source: transcriptOf(fresh), otherwise: 'same' },
      })),
    )
  }
  judge.note('turns', judged)
  const changed = judged.filter(({ verdict }) => verdict === 'different')
  if (changed.length === 0) return stayed('The later turns of the user keep to the first intent.')
  return {
    success: false,
    score: 0,
    reason: `The intent changes at ${changed.map(({ item, reason }) => `${item} (${reason})`).join('; ')}`,
  }
}

/** The answer for an intent that stayed. */
export function stayed(reason: string): IntentAnswer {
  return { success: true, score: 1, reason }
}
