import { CHANGE_PROPERTIES, type ChangeProperty, type ValueChange } from './incident.ts'

/** The properties of one call, and the trace that it belongs to. */
export interface CallValues {
  readonly traceId: string
  readonly values: Readonly<Partial<Record<ChangeProperty, string>>>
}

/** Traces that must have a value before it is told: a value of one or two could point to a person. */
const TRACES_MIN = 3
/** The smallest change of a share that is told. */
const SHARE_CHANGE_MIN = 0.2
/** Standard errors beyond which a change of a share is hardly chance. */
const ERRORS_MIN = 4
/** Most changes that are told, the largest first. */
export const VALUE_CHANGES_MAX = 10
/** Calls that both samples must have. */
const CALLS_MIN = 10

/** The values whose share of the calls changed clearly between two samples, the largest changes first. */
export function findValueChanges(before: readonly CallValues[], after: readonly CallValues[]): ValueChange[] {
  if (before.length < CALLS_MIN || after.length < CALLS_MIN) return []
  const changes = CHANGE_PROPERTIES.flatMap((property) => changesOf(property, before, after))
  return changes
    .toSorted((left, right) => sizeOf(right) - sizeOf(left) || byPlace(left, right))
    .slice(0, VALUE_CHANGES_MAX)
}

function changesOf(property: ChangeProperty, before: readonly CallValues[], after: readonly CallValues[]) {
  const values = new Set([...before, ...after].flatMap((call) => call.values[property] ?? []))
  return Array.from(values).flatMap((value): ValueChange[] => {
    const isWith = (call: CallValues) => call.values[property] === value
    const traces = new Set([...before, ...after].filter(isWith).map(({ traceId }) => traceId))
    const change = {
      property,
      value,
      shareBefore: before.filter(isWith).length / before.length,
      shareAfter: after.filter(isWith).length / after.length,
    }
    return traces.size >= TRACES_MIN && isClear(change, before.length, after.length) ? [change] : []
  })
}

function isClear(change: ValueChange, countBefore: number, countAfter: number): boolean {
  if (sizeOf(change) < SHARE_CHANGE_MIN) return false
  const { shareBefore, shareAfter } = change
  const share = (shareBefore * countBefore + shareAfter * countAfter) / (countBefore + countAfter)
  const error = Math.sqrt(share * (1 - share) * (1 / countBefore + 1 / countAfter))
  return sizeOf(change) >= ERRORS_MIN * error
}

function sizeOf({ shareBefore, shareAfter }: ValueChange): number {
  return Math.abs(shareAfter - shareBefore)
}

/** Of changes of the same size, the new value before the one that it replaced. */
function byPlace(left: ValueChange, right: ValueChange): number {
  const place = ({ property }: ValueChange) => CHANGE_PROPERTIES.indexOf(property)
  return place(left) - place(right) || right.shareAfter - left.shareAfter
}
