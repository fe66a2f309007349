import { findTextChecks, meetsChecks } from '../text-checks/find-text-checks.ts'
import { saidBy, type Turn } from '../trajectory/turns.ts'

/** A condition that code decides; undefined where this trajectory leaves it open. */
export type CompiledCondition = (turns: readonly Turn[]) => boolean | undefined

const SUBJECT =
  /^(?:that )?(?:the |its |every |each |all )?(?:agents?|assistants?|bot|model|it|final answer|last answer|final response|answers?|responses?|repl(?:y|ies)|messages?|trajectory|conversation|flow)?(?:['’]s)? ?(?:is expected to|should always|must always|should|must|shall|has to|needs to|always|will)?\s*/i
const NEGATION = /^(?:never|does not|doesn['’]t|do not|don['’]t|must not|should not|not)\s+(?:ever )?/i

const NAME = '[`"\'“]?([A-Za-z](?:[\\w.:/-]{0,80}\\w)?)[`"\'”]?'
const TIMES = '(?: (at least|at most|exactly|no more than|only)? ?(once|twice|\\d{1,3} times))?'
const CALL = new RegExp(
  `^(?:calls?|uses?|invokes?) (the |a )?((?:tool|function)s? )?${NAME}( tool| function)?${TIMES}[.!]?$`,
  'i',
)
const ORDER = new RegExp(
  `^(?:calls?|uses?|invokes?) (?:the )?(?:tool )?${NAME} before (?:it )?(?:calls|calling|using|uses)? ?(?:the )?(?:tool )?${NAME}[.!]?$`,
  'i',
)
const NO_CALL = /^(?:calls?|uses?|makes?|invokes?) (?:no|any) (?:tools?|tool calls?|functions?|calls?)[.!]?$/i
const CALL_COUNT =
  /^(?:calls?|uses?|makes?|needs?|takes?) (at least|at most|exactly|no more than|fewer than|more than) (\d{1,4}) (?:tools?|tool calls?|calls?|steps?|turns?)[.!]?$/i

/**
 * Turns a simple condition into code: which tools are called, how often and in which order, what is said or not, how long
 * and in which form the answers are. Undefined: the condition is not one of these and has to be judged.
 */
export function compileCondition(condition: string): CompiledCondition | undefined {
  const plain = condition.trim().replaceAll(/\s+/g, ' ')
  const subject = SUBJECT.exec(plain)?.[0] ?? ''
  const rest = plain.slice(subject.length)
  const negation = NEGATION.exec(rest)?.[0] ?? ''
  const claim = rest.slice(negation.length)
  const compiled = compileCalls(claim)
  if (compiled) return negation === '' ? compiled : (turns) => invert(compiled(turns))
  return compileText(plain, subject)
}

function compileCalls(claim: string): CompiledCondition | undefined {
  if (NO_CALL.test(claim)) return (turns) => (namesIn(turns).length === 0) === /\bno\b/i.test(claim)
  const counted = CALL_COUNT.exec(claim)
  if (counted) return (turns) => compare(namesIn(turns).length, counted[1], Number(counted[2]))
  const order = ORDER.exec(claim)
  if (order) return (turns) => isBefore(namesIn(turns), order[1] ?? '', order[2] ?? '')
  const call = CALL.exec(claim)
  if (!call) return undefined
  const [, article, toolBefore, name = '', toolAfter, comparison, times] = call
  // `uses polite words` is about style: a tool is one that is called so, or has a name as only tools have.
  const isTool = toolBefore !== undefined || toolAfter !== undefined || /[_.:/\d]|[a-z][A-Z]/.test(name)
  const isQuoted = new RegExp(`[\`"'“]${escapePattern(name)}[\`"'”]`).test(claim)
  if (!isTool && !(isQuoted && article === undefined)) return undefined
  const wanted =
    times === undefined ? 1 : times === 'once' ? 1 : times === 'twice' ? 2 : Number.parseInt(times, 10)
  return (turns) => {
    const count = namesIn(turns).filter((called) => isSameName(called, name)).length
    return times === undefined ? count > 0 : compare(count, comparison ?? 'exactly', wanted)
  }
}

/** Demands on texts hold for the last answer, or for every one where the condition says so or forbids something. */
function compileText(condition: string, subject: string): CompiledCondition | undefined {
  const { checks, isWholly } = findTextChecks(condition)
  if (!isWholly) return undefined
  const isAboutAll =
    /\b(?:every|each|all)\b/i.test(subject) || /\b(?:never|not|no|without|avoid)\b/i.test(condition)
  return (turns) => {
    const answers = saidBy(turns, 'assistant').map(({ text }) => text)
    if (answers.length === 0) return undefined
    if (isAboutAll) return answers.every((text) => meetsChecks(text, checks) === true)
    if (/\b(?:mention|includ|contain|say|use)/i.test(condition))
      return meetsChecks(answers.join('\n'), checks)
    return meetsChecks(answers.at(-1) ?? '', checks)
  }
}

function namesIn(turns: readonly Turn[]): string[] {
  return turns.flatMap(({ calls }) => calls.map(({ name }) => name))
}

function isSameName(called: string, name: string): boolean {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z\d]/g, '')
  return plain(called) === plain(name)
}

function isBefore(names: readonly string[], first: string, second: string): boolean {
  const [a, b] = [first, second].map((name) => names.findIndex((called) => isSameName(called, name)))
  return a !== undefined && b !== undefined && a >= 0 && (b < 0 || a < b)
}

function compare(count: number, comparison: string | undefined, wanted: number): boolean {
  switch (comparison?.toLowerCase()) {
    case 'at least':
      return count >= wanted
    case 'at most':
    case 'no more than':
      return count <= wanted
    case 'fewer than':
      return count < wanted
    case 'more than':
      return count > wanted
    default:
      return count === wanted
  }
}

function invert(outcome: boolean | undefined): boolean | undefined {
  return outcome === undefined ? undefined : !outcome
}

function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')
}
