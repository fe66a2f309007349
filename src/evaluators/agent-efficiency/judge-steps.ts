import { oneLine } from '../../lib/one-line.ts'
import type { Judge } from '../../ports/judge.ts'
import { judgeItems } from '../judged/judge-items.ts'
import { type Turn, transcriptOf } from '../trajectory/turns.ts'
import { windowsOf } from '../trajectory/windows.ts'
import { findWaste, type Step, stepsOf } from './steps.ts'

/** How free of redundant steps a trajectory is. */
export interface StepEfficiency {
  readonly score: number
  readonly reason: string
}

const TASK = [
  'Each item is a step of an agent: a call of a tool or a turn in which it spoke. Decide whether the task needed it.',
  'redundant: leaving the step out would have changed nothing, because it fetches what is known already, does what was',
  'done already, or serves nothing that the user wants; quote the earlier turn, or the words of the step, that show it.',
  'needed: anything else. The answer to the user, questions that the agent cannot do without, and first attempts that',
  'turned out wrong are needed.',
].join('\n')

/** How much of a step is given in its item, in characters; the whole of it is in the conversation. */
const ITEM_CHARS_MAX = 300

/** Code finds repeats, loops and retried errors; the judge is asked about the other steps. */
export async function judgeSteps(turns: readonly Turn[], judge: Judge): Promise<StepEfficiency> {
  const steps = stepsOf(turns)
  const waste = new Map([...findWaste(steps)].map(([step, { kind, why }]) => [step, `${kind}: ${why}`]))
  // A single step cannot be one too many.
  const open = steps.length > 1 ? steps.filter((step) => !waste.has(step)) : []
  for (const window of windowsOf(turns)) {
    const fresh = new Set(window.fresh.map(({ at }) => at))
    const items = open.filter(({ at }) => fresh.has(at))
    if (items.length === 0) continue
    const judged = await judgeItems(judge, {
      prompt: 'agent-efficiency/steps@1',
      task: TASK,
      material: [{ label: 'conversation', data: transcriptOf(window.turns) }],
      items: items.map(({ at, text }) => `turn ${at}: ${oneLine(text, ITEM_CHARS_MAX)}`),
      verdicts: ['needed', 'redundant'],
      evidence: { verdicts: ['redundant'], source: transcriptOf(window.turns), otherwise: 'needed' },
    })
    for (const [place, { verdict, reason }] of judged.entries()) {
      const step = items[place]
      if (step && verdict === 'redundant') waste.set(step, `turn ${step.at}: ${reason}`)
    }
  }
  judge.note('redundant_steps', [...waste.values()])
  return efficiencyOf(steps, [...waste.values()])
}

/** The same without a language model: only what code finds. */
export function judgeStepsLocally(turns: readonly Turn[]): StepEfficiency {
  const steps = stepsOf(turns)
  return efficiencyOf(
    steps,
    [...findWaste(steps).values()].map(({ kind, why }) => `${kind}: ${why}`),
  )
}

function efficiencyOf(steps: readonly Step[], waste: readonly string[]): StepEfficiency {
  if (steps.length === 0) return { score: 1, reason: 'There are no steps.' }
  const reason =
    waste.length === 0
      ? `No redundant step among ${steps.length}.`
      : `${waste.length} of ${steps.length} steps redundant: ${waste.join('; ')}`
  return { score: (steps.length - waste.length) / steps.length, reason }
}
