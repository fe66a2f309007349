import { commonUnits, countUnits, type UnitSet } from '../../domain/unit-set.ts'
import type { WorkLeft } from '../../ports/work-storage.ts'

/** The next state of a piece of work after a part of it was recorded: it ends, is held on to, or is given back. */
export type WorkAfter =
  | { readonly becomes: 'done' }
  | { readonly becomes: 'leased' | 'ready'; readonly units: UnitSet; readonly inMs: number }

/**
 * Units that were deleted since the work was taken are no longer in `held`, even if the worker has still to do them.
 */
export function workAfter(left: WorkLeft | undefined, held: UnitSet): WorkAfter {
  if (!left) return { becomes: 'done' }
  const units = commonUnits(left.units, held)
  if ('holdMs' in left) return { becomes: 'leased', units, inMs: left.holdMs }
  if (countUnits(units) === 0) return { becomes: 'done' }
  return { becomes: 'ready', units, inMs: left.readyInMs }
}
