/** A failure as far as it is grouped with others. */
export interface ReasonedFailure {
  readonly slug: string
  /** The plain words of the verdict, such as "Not faithful". */
  readonly label: string
  readonly reason: string
  /** Of the evaluation. */
  readonly number: number
}

/** Failures of one evaluator for much the same reason. */
export interface FailureGroup {
  readonly slug: string
  readonly label: string
  /** That of the newest of them. */
  readonly reason: string
  readonly count: number
  /** The number of the newest evaluation among them. */
  readonly newest: number
}

/** Groups that are told, those with the most failures first. */
export const FAILURE_GROUPS_MAX = 5
const KEY_CHARS_MAX = 120

/** Groups failures by evaluator, verdict and reason. Reasons that differ only in numbers, quotes and case are the same. */
export function groupFailures(failures: readonly ReasonedFailure[]): FailureGroup[] {
  const groups = Map.groupBy(
    failures,
    ({ slug, label, reason }) => `${slug}\n${label}\n${normalizeReason(reason)}`,
  )
  const told = Array.from(groups.values(), (group): FailureGroup => {
    const newest = group.reduce((left, right) => (right.number > left.number ? right : left))
    const { slug, label, reason, number } = newest
    return { slug, label, reason, count: group.length, newest: number }
  })
  return told
    .toSorted((left, right) => right.count - left.count || right.newest - left.newest)
    .slice(0, FAILURE_GROUPS_MAX)
}

/** A reason without the parts that differ from one unit to the next. */
export function normalizeReason(reason: string): string {
  return reason
    .slice(0, 4 * KEY_CHARS_MAX)
    .toLowerCase()
    .replaceAll(/"[^"]*"|“[^”]*”|`[^`]*`/g, '…')
    .replaceAll(/\d+(?:[.,]\d+)*/g, '#')
    .replaceAll(/\s+/g, ' ')
    .replace(/[\s.!]+$/, '')
    .trim()
    .slice(0, KEY_CHARS_MAX)
}
