import { oneLine } from '../../lib/one-line.ts'
import type { Judge } from '../../ports/judge.ts'
import { exchangesOf, seemsFulfilled } from './local-goals.ts'
import { readExchanges, requireReadable, type Turn, transcriptOf } from './turns.ts'
import { askForGoals, askWhetherFulfilled } from './user-goals.ts'

/** How many of the goals of the user are fulfilled. */
export interface GoalShare {
  readonly score: number
  readonly reason: string
}

/** How much of a goal is quoted in a reason, in characters. */
const QUOTED_CHARS_MAX = 160

/** Reads the two lists of a trajectory. */
export function readTrajectory(input: {
  readonly trajectory_prompts: readonly unknown[]
  readonly trajectory_completions: readonly unknown[]
}): Turn[] {
  return readExchanges(input.trajectory_prompts, input.trajectory_completions, [
    'trajectory_prompts',
    'trajectory_completions',
  ])
}

/**
 * The share of the goals that are fulfilled. Where the assistant said and did nothing, none is, and no judge needs to be asked; a
 * user who wants nothing leaves nothing open.
 */
export async function judgeGoals(judge: Judge, slug: string, turns: readonly Turn[]): Promise<GoalShare> {
  requireReadable('trajectory_prompts', transcriptOf(turns))
  if (isUnanswered(turns)) return UNANSWERED
  const goals = await askForGoals(judge, slug, turns)
  const judged = await askWhetherFulfilled(judge, slug, turns, goals)
  judge.note('goals', judged)
  return explainGoals(
    judged.map(({ item, verdict }) => ({ goal: item, isFulfilled: verdict === 'fulfilled' })),
  )
}

/** The same without a language model: every turn of the user that wants something is one goal. */
export function judgeGoalsLocally(turns: readonly Turn[]): GoalShare {
  if (isUnanswered(turns)) return UNANSWERED
  const exchanges = exchangesOf(turns)
  return explainGoals(
    exchanges.map((exchange) => ({ goal: exchange.user.text, isFulfilled: seemsFulfilled(exchange) })),
  )
}

const UNANSWERED: GoalShare = { score: 0, reason: 'The agent said and did nothing.' }

function isUnanswered(turns: readonly Turn[]): boolean {
  return !turns.some(
    ({ role, text, calls }) => role === 'assistant' && (text.trim() !== '' || calls.length > 0),
  )
}

function explainGoals(goals: readonly { readonly goal: string; readonly isFulfilled: boolean }[]): GoalShare {
  if (goals.length === 0) return { score: 1, reason: 'The user asks for nothing that could stay open.' }
  const list = (isFulfilled: boolean) =>
    goals.filter((one) => one.isFulfilled === isFulfilled).map(({ goal }) => oneLine(goal, QUOTED_CHARS_MAX))
  const [fulfilled, open] = [list(true), list(false)]
  const reason = [
    ...(fulfilled.length > 0 ? [`Fulfilled: ${fulfilled.join('; ')}`] : []),
    ...(open.length > 0 ? [`Open: ${open.join('; ')}`] : []),
  ].join(' ')
  return { score: fulfilled.length / goals.length, reason }
}
