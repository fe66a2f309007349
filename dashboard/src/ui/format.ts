const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 })
const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 })
const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const minutes = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' })

export const formatNumber = (value: number) => number.format(value)
/** A number with its noun: "1 setup", "2 setups", "1,234 setups". */
export const formatCount = (count: number, one: string, many = `${one}s`) =>
  `${formatNumber(count)} ${count === 1 ? one : many}`

const COMPACT_UNITS = ['', 'K', 'M', 'B', 'T']
const compact = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })

/** A large number in few characters: "5.2M". The units are ours, because browsers write "5.2m" in some languages, which means milli. */
export function formatCompact(value: number): string {
  const size = Math.abs(value)
  const rounded = (step: number) => Math.round((size / 1_000 ** step) * 10) / 10
  let step = size < 1_000 ? 0 : Math.min(Math.floor(Math.log10(size) / 3), COMPACT_UNITS.length - 1)
  // 999,960 is 1M and not 1,000K.
  if (rounded(step) >= 1_000 && step < COMPACT_UNITS.length - 1) step++
  return `${compact.format(value / 1_000 ** step)}${COMPACT_UNITS[step]}`
}

export const formatPercent = (share: number) => percent.format(share)
export const formatDateTime = (at: Date) => dateTime.format(at)

const BYTE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB']

/** A size in decimal units, as disks are sold. */
export function formatBytes(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), BYTE_UNITS.length - 1)
  return `${formatNumber(bytes / 1_000 ** step)} ${BYTE_UNITS[step]}`
}

/** A score as people read it: a share of trues as a percentage, anything else as a number. */
export function formatScore(value: number | null | undefined, isShare = false): string {
  if (value === null || value === undefined) return '–'
  return isShare ? formatPercent(value) : formatNumber(value)
}

/** Short enough for an axis or a table: the time of today, the day of before. */
export function formatMoment(at: Date, now = new Date()): string {
  return at.toDateString() === now.toDateString()
    ? clock.format(at)
    : `${day.format(at)}, ${minutes.format(at)}`
}

/** A tick of an axis: the day where one begins, the time of day elsewhere. */
export function formatTick(at: Date): string {
  return at.getHours() === 0 && at.getMinutes() === 0 ? day.format(at) : minutes.format(at)
}

const STEPS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** How long ago, in words. */
export function formatAgo(at: Date, now = new Date()): string {
  const seconds = (at.getTime() - now.getTime()) / 1_000
  for (const [unit, length] of STEPS) {
    if (Math.abs(seconds) >= length) return relative.format(Math.round(seconds / length), unit)
  }
  return relative.format(Math.round(seconds), 'second')
}

export function formatDuration(ms: number): string {
  if (ms < 1) return `${(ms * 1_000).toFixed(0)} µs`
  if (ms < 1_000) return `${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`
}

/** Money in US dollars; an unknown price is not 0. */
export function formatUsd(usd: number | null | undefined): string {
  if (usd === null || usd === undefined) return 'unknown'
  if (usd === 0) return '$0'
  return usd < 0.01 ? `$${usd.toPrecision(2)}` : `$${usd.toFixed(2)}`
}
