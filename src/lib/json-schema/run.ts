import { invalidInput } from '../public-error.ts'
import type { Resource } from './schema-model.ts'

/** How many schemas may be applied, or values compared, inside each other; keeps the call stack below its limit, with room to spare. */
export const LEVELS_MAX = 1_000

/** How many subschemas one validation may apply; ends schemas whose branches multiply without end. */
export const STEPS_MAX = 20_000_000

/** The steps and depth that one validation has used so far, and its path. */
export interface Run {
  steps: number
  depth: number
  /** The resources entered, outermost first; only for schemas whose references depend on it. */
  readonly scope: Resource[] | undefined
}

/** A validation that has not begun. */
export function startRun(scope: Resource[] | undefined): Run {
  return { steps: 0, depth: 0, scope }
}

/** Counts work that is about to be done. Throws a 400 when a validation takes too much of it. */
export function spend(run: Run, steps: number): void {
  run.steps += steps
  if (run.steps > STEPS_MAX) {
    throw invalidInput(
      `config.schema_string takes more than ${STEPS_MAX} steps to check this text; simplify its combinations of schemas`,
    )
  }
}

/** Goes `levels` schemas deeper. Throws a 400 when that is too deep. The caller subtracts them again. */
export function descend(run: Run, levels: number): void {
  run.depth += levels
  if (run.depth > LEVELS_MAX) {
    throw invalidInput(
      `checking input.text against config.schema_string goes deeper than ${LEVELS_MAX} levels: ` +
        'the text is nested too deeply, or the schema refers to itself without end',
    )
  }
}
