import { oneLine } from '../../lib/one-line.ts'
import { invalidInput } from '../../lib/public-error.ts'
import type { Judge } from '../../ports/judge.ts'
import { AlignedSource } from '../local/align-statement.ts'
import { judgeByTurns } from '../trajectory/judge-by-turns.ts'
import { requireReadable, type Turn, transcriptOf } from '../trajectory/turns.ts'
import { compileCondition } from './compile-condition.ts'

/** Which conditions are met. */
export interface ConditionShare {
  readonly score: number
  readonly reason: string
}

/** Most conditions of one call. */
const CONDITIONS_MAX = 100
const QUOTED_CHARS_MAX = 160

const TASK = [
  'Each item is a condition on what an agent says and does. Decide whether the conversation meets it.',
  'met: it does; quote the words or the call that show it.',
  'violated: the agent does what the condition forbids; quote the words or the call that show it.',
  'nothing_against: the condition only forbids something, or applies only in a case that does not occur, and nothing in',
  'the conversation goes against it.',
  'not_met: what the condition asks for is not there, or only in part.',
].join('\n')

// Words by which a condition forbids something; what it forbids is then looked for.
const FORBIDS = /\b(?:never|not|no|without|avoids?|refrains? from|doesn['’]t|don['’]t)\b/i

/** From this share of its words on, in one passage, a condition is taken to be met. */
const COVERAGE_MIN = 0.5
const SIMILARITY_MIN = 0.5

/** Simple conditions are decided in code, the others one by one by the judge; the score is the share of those met. */
export async function judgeConditions(
  turns: readonly Turn[],
  conditions: readonly string[],
  judge: Judge,
): Promise<ConditionShare> {
  requireReadable('trajectory_prompts', transcriptOf(turns))
  const decided = decideInCode(turns, conditions)
  const open = conditions.filter((condition) => !decided.has(condition))
  const judged = await judgeByTurns(judge, {
    prompt: 'agent-flow-quality/conditions@1',
    task: TASK,
    turns,
    items: open,
    verdicts: ['met', 'violated', 'nothing_against', 'not_met'],
    shown: ['met', 'violated'],
    otherwise: 'not_met',
  })
  judge.note('conditions', { code: Object.fromEntries(decided), judge: judged })
  for (const { item, verdict } of judged)
    decided.set(item, verdict === 'met' || verdict === 'nothing_against')
  return shareMet(conditions, decided)
}

/** The same without a language model: what code cannot decide is looked for by words and meaning. */
export function judgeConditionsLocally(
  turns: readonly Turn[],
  conditions: readonly string[],
): ConditionShare {
  const decided = decideInCode(turns, conditions)
  const said = turns
    .filter(({ role }) => role === 'assistant')
    .map((turn) => transcriptOf([turn]).replaceAll(/^\[\d+\] /gm, ''))
    .join('\n')
  const source = new AlignedSource(said)
  for (const condition of conditions) {
    if (decided.has(condition)) continue
    const { coverage, similarity } = source.align(claimOf(condition, said.includes('?')))
    const isThere = coverage >= COVERAGE_MIN || similarity >= SIMILARITY_MIN
    decided.set(condition, FORBIDS.test(condition) ? !isThere : isThere)
  }
  return shareMet(conditions, decided)
}

/** The claim of a condition, without its subject; the question mark shows that something is asked. */
function claimOf(condition: string, hasQuestion: boolean): string {
  const claim = condition.replaceAll(/\b(?:agents?|assistants?|users?|always|never|should|must)\b/gi, ' ')
  return hasQuestion ? claim.replaceAll(/\basks?\b/gi, ' ') : claim
}

function decideInCode(turns: readonly Turn[], conditions: readonly string[]): Map<string, boolean> {
  if (conditions.length > CONDITIONS_MAX)
    throw invalidInput(`config.conditions must have at most ${CONDITIONS_MAX} items`)
  const decided = new Map<string, boolean>()
  for (const condition of conditions) {
    const isMet = compileCondition(condition)?.(turns)
    if (isMet !== undefined) decided.set(condition, isMet)
  }
  return decided
}

function shareMet(conditions: readonly string[], decided: ReadonlyMap<string, boolean>): ConditionShare {
  const met = conditions.filter((condition) => decided.get(condition) === true).length
  const lines = conditions.map((condition) => {
    const outcome = decided.get(condition) === true ? 'met' : 'not met'
    return `${oneLine(condition.replace(/[.\s]+$/, ''), QUOTED_CHARS_MAX)}: ${outcome}`
  })
  return { score: met / conditions.length, reason: `${lines.join('; ')}.` }
}
