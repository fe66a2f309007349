import { boundsOf, RANGES, type RangeName } from '../../ui/time-range.ts'

/** Names of the filters in the address, and the parameters of the interface that they stand for. */
const PARAMETERS = {
  evaluator: 'evaluator_type',
  monitor: 'monitor_id',
  setup: 'external_id',
  application: 'application',
  environment: 'environment',
  reviewed: 'reviewed',
  q: 'q',
  from: 'from',
  to: 'to',
} as const
export type InboxFilter = keyof typeof PARAMETERS

/** Filters that stand as chips above the list, because no control beside it shows them. */
export const CHIP_NAMES = {
  monitor: 'Monitor',
  setup: 'Setup',
  application: 'Application',
  environment: 'Environment',
  from: 'From',
  to: 'Until',
} as const satisfies Partial<Record<InboxFilter, string>>
export type ChipFilter = keyof typeof CHIP_NAMES

/** The verdict that the address names; failures where it names none. */
export function verdictIn(address: URLSearchParams): 'pass' | 'fail' | 'neutral' | 'any' {
  const named = address.get('verdict')
  return named === 'pass' || named === 'neutral' || named === 'any' ? named : 'fail'
}

export function orderIn(address: URLSearchParams): 'newest' | 'worst' {
  return address.get('order') === 'worst' ? 'worst' : 'newest'
}

/** The parameters of the list that the address names, without its pages. Moments of a range are those of now. */
export function filterIn(address: URLSearchParams): Record<string, string> {
  const verdict = verdictIn(address)
  const range = address.get('range') ?? ''
  const filter: Record<string, string> = {
    ...(verdict === 'any' ? {} : { verdict }),
    ...(Object.hasOwn(RANGES, range) ? boundsOf(range as RangeName) : {}),
  }
  for (const [name, parameter] of Object.entries(PARAMETERS)) {
    const value = address.get(name)
    if (value) filter[parameter] = value
  }
  return filter
}

/** The same without moments that go on, so that a list stays the same list while time passes. */
export function listKey(address: URLSearchParams): readonly unknown[] {
  const kept = new URLSearchParams(address)
  kept.delete('item')
  kept.sort()
  return ['inbox', kept.toString()]
}

/** True when the address narrows the list by more than the verdict. */
export function isNarrowed(address: URLSearchParams): boolean {
  return address.has('range') || Object.keys(PARAMETERS).some((name) => address.has(name))
}

/** A change of the address that removes every filter. */
export const NO_FILTERS: Readonly<Record<string, undefined>> = Object.fromEntries(
  [...Object.keys(PARAMETERS), 'range', 'item'].map((name) => [name, undefined]),
)
