import type { Judge, PromptPart } from '../../ports/judge.ts'
import { type JudgedItem, judgeItems } from '../judged/judge-items.ts'
import { SOURCE_CHARS_PER_QUESTION } from '../judged/limits.ts'
import { ChunkIndex, chunksOf } from '../local/chunks.ts'
import { type Turn, transcriptOf, turnText } from './turns.ts'

/** Items that are looked up in a conversation. */
export interface TurnsQuestion<Verdict extends string> {
  /** Names the prompt and its version. */
  readonly prompt: string
  readonly task: string
  readonly turns: readonly Turn[]
  readonly items: readonly string[]
  readonly verdicts: readonly Verdict[]
  /** Verdicts that hold only with a quote, and then whatever the rest of the conversation says. */
  readonly shown: readonly Verdict[]
  /** The verdict that holds as long as nothing shows another. */
  readonly otherwise: Verdict
  /** The turns that may be quoted; all when absent. */
  readonly quotable?: (turn: Turn) => boolean
  /** Further material needed to understand the items; data. */
  readonly material?: readonly Exclude<PromptPart, string>[]
}

/** How long a part of a turn is when a long conversation is searched, in characters. */
const CHUNK_CHARS = 2_000

/**
 * The verdict that a conversation supports for each item. One that is too long for a question is asked about in parts,
 * those that have most to do with the items first, until something is shown about an item or the conversation has
 * ended.
 */
export async function judgeByTurns<const Verdict extends string>(
  judge: Judge,
  question: TurnsQuestion<Verdict>,
): Promise<JudgedItem<Verdict>[]> {
  const { turns, items, otherwise, shown } = question
  const isShown = (verdict: Verdict | undefined) => verdict !== undefined && shown.includes(verdict)
  if (items.length === 0) return []
  const parts = partsOf(turns, items)
  const decided = new Map<string, JudgedItem<Verdict>>()
  let open = [...new Set(items)]
  for (const part of parts) {
    for (const item of await judgePart(judge, question, open, part)) {
      const before = decided.get(item.item)?.verdict ?? otherwise
      if (before === otherwise || shown.includes(item.verdict)) decided.set(item.item, item)
    }
    open = open.filter((item) => !isShown(decided.get(item)?.verdict))
    if (open.length === 0) break
  }
  return items.map(
    (item) => decided.get(item) ?? { item, verdict: otherwise, quote: '', reason: 'nothing was said' },
  )
}

function partsOf(turns: readonly Turn[], items: readonly string[]): string[] {
  const whole = transcriptOf(turns)
  if (whole.length <= SOURCE_CHARS_PER_QUESTION) return [whole]
  const chunks = turns.flatMap((turn) => {
    const text = turnText(turn)
    return text.length <= CHUNK_CHARS
      ? [text]
      : chunksOf(text, CHUNK_CHARS).map((chunk, at) =>
          at === 0 ? chunk : `[${turn.at}] ${turn.role}: ${chunk}`,
        )
  })
  return new ChunkIndex(chunks).partsFor(items, SOURCE_CHARS_PER_QUESTION)
}

function judgePart<const Verdict extends string>(
  judge: Judge,
  { prompt, task, turns, verdicts, shown, otherwise, quotable, material = [] }: TurnsQuestion<Verdict>,
  items: readonly string[],
  conversation: string,
): Promise<JudgedItem<Verdict>[]> {
  return judgeItems(judge, {
    prompt,
    task: `${task}\nThe conversation has a number in brackets before each turn; do not quote the numbers.`,
    material: [...material, { label: 'conversation', data: conversation }],
    items,
    verdicts,
    evidence: { verdicts: shown, source: transcriptOf(quotable ? turns.filter(quotable) : turns), otherwise },
  })
}
