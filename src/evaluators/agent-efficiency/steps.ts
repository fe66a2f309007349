import { canonicalJson } from '../../lib/canonical-json.ts'
import { oneLine } from '../../lib/one-line.ts'
import { detectToolError } from '../agent-tool-error-detector/detect-tool-error.ts'
import { callText, type Turn } from '../trajectory/turns.ts'

/** Something that an agent did: a call of a tool, or a turn in which it only spoke. */
export interface Step {
  /** The turn that it was done in. */
  readonly at: number
  readonly text: string
  /** Equal for steps that do the same. */
  readonly key: string
  /** The result of the step, where it is known. */
  readonly result?: string
}

/** Why a step was one too many, as far as code can tell. */
export interface Waste {
  readonly kind: 'repeat' | 'loop' | 'retried error'
  readonly why: string
}

/** How much of a step is quoted, in characters. */
const QUOTED_CHARS_MAX = 160

/** Errors after which the same call may pass: one more try is no waste. */
const PASSING_ERROR =
  /\b(?:time(?:d )?-?out|429|50[0234]|rate limit|too many requests|temporar|unavailable|connection (?:reset|refused|closed)|try again)/i

/** The steps of a trajectory in order, each with its result. */
export function stepsOf(turns: readonly Turn[]): Step[] {
  return turns.flatMap((turn, place) => {
    if (turn.role !== 'assistant') return []
    if (turn.calls.length === 0) return turn.text.trim() === '' ? [] : [spokenStep(turn, turns[place + 1])]
    const results = resultsAfter(turns, place)
    return turn.calls.map((call, at): Step => {
      const result = results[at]?.text
      return {
        at: turn.at,
        text: callText(call),
        key: `${call.name} ${canonicalJson(call.arguments)}`,
        ...(result !== undefined && { result }),
      }
    })
  })
}

/** A turn without a call may still tell of one; what the agent was told next is then its result. */
function spokenStep(turn: Turn, next: Turn | undefined): Step {
  const result = next !== undefined && next.role !== 'assistant' ? next.text : undefined
  const key = turn.text.toLowerCase().replaceAll(/\s+/g, ' ').trim()
  return { at: turn.at, text: turn.text, key, ...(result !== undefined && { result }) }
}

function resultsAfter(turns: readonly Turn[], place: number): Turn[] {
  const rest = turns.slice(place + 1)
  const end = rest.findIndex(({ role }) => role !== 'tool')
  const results = end < 0 ? rest : rest.slice(0, end)
  // A client without messages of tools gives the results as what the agent is told next.
  return results.length > 0 ? results : rest.slice(0, 1).filter(({ role }) => role === 'user')
}

/**
 * The steps that were one too many: those that do the same as a step before and learn nothing new from it. A step that gave
 * something else the second time, such as a look at a status, is left to judgement, and so is one more try after an error
 * that may pass by itself.
 */
export function findWaste(steps: readonly Step[]): Map<Step, Waste> {
  const waste = new Map<Step, Waste>()
  const before = new Map<string, Step[]>()
  for (const [place, step] of steps.entries()) {
    const same = before.get(step.key) ?? []
    const last = same.at(-1)
    if (last && !learnsMore(last, step)) {
      const why = `turn ${step.at} repeats turn ${last.at}: ${oneLine(step.text, QUOTED_CHARS_MAX)}`
      if (last.result !== undefined && failed(last)) {
        if (same.length > 1 || !PASSING_ERROR.test(last.result))
          waste.set(step, { kind: 'retried error', why })
      } else waste.set(step, { kind: isLoop(steps, place) ? 'loop' : 'repeat', why })
    }
    before.set(step.key, [...same, step])
  }
  return waste
}

function learnsMore(first: Step, second: Step): boolean {
  if (first.result === undefined || second.result === undefined) return false
  return !failed(first) && first.result.trim() !== second.result.trim()
}

function failed({ text, result = '' }: Step): boolean {
  return detectToolError(text, result).verdict === 'error'
}

/** Whether the stretch of two or more steps that ends here was gone through right before. */
function isLoop(steps: readonly Step[], end: number): boolean {
  for (let length = 2; length * 2 <= end + 1 && length <= 20; length++) {
    const isSame = Array.from({ length }, (_, at) => at).every(
      (at) => steps[end - at]?.key === steps[end - at - length]?.key,
    )
    if (isSame) return true
  }
  const [one, two] = [steps[end - 1], steps[end - 2]]
  return one?.key === steps[end]?.key && two?.key === steps[end]?.key
}
