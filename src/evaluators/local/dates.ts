/** A date as far as it is said. */
export interface CalendarDate {
  readonly year?: number
  /** 1 to 12. */
  readonly month?: number
  readonly day?: number
}

const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
]
const MONTH = `(${MONTHS.map((month) => (month.length > 4 ? `${month}|${month.slice(0, 3)}` : month)).join('|')}|sept)\\.?`
const DAY = '(\\d{1,2})(?:st|nd|rd|th)?'
const YEAR = '(\\d{4})'
const FORMS: readonly (readonly [form: RegExp, read: (match: string[]) => CalendarDate])[] = [
  [/(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)/g, ([, y, m, d]) => dateOf(y, m, d)],
  [new RegExp(`\\b${MONTH}\\s+${DAY}(?:\\s*,?\\s+|,)${YEAR}\\b`, 'gi'), ([, m, d, y]) => dateOf(y, m, d)],
  [new RegExp(`\\b${DAY}(?:\\s+of)?\\s+${MONTH},?\\s+${YEAR}\\b`, 'gi'), ([, d, m, y]) => dateOf(y, m, d)],
  [new RegExp(`\\b${MONTH},?(?:\\s+of)?\\s+${YEAR}\\b`, 'gi'), ([, m, y]) => dateOf(y, m, undefined)],
  [new RegExp(`\\b${MONTH}\\s+${DAY}\\b`, 'gi'), ([, m, d]) => dateOf(undefined, m, d)],
  [
    new RegExp(`\\b${DAY}(?:\\s+of)?\\s+${MONTH}(?![\\p{L}\\p{N}])`, 'giu'),
    ([, d, m]) => dateOf(undefined, m, d),
  ],
  [
    /(?<![\d.,$€£-])(1[0-9]{3}|20[0-9]{2})(?![\d,.]*\d|s\b|\s*%)/g,
    ([, y]) => dateOf(y, undefined, undefined),
  ],
]

/** The dates of a text: days, months of a year, and years, in the ways that English writes them. */
export function datesOf(text: string): CalendarDate[] {
  return readDates(text).dates
}

/** The date that a text consists of; undefined when it says anything else. */
export function wholeDate(text: string): CalendarDate | undefined {
  const { dates, rest } = readDates(text)
  return dates.length === 1 && /^(?:\s|\p{P}|\b(?:in|on|the)\b)*$/iu.test(rest) ? dates[0] : undefined
}

function readDates(text: string): { dates: CalendarDate[]; rest: string } {
  const dates: CalendarDate[] = []
  let rest = text.replaceAll(/\s+/g, ' ')
  for (const [form, read] of FORMS) {
    rest = rest.replaceAll(form, (...match: unknown[]) => {
      dates.push(read(match.slice(0, -2) as string[]))
      // A match is blanked out so that it is not read again as a part of another.
      return ' '.repeat(String(match[0]).length)
    })
  }
  return { dates, rest }
}

/** Whether a date agrees with another in everything that the other says. */
export function dateSays(date: CalendarDate, asked: CalendarDate): boolean {
  return (['year', 'month', 'day'] as const).every(
    (part) => asked[part] === undefined || asked[part] === date[part],
  )
}

function dateOf(year: string | undefined, month: string | undefined, day: string | undefined): CalendarDate {
  return {
    ...(year === undefined ? {} : { year: Number(year) }),
    ...(month === undefined ? {} : { month: monthOf(month) }),
    ...(day === undefined ? {} : { day: Number(day) }),
  }
}

function monthOf(month: string): number {
  if (/^\d/.test(month)) return Number(month)
  return MONTHS.findIndex((name) => name.startsWith(month.toLowerCase().slice(0, 3))) + 1
}
