import type { ClaimTurns } from '../../ports/work-storage.ts'

/** The turns at the start: no project has been served. */
export const NO_TURNS: ClaimTurns = { ahead: [], resting: [] }

/** Projects that wait, in the order of their turns, without those that get nothing now. */
export function inTurn(waiting: readonly number[], { ahead, resting }: ClaimTurns): number[] {
  const placeOf = new Map(ahead.map((project, at) => [project, at + 1]))
  const isResting = new Set(resting)
  return waiting
    .filter((project) => !isResting.has(project))
    .toSorted((left, right) => (placeOf.get(left) ?? 0) - (placeOf.get(right) ?? 0))
}

/**
 * Takes up to `limit` things of projects in turn. Each gets an equal share of what is left for it and those behind it, so that
 * places which one project does not use go to the next. The next claim fills the places that are still free.
 */
export function takeInTurn<Taken>(
  projects: readonly number[],
  limit: number,
  take: (project: number, share: number) => readonly Taken[],
): Taken[] {
  const taken: Taken[] = []
  for (const [at, project] of projects.entries()) {
    const room = limit - taken.length
    if (room <= 0) break
    taken.push(...take(project, Math.ceil(room / (projects.length - at))))
  }
  return taken
}
