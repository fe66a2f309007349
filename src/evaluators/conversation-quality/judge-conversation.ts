import { oneLine } from '../../lib/one-line.ts'
import type { Judge } from '../../ports/judge.ts'
import { type JudgedItem, judgeItems } from '../judged/judge-items.ts'
import { SOURCE_CHARS_PER_QUESTION } from '../judged/limits.ts'
import { splitStatements } from '../judged/split-statements.ts'
import { requireReadable, saidBy, type Turn, transcriptOf } from '../trajectory/turns.ts'
import { askForGoals, askWhetherFulfilled, shareOf } from '../trajectory/user-goals.ts'
import { windowsOf } from '../trajectory/windows.ts'
import { isAnswered, qualityOf, turnsThatCouldForget } from './quality.ts'

const RELEVANT_TASK = [
  'Each item is a turn of the assistant. Decide whether it is a sensible reaction to what was said before it.',
  'relevant: it answers, does, asks or offers something that has to do with it.',
  'irrelevant: it misses what the user said.',
].join('\n')

const FACTS = [
  'A statement is here one fact that the user tells about themselves or about what they want and that an assistant should',
  'keep in mind: names, wishes, limits, numbers, dates, decisions. Requests, questions and greetings hold none.',
].join(' ')

const FORGETS_TASK = [
  'The user told the facts that are given. Each item is a turn of the assistant. Decide whether it keeps in mind what the',
  'user had told before it.',
  'forgets: it asks again for something that the user had told, or says or suggests something that goes against it; quote',
  'the words of the turn that do.',
  'remembers: anything else.',
].join('\n')

/** How much of a turn is given in its item, in characters; the whole of it is in the conversation. */
const ITEM_CHARS_MAX = 300

/** Relevance of the turns (0.4), goals fulfilled (0.4) and knowledge retained (0.2), each a share counted in code. */
export async function judgeConversation(turns: readonly Turn[], judge: Judge): Promise<number> {
  requireReadable('prompts', transcriptOf(turns))
  if (!isAnswered(turns)) return 0
  const relevancy = await askAboutTurns(judge, turns, saidBy(turns, 'assistant'), {
    prompt: 'conversation-quality/relevant@1',
    task: RELEVANT_TASK,
    verdicts: ['relevant', 'irrelevant'],
  })
  const goals = await askForGoals(judge, 'conversation-quality', turns)
  const fulfilled = await askWhetherFulfilled(judge, 'conversation-quality', turns, goals)
  judge.note('turns', relevancy)
  judge.note('goals', fulfilled)
  return qualityOf({
    relevancy: relevancy.length === 0 ? 1 : shareOf(relevancy, 'relevant'),
    completeness: fulfilled.length === 0 ? 1 : shareOf(fulfilled, 'fulfilled'),
    retention: await askAboutMemory(judge, turns),
  })
}

async function askAboutMemory(judge: Judge, turns: readonly Turn[]): Promise<number> {
  const open = turnsThatCouldForget(turns)
  if (open.length === 0) return 1
  const facts = await splitStatements(judge, {
    prompt: 'conversation-quality/facts@1',
    text: saidBy(turns, 'user')
      .map(({ text }) => text)
      .join('\n'),
    what: FACTS,
  })
  if (facts.length === 0) return 1
  const judged = await askAboutTurns(judge, turns, open, {
    prompt: 'conversation-quality/memory@1',
    task: FORGETS_TASK,
    verdicts: ['remembers', 'forgets'],
    facts,
  })
  judge.note('memory', { facts, turns: judged })
  return shareOf(judged, 'remembers')
}

interface TurnTask<Verdict extends string> {
  readonly prompt: string
  readonly task: string
  /** The last one needs a quote where there are facts; without it the first holds. */
  readonly verdicts: readonly [Verdict, Verdict]
  readonly facts?: readonly string[]
}

async function askAboutTurns<const Verdict extends string>(
  judge: Judge,
  turns: readonly Turn[],
  about: readonly Turn[],
  { prompt, task, verdicts, facts }: TurnTask<Verdict>,
): Promise<JudgedItem<Verdict>[]> {
  const known = facts?.join('\n') ?? ''
  const judged: JudgedItem<Verdict>[] = []
  for (const window of windowsOf(turns, SOURCE_CHARS_PER_QUESTION)) {
    const fresh = window.fresh.filter((turn) => about.includes(turn))
    if (fresh.length === 0) continue
    const items = fresh.map(({ at, text }) => `turn ${at}: ${oneLine(text, ITEM_CHARS_MAX)}`)
    judged.push(
      ...(await judgeItems(judge, {
        prompt,
        task,
        material: [
          ...(facts ? [{ label: 'facts', data: known }] : []),
          { label: 'conversation', data: transcriptOf(window.turns) },
        ],
        items,
        verdicts,
        ...(facts && {
          evidence: { verdicts: [verdicts[1]], source: transcriptOf(fresh), otherwise: verdicts[0] },
        }),
      })),
    )
  }
  return judged
}
