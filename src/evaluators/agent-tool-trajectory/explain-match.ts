import type { FlatCall, LeafIndex } from './call-leaves.ts'
import type { CallPair } from './call-match.ts'
import { leafDifferences } from './call-similarity.ts'

/** Most calls named for each kind of fault, and most argument paths named for each call. */
const NAMED_MAX = 3
/** Longest name or path that is quoted, in characters. */
const QUOTED_CHARS_MAX = 60

/** The reason given when nothing is missing, different or out of order. */
export const ALL_CALLS_MADE = 'All expected calls were made.'

interface Comparison {
  readonly expected: readonly FlatCall[]
  readonly executed: readonly FlatCall[]
  readonly pairs: readonly CallPair[]
  readonly index: LeafIndex
  /** Whether unexpected calls lower the score. */
  readonly isExtraPunished: boolean
}

/** Says in a few bounded sentences what is missing, extra, out of order or different. */
export function explainMatch(comparison: Comparison): string {
  const { expected, executed, isExtraPunished } = comparison
  if (expected.length === 0 && executed.length === 0) return 'No calls were expected and none were made.'
  const { pairs, outOfOrder, missing, extra } = sortOut(comparison)
  const different = pairs.filter((pair) => pair.similarity < 1)
  const faults = [
    sentence('Missing', missing, (place) => label(expected, place)),
    sentence('Out of order', outOfOrder, (pair) => label(expected, pair.expected)),
    sentence('Different', different, (pair) => describePair(pair, comparison)),
  ].filter((text) => text !== '')
  if (faults.length === 0 && expected.length > 0) faults.push(ALL_CALLS_MADE)
  const extraHead = isExtraPunished ? 'Extra' : 'Extra, not counted'
  const extras = sentence(extraHead, extra, (place) => label(executed, place))
  return [...faults, extras].filter((text) => text !== '').join(' ')
}

/**
 * Looks at the calls that found no partner. Among them an expected and an executed call can be equal only if order
 * matters and theirs is wrong; if they share no more than the tool, they count as one different call.
 */
function sortOut({ expected, executed, pairs }: Comparison) {
  const isExpectedPaired = new Set(pairs.map((pair) => pair.expected))
  const isExecutedPaired = new Set(pairs.map((pair) => pair.executed))
  let missing = [...expected.keys().filter((place) => !isExpectedPaired.has(place))]
  const extra = new Set(executed.keys().filter((place) => !isExecutedPaired.has(place)))
  const pairUp = (fits: (a: FlatCall, b: FlatCall) => boolean): CallPair[] => {
    const found: CallPair[] = []
    missing = missing.filter((place) => {
      const call = expected[place] as FlatCall
      const partner = extra.keys().find((candidate) => fits(call, executed[candidate] as FlatCall))
      if (partner === undefined) return true
      extra.delete(partner)
      found.push({ expected: place, executed: partner, similarity: 0 })
      return false
    })
    return found
  }
  const outOfOrder = pairUp((a, b) => a.identity === b.identity)
  const different = pairUp((a, b) => a.name === b.name)
  return { pairs: [...pairs, ...different], outOfOrder, missing, extra: [...extra] }
}

function describePair(pair: CallPair, { expected, executed, index }: Comparison): string {
  const wanted = expected[pair.expected] as FlatCall
  const made = executed[pair.executed] as FlatCall
  const differences = leafDifferences(wanted, made, NAMED_MAX + 1)
  const words = { different: 'differs', missing: 'is missing', extra: 'is extra' }
  const named = differences
    .slice(0, NAMED_MAX)
    .map(({ path, kind }) => `${quote(index.describe(path))} ${words[kind]}`)
  return `${label(expected, pair.expected)} (${named.join(', ')}${differences.length > NAMED_MAX ? ', ...' : ''})`
}

function sentence<Item>(head: string, items: readonly Item[], describe: (item: Item) => string): string {
  if (items.length === 0) return ''
  const named = items.slice(0, NAMED_MAX).map(describe).join(', ')
  const left = items.length - NAMED_MAX
  return `${head}: ${named}${left > 0 ? ` and ${left} more` : ''}.`
}

/** The name of a call, with its place (from 1) where its list has more than one call. */
function label(calls: readonly FlatCall[], place: number): string {
  const name = quote(calls[place]?.name ?? '')
  return calls.length > 1 ? `${name} #${place + 1}` : name
}

function quote(text: string): string {
  const line = text.slice(0, QUOTED_CHARS_MAX).replace(/\s+/g, ' ')
  return text.length > QUOTED_CHARS_MAX ? `${line}...` : line
}
