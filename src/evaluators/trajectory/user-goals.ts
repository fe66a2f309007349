import type { Judge } from '../../ports/judge.ts'
import type { JudgedItem } from '../judged/judge-items.ts'
import { SOURCE_CHARS_PER_QUESTION } from '../judged/limits.ts'
import { splitStatements } from '../judged/split-statements.ts'
import { judgeByTurns } from './judge-by-turns.ts'
import { saidBy, type Turn, transcriptOf } from './turns.ts'

const GOALS = [
  'A statement is here one goal: something that the user wants the assistant to do, find out, explain or give.',
  'Greetings, thanks, consent, complaints and mere information are no goals. A sentence that only adds a detail to a goal',
  'stated before, or repeats it, is no goal of its own; write each goal with the details that later sentences add.',
  'Results of tools that stand among the turns of the user are no goals.',
].join(' ')

const FULFILLED_TASK = [
  'Each item is a goal of the user. Decide whether the assistant fulfilled it by the end of the conversation.',
  'fulfilled: the assistant did or gave what was wanted, with all details; quote the turn that shows it. A promise, a',
  'question back, a refusal or a claim that a result of a tool contradicts fulfils nothing.',
  'open: anything else.',
].join('\n')

/** The goals of the user in a conversation, each understandable alone. `slug` names who asks. */
export function askForGoals(judge: Judge, slug: string, turns: readonly Turn[]): Promise<string[]> {
  const transcript = transcriptOf(turns)
  return splitStatements(judge, {
    prompt: `${slug}/goals@1`,
    text: saidBy(turns, 'user')
      .map(({ text }) => text)
      .join('\n'),
    // The rest of the conversation only explains what a user's sentence refers to.
    material:
      transcript.length <= SOURCE_CHARS_PER_QUESTION ? [{ label: 'conversation', data: transcript }] : [],
    what: GOALS,
  })
}

/** Which goals are fulfilled, with the words of the assistant or of a tool that show it. */
export async function askWhetherFulfilled(
  judge: Judge,
  slug: string,
  turns: readonly Turn[],
  goals: readonly string[],
): Promise<JudgedItem<'fulfilled' | 'open'>[]> {
  return judgeByTurns(judge, {
    prompt: `${slug}/fulfilled@1`,
    task: FULFILLED_TASK,
    turns,
    items: goals,
    verdicts: ['fulfilled', 'open'],
    shown: ['fulfilled'],
    otherwise: 'open',
    quotable: ({ role }) => role !== 'user' && role !== 'system',
  })
}

/** The share of items with a verdict. */
export function shareOf<Verdict extends string>(
  items: readonly { readonly verdict: Verdict }[],
  verdict: Verdict,
): number {
  return items.filter((item) => item.verdict === verdict).length / items.length
}
