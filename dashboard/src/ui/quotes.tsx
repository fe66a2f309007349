import { createContext, useContext } from 'react'

const NONE: readonly string[] = []

/** Quotes that are marked wherever a text that is shown contains them. */
const QuotesContext = createContext<readonly string[]>(NONE)

export const QuotesProvider = QuotesContext.Provider

export const useQuotes = (): readonly string[] => useContext(QuotesContext)

/** Brings a marked quote into view, if one is on the page. */
export function showQuote(quote: string): void {
  const marks = document.querySelectorAll<HTMLElement>('mark[data-quote]')
  const mark = [...marks].find(({ dataset }) => dataset['quote'] === quote)
  mark?.scrollIntoView({ block: 'center' })
  mark?.focus({ preventScroll: true })
}
