import { ValueSketch } from '../lib/value-sketch.ts'

/** Most different texts that one rollup counts by themselves. */
export const ROLLUP_LABELS_MAX = 50

/** Longest text that counts by itself; longer ones are explanations, not labels. */
export const ROLLUP_LABEL_LENGTH_MAX = 64

/** Under this key a rollup counts the texts that are too long or too many. */
export const OTHER_LABELS = '(other)'

/**
 * The summary of many values of one output property. `count`, `sum`, `min`, `max` and `sketch` are about numbers,
 * booleans among them as 0 and 1; `labels` counts texts, and a property of texts has a `count` of 0.
 */
export interface ValueRollup {
  count: number
  sum: number
  min?: number
  max?: number
  sketch?: ValueSketch
  labels?: Record<string, number>
}

/** A rollup of no values. */
export function emptyRollup(): ValueRollup {
  return { count: 0, sum: 0 }
}

/**
 * Takes in one value. A value that is neither a finite number, a boolean nor a text is ignored: it has no place on a
 * chart.
 */
export function addToRollup(rollup: ValueRollup, value: unknown): void {
  if (typeof value === 'string') addLabel(rollup, value, 1)
  else if (typeof value === 'boolean') addNumber(rollup, value ? 1 : 0)
  else if (typeof value === 'number' && Number.isFinite(value)) addNumber(rollup, value)
}

/**
 * Takes one value out again. The bounds stay exact as long as the histogram knows the outermost value exactly; after the
 * outermost of several different values of one bucket went, the new bound is within 1 % of the true one.
 */
export function removeFromRollup(rollup: ValueRollup, value: unknown): void {
  if (typeof value === 'string') removeLabel(rollup, value)
  else if (typeof value === 'boolean') removeNumber(rollup, value ? 1 : 0)
  else if (typeof value === 'number' && Number.isFinite(value)) removeNumber(rollup, value)
}

/** Takes in another rollup, which stays as it is. */
export function mergeRollups(into: ValueRollup, other: ValueRollup): void {
  into.count += other.count
  into.sum = saturated(into.sum + other.sum)
  if (other.min !== undefined) into.min = Math.min(into.min ?? other.min, other.min)
  if (other.max !== undefined) into.max = Math.max(into.max ?? other.max, other.max)
  if (other.sketch) {
    into.sketch ??= new ValueSketch()
    into.sketch.merge(other.sketch)
  }
  for (const [label, count] of Object.entries(other.labels ?? {})) {
    if (count > 0) addLabel(into, label, count)
  }
}

function addNumber(rollup: ValueRollup, value: number): void {
  rollup.count++
  rollup.sum = saturated(rollup.sum + value)
  rollup.min = Math.min(rollup.min ?? value, value)
  rollup.max = Math.max(rollup.max ?? value, value)
  rollup.sketch ??= new ValueSketch()
  rollup.sketch.add(value)
}

function removeNumber(rollup: ValueRollup, value: number): void {
  const { sketch, min, max } = rollup
  if (!sketch || min === undefined || max === undefined || !sketch.remove(value)) return
  rollup.count--
  if (rollup.count === 0) {
    // Nothing is left, so nothing that rounding has added to the sum may be left either.
    rollup.sum = 0
    delete rollup.min
    delete rollup.max
    delete rollup.sketch
    return
  }
  rollup.sum = saturated(rollup.sum - value)
  if (value <= min) rollup.min = Math.max(min, Math.min(max, sketch.quantile(0) as number))
  if (value >= max) rollup.max = Math.min(max, Math.max(min, sketch.quantile(1) as number))
}

// An infinite sum could later become NaN by a sum of the other sign, which no store keeps.
function saturated(sum: number): number {
  return Math.min(Math.max(sum, -Number.MAX_VALUE), Number.MAX_VALUE)
}

function addLabel(rollup: ValueRollup, text: string, count: number): void {
  const labels = ownLabels(rollup)
  const isKnown = text in labels
  // The key for all others is not one of the labels that count against the limit.
  const used = Object.keys(labels).length - (OTHER_LABELS in labels ? 1 : 0)
  const fits = isKnown || (text.length <= ROLLUP_LABEL_LENGTH_MAX && used < ROLLUP_LABELS_MAX)
  const label = fits ? text : OTHER_LABELS
  labels[label] = (labels[label] ?? 0) + count
}

function removeLabel(rollup: ValueRollup, text: string): void {
  const labels = ownLabels(rollup)
  const label = text in labels ? text : OTHER_LABELS
  const count = labels[label]
  if (!count) return
  labels[label] = count - 1
  // While others are counted together, a label keeps its place: were it given up, the same text could later be counted
  // in two places and be taken out of the wrong one.
  if (count === 1 && !(OTHER_LABELS in labels && label !== OTHER_LABELS)) delete labels[label]
  if (Object.keys(labels).length === 0) delete rollup.labels
}

// Without a prototype, so that a text such as `constructor` or `__proto__` is a label like any other.
function ownLabels(rollup: ValueRollup): Record<string, number> {
  if (!rollup.labels || Object.getPrototypeOf(rollup.labels) !== null) {
    rollup.labels = Object.assign(Object.create(null), rollup.labels) as Record<string, number>
  }
  return rollup.labels
}
