import { QuoteFinder } from '../../ui/find-quote.ts'
import { isRecord } from '../../ui/json-text.ts'

/** A judge's decision about one item. */
export interface Verdict {
  readonly item?: string
  readonly verdict: string
  readonly quote?: string
  readonly reason?: string
  /** False: the judge said something else first, but could not prove it with a quote. */
  readonly quoteFound?: boolean
}

export function isVerdict(value: unknown): value is Verdict {
  return isRecord(value) && typeof value['verdict'] === 'string'
}

/** Every quote in what a verdict rests on, however deep. */
export function quotesIn(value: unknown): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap(quotesIn))]
  if (!isRecord(value)) return []
  const { quote } = value
  const own = typeof quote === 'string' && quote.trim() !== '' ? [quote] : []
  return [...new Set([...own, ...Object.values(value).flatMap(quotesIn)])]
}

/** How a judge is shown a conversation: `[6] assistant: text`, `[7] tool find_order: text`, `[6] assistant calls find_order(...)`. */
const TURN = /^\[\d+\] \w+(?: \S+)?: /
const CALL = /^\[\d+\] \w+ calls [^(]*\((.*)\)$/s

/** The text to look for, for each quote that occurs in one of the texts; the other quotes are left out. */
export function findQuotes(texts: readonly string[], quotes: readonly string[]): Map<string, string> {
  const finders = quotes.length === 0 ? [] : [...new Set(texts)].map((text) => new QuoteFinder(text))
  const isShown = (words: string) => finders.some((finder) => finder.find(words) !== undefined)
  return new Map(
    quotes.flatMap((quote) => {
      const words = [quote, quote.replace(TURN, ''), quote.replace(CALL, '$1')].find(isShown)
      return words === undefined ? [] : [[quote, words] as const]
    }),
  )
}
