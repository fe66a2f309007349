import type { Judge } from '../../ports/judge.ts'
import { detectToolError } from '../agent-tool-error-detector/detect-tool-error.ts'
import { judgeByTurns } from '../trajectory/judge-by-turns.ts'
import { exchangesOf, isAbout, isRefusal } from '../trajectory/local-goals.ts'
import { requireReadable, type Turn, transcriptOf } from '../trajectory/turns.ts'
import { askForGoals } from '../trajectory/user-goals.ts'

/** Whether something was moved forward, and why. */
export interface Advancement {
  readonly pass: boolean
  readonly reason: string
}

const ADVANCED_TASK = [
  'Each item is a goal of the user. Decide whether the assistant moved it forward.',
  'advanced: the assistant reached it, did a part of it, gave information that is needed for it, called a tool for it, or',
  'asked for something that it cannot do without; quote the turn of the assistant that shows it.',
  'not_advanced: it did none of that, or only repeated, evaded, refused or talked about something else.',
].join('\n')

const CONSISTENT_TASK = [
  'Each item is a turn of an assistant that is said to have moved a goal forward. Decide whether it agrees with what the',
  'tools returned.',
  'contradicted: a result of a tool says something else, for example an error where the assistant reports success, or',
  'another value; quote the result of the tool.',
  'consistent: anything else.',
].join('\n')

const NOTHING_SAID: Advancement = { pass: false, reason: 'The assistant said and did nothing.' }
const NOTHING_WANTED: Advancement = {
  pass: true,
  reason: 'The user asks for nothing that could be moved forward.',
}

/** At least one goal is moved forward by words or calls that no result of a tool contradicts. */
export async function askWhetherAdvanced(turns: readonly Turn[], judge: Judge): Promise<Advancement> {
  requireReadable('messages', transcriptOf(turns))
  if (!turns.some(isDeed)) return NOTHING_SAID
  const goals = await askForGoals(judge, 'action-advancement', turns)
  if (goals.length === 0) return NOTHING_WANTED
  const judged = await judgeByTurns(judge, {
    prompt: 'action-advancement/advanced@1',
    task: ADVANCED_TASK,
    turns,
    items: goals,
    verdicts: ['advanced', 'not_advanced'],
    shown: ['advanced'],
    otherwise: 'not_advanced',
    quotable: ({ role }) => role === 'assistant',
  })
  judge.note('goals', judged)
  const advanced = judged.filter(({ verdict }) => verdict === 'advanced')
  if (advanced.length === 0)
    return { pass: false, reason: judged.map(({ item, reason }) => `${item}: ${reason}`).join('; ') }
  const refuted = await findRefuted(
    turns,
    advanced.map(({ quote }) => quote),
    judge,
  )
  const kept = advanced.find(({ quote }) => !refuted.has(quote))
  if (kept) return { pass: true, reason: `${kept.item}: ${kept.reason}` }
  return { pass: false, reason: `Contradicted by a tool: ${[...refuted.values()].join('; ')}` }
}

/** The quotes that a result of a tool contradicts, each with the reason; no judge is asked where no tool returned anything. */
async function findRefuted(
  turns: readonly Turn[],
  quotes: readonly string[],
  judge: Judge,
): Promise<ReadonlyMap<string, string>> {
  if (!turns.some(({ role }) => role === 'tool')) return new Map()
  const judged = await judgeByTurns(judge, {
    prompt: 'action-advancement/consistent@1',
    task: CONSISTENT_TASK,
    turns,
    items: quotes,
    verdicts: ['consistent', 'contradicted'],
    shown: ['contradicted'],
    otherwise: 'consistent',
    quotable: ({ role }) => role === 'tool',
  })
  judge.note('consistency', judged)
  return new Map(
    judged.flatMap(({ item, verdict, reason }) => (verdict === 'contradicted' ? [[item, reason]] : [])),
  )
}

/** The same without a language model. */
export function advancesLocally(turns: readonly Turn[]): Advancement {
  if (!turns.some(isDeed)) return NOTHING_SAID
  const exchanges = exchangesOf(turns)
  if (exchanges.length === 0) return NOTHING_WANTED
  for (const { user, answers } of exchanges) {
    let hasFailed = false
    for (const turn of answers) {
      if (turn.role === 'tool') hasFailed = detectToolError('', turn.text).verdict === 'error'
      if (turn.role !== 'assistant') continue
      if (turn.calls.length > 0) continue
      if (turn.text.trim() === '' || isRefusal(turn.text)) continue
      if (hasFailed && !/\?|\b(?:error|fail|problem|issue|unfortunately|sorry)/i.test(turn.text)) continue
      if (isAbout(user.text, turn.text))
        return { pass: true, reason: `Turn ${turn.at} answers turn ${user.at}.` }
    }
    const call = answers.find(({ calls }) => calls.length > 0)
    const isWaiting = call !== undefined && answers.at(-1) === call
    if (isWaiting || (call !== undefined && answers.at(-1)?.role === 'tool' && !hasFailed))
      return { pass: true, reason: `Turn ${call.at} calls a tool for turn ${user.at}.` }
  }
  return { pass: false, reason: 'No turn of the assistant has to do with what the user wants.' }
}

function isDeed({ role, text, calls }: Turn): boolean {
  return role === 'assistant' && (text.trim() !== '' || calls.length > 0)
}
