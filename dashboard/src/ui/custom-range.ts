/** A range between two moments that the user chose, as ISO 8601. */
export interface CustomRange {
  readonly from: string
  readonly to: string
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** A shorter range has nothing to show: the buckets of charts are whole minutes. */
const RANGE_MS_MIN = 5 * MINUTE_MS
/** Longest custom range, in days. */
export const RANGE_DAYS_MAX = 366
/** The earliest moment that a page can show. */
const FROM_MS_MIN = Date.UTC(2000, 0, 1)

const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })
const dayAndYear = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', year: 'numeric' })
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })

/** A range of whole minutes between two moments. */
export function rangeBetween(fromMs: number, toMs: number): CustomRange {
  const from = Math.floor(fromMs / MINUTE_MS) * MINUTE_MS
  const to = Math.ceil(toMs / MINUTE_MS) * MINUTE_MS
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
}

/** The range that an address names with `from` and `to`; undefined where it names none that can be shown. */
export function customRangeIn(query: URLSearchParams): CustomRange | undefined {
  const [fromMs, toMs] = [query.get('from'), query.get('to')].map((text) => Date.parse(text ?? ''))
  if (fromMs === undefined || toMs === undefined || !(fromMs >= FROM_MS_MIN && fromMs < toMs))
    return undefined
  return toMs - fromMs > RANGE_DAYS_MAX * DAY_MS ? undefined : rangeBetween(fromMs, toMs)
}

/** Length of a range in milliseconds. */
export function lengthOf({ from, to }: CustomRange): number {
  return Date.parse(to) - Date.parse(from)
}

/** The period of the same length that ends where this one begins. */
export function periodBefore({ from, to }: CustomRange): CustomRange {
  const start = Date.parse(from)
  return { from: new Date(start - (Date.parse(to) - start)).toISOString(), to: from }
}

/** Twice the range with the same middle, moved back where it would end in the future. */
export function zoomedOut(range: CustomRange, nowMs: number, daysMax = RANGE_DAYS_MAX): CustomRange {
  const length = Math.min(2 * lengthOf(range), daysMax * DAY_MS)
  const middle = (Date.parse(range.from) + Date.parse(range.to)) / 2
  // A range that reaches into the future already was chosen that way.
  const end = Math.min(middle + length / 2, Math.max(nowMs, Date.parse(range.to)))
  return rangeBetween(end - length, end)
}

/** The part of a range that was marked in a chart, in either direction; undefined where it is too short to show. */
export function zoomedTo(oneMs: number, otherMs: number): CustomRange | undefined {
  const [fromMs, toMs] = [Math.min(oneMs, otherMs), Math.max(oneMs, otherMs)]
  return toMs - fromMs < RANGE_MS_MIN ? undefined : rangeBetween(fromMs, toMs)
}

/** A range in words, in the time zone of the browser. The year is told only where it is not this one. */
export function rangeWords({ from, to }: CustomRange, now = new Date()): string {
  const [start, end] = [new Date(from), new Date(to)]
  const isThisYear = start.getFullYear() === now.getFullYear() && end.getFullYear() === now.getFullYear()
  const date = isThisYear ? day : dayAndYear
  const until =
    start.toDateString() === end.toDateString()
      ? clock.format(end)
      : `${date.format(end)}, ${clock.format(end)}`
  return `${date.format(start)}, ${clock.format(start)} to ${until}`
}

const twoDigits = (value: number) => String(value).padStart(2, '0')

/** A moment as a field for date and time holds it: local time, to the minute. */
export function fieldOf(ms: number): string {
  const at = new Date(ms)
  const date = [at.getFullYear(), twoDigits(at.getMonth() + 1), twoDigits(at.getDate())].join('-')
  return `${date}T${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`
}

/**
 * The moment that a field for date and time means in the time zone of the browser; undefined while it is incomplete. An hour that
 * occurs twice, when the clock is set back, is the first of the two; one that does not occur is the same time after the change.
 */
export function momentOf(field: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(field)) return undefined
  const ms = new Date(field).getTime()
  return Number.isNaN(ms) ? undefined : ms
}

/** The range that two fields mean, or the reason why it cannot be shown, and which field is at fault. */
export function rangeOfFields(
  fields: { readonly from: string; readonly to: string },
  daysMax = RANGE_DAYS_MAX,
): { readonly range: CustomRange } | { readonly field: 'from' | 'to'; readonly fault: string } {
  const [fromMs, toMs] = [momentOf(fields.from), momentOf(fields.to)]
  if (fromMs === undefined) return { field: 'from', fault: 'Enter a date and a time.' }
  if (toMs === undefined) return { field: 'to', fault: 'Enter a date and a time.' }
  if (fromMs < FROM_MS_MIN) return { field: 'from', fault: 'Enter a date after the year 1999.' }
  if (toMs <= fromMs) return { field: 'to', fault: 'The end must be after the start.' }
  if (toMs - fromMs < RANGE_MS_MIN)
    return { field: 'to', fault: `Choose at least ${RANGE_MS_MIN / MINUTE_MS} minutes.` }
  // Days are counted by the clock on the wall: the one on which it is set back has 25 hours.
  if (toMs - fromMs > daysMax * DAY_MS + HOUR_MS)
    return { field: 'to', fault: `Choose at most ${daysMax} days.` }
  return { range: rangeBetween(fromMs, Math.min(toMs, fromMs + daysMax * DAY_MS)) }
}
