import { useMemo, useState } from 'react'
import { Button } from './button.tsx'
import { QuoteFinder, type Stretch } from './find-quote.ts'
import './folded-text.css'
import { formatNumber } from './format.ts'
import { useQuotes } from './quotes.tsx'

/** Characters that are shown at first. */
const FOLDED_CHARS = 1_200
/** Characters that each further step shows: what a browser lays out without a pause. */
const STEP_CHARS = 100_000
/** Characters around a quote that stands in the folded part. */
const AROUND_QUOTE_CHARS = 160

interface Mark extends Stretch {
  readonly quote: string
}

/** A text as it is, never as markup. A long one is folded, but what is quoted from it always shows. */
export function FoldedText({
  text,
  isCode = false,
  foldAt = FOLDED_CHARS,
}: {
  text: string
  isCode?: boolean
  foldAt?: number
}) {
  const quotes = useQuotes()
  const marks = useMemo(() => marksOf(text, quotes), [text, quotes])
  const [shown, setShown] = useState(foldAt)
  // A few characters more are no reason to fold.
  const end = text.length <= shown * 1.2 ? text.length : shown
  const pieces = piecesOf(text.length, end, marks)
  return (
    <div className={`folded-text ${isCode ? 'mono' : ''}`}>
      {pieces.map(({ from, to }, at) => (
        <span key={from}>
          {at > 0 ? <LeftOut count={from - (pieces[at - 1]?.to ?? 0)} /> : null}
          <MarkedText text={text} from={from} to={to} marks={marks} />
        </span>
      ))}
      {end < text.length || shown > foldAt ? (
        <span className="folded-text-more">
          {end < text.length ? (
            <Button
              variant="quiet"
              onClick={() => setShown(shown < STEP_CHARS ? STEP_CHARS : shown + STEP_CHARS)}
            >
              {`Show ${text.length <= STEP_CHARS ? 'all' : 'more'} (${formatNumber(text.length)} characters)`}
            </Button>
          ) : null}
          {shown > foldAt ? (
            <Button variant="quiet" onClick={() => setShown(foldAt)}>
              Show less
            </Button>
          ) : null}
        </span>
      ) : null}
    </div>
  )
}

function LeftOut({ count }: { count: number }) {
  return <span className="folded-text-gap">{` … ${formatNumber(count)} characters … `}</span>
}

function MarkedText({
  text,
  from,
  to,
  marks,
}: {
  text: string
  from: number
  to: number
  marks: readonly Mark[]
}) {
  const parts = []
  let at = from
  for (const mark of marks) {
    if (mark.to <= at || mark.from >= to) continue
    const start = Math.max(at, mark.from)
    const end = Math.min(to, mark.to)
    parts.push(text.slice(at, start))
    parts.push(
      <mark key={start} data-quote={mark.quote} tabIndex={-1}>
        {text.slice(start, end)}
      </mark>,
    )
    at = end
  }
  return (
    <>
      {parts}
      {text.slice(at, to)}
    </>
  )
}

function marksOf(text: string, quotes: readonly string[]): Mark[] {
  if (quotes.length === 0) return []
  const finder = new QuoteFinder(text)
  return quotes
    .flatMap((quote) => (finder.find(quote) ?? []).map((stretch) => ({ ...stretch, quote })))
    .sort((a, b) => a.from - b.from)
}

/** The shown pieces of a text: its beginning, and the surroundings of each quote in the rest. */
function piecesOf(length: number, end: number, marks: readonly Mark[]): Stretch[] {
  const pieces: Stretch[] = [{ from: 0, to: end }]
  for (const mark of marks) {
    const last = pieces.at(-1)
    const from = Math.max(0, mark.from - AROUND_QUOTE_CHARS)
    const to = Math.min(length, mark.to + AROUND_QUOTE_CHARS)
    if (!last || to <= last.to) continue
    if (mark.to <= last.to) continue
    if (from <= last.to) pieces[pieces.length - 1] = { from: last.from, to }
    else pieces.push({ from, to })
  }
  return pieces
}
