import { SOURCE_CHARS_PER_QUESTION } from '../judged/limits.ts'
import { type Turn, turnText } from './turns.ts'

/** How many turns of the window before a window begins with: what an answer at the border refers to. */
const OVERLAP_TURNS = 2

/** A stretch of a conversation that fits into one question; `fresh` are the turns that no window before it has. */
export interface TurnWindow {
  readonly turns: readonly Turn[]
  readonly fresh: readonly Turn[]
}

/**
 * A conversation in stretches of at most `charsMax` characters. Every turn is fresh in exactly one of them; a turn that is
 * longer than a stretch has one of its own.
 */
export function windowsOf(
  turns: readonly Turn[],
  charsMax: number = SOURCE_CHARS_PER_QUESTION,
): TurnWindow[] {
  const windows: { turns: Turn[]; fresh: Turn[] }[] = []
  let chars = Number.POSITIVE_INFINITY
  for (const turn of turns) {
    const length = turnText(turn).length
    let open = windows.at(-1)
    if (!open || chars + length > charsMax) {
      const before = open?.turns.slice(-OVERLAP_TURNS) ?? []
      const overlap = before.reduce((sum, { text }) => sum + text.length, 0) + length > charsMax ? [] : before
      open = { turns: [...overlap], fresh: [] }
      windows.push(open)
      chars = overlap.reduce((sum, one) => sum + turnText(one).length, 0)
    }
    open.turns.push(turn)
    open.fresh.push(turn)
    chars += length
  }
  return windows
}
