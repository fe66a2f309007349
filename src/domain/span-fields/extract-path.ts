import { isObject, structureOf } from './json-value.ts'

/** Longest path that is followed. */
const STEPS_MAX = 100

/**
 * The value at a path of names and indexes, for example `0.text`, `choices[0].message.content`, `["a.b"].c` or `-1` for
 * the last of a list; a leading `$` is allowed and the empty path is the value itself. Text on the way is read as JSON.
 * Undefined when there is nothing or null.
 */
export function extractPath(value: unknown, jsonPath: string): unknown {
  const steps = stepsOf(jsonPath)
  if (!steps) return undefined
  let current = value
  for (const step of steps) {
    const structure = structureOf(current)
    if (Array.isArray(structure)) current = /^-?\d{1,9}$/.test(step) ? structure.at(Number(step)) : undefined
    else current = isObject(structure) && Object.hasOwn(structure, step) ? structure[step] : undefined
    if (current === undefined || current === null) return undefined
  }
  return current ?? undefined
}

/** Whether a path can be followed at all, so that a mapping can be refused when it is written. */
export function isPath(jsonPath: string): boolean {
  return stepsOf(jsonPath) !== undefined
}

// One step each: ["name"] or ['name'], [0], or a name up to the next dot or bracket.
const STEP = /\["([^"]*)"\]|\['([^']*)'\]|\[(-?\d+)\]|([^.[\]]+)/y

function stepsOf(jsonPath: string): string[] | undefined {
  const path = jsonPath.trim().replace(/^\$\.?/, '')
  const steps: string[] = []
  STEP.lastIndex = 0
  while (STEP.lastIndex < path.length) {
    if (steps.length > 0 && path[STEP.lastIndex] === '.') STEP.lastIndex++
    const match = STEP.exec(path)
    if (!match || steps.length === STEPS_MAX) return undefined
    steps.push(match[1] ?? match[2] ?? match[3] ?? (match[4] as string))
  }
  return path.endsWith('.') ? undefined : steps
}
