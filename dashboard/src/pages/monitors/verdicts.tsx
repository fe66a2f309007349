import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { JsonView } from '../../ui/code.tsx'
import { isRecord } from '../../ui/json-text.ts'
import { showQuote } from '../../ui/quotes.tsx'
import { isVerdict, type Verdict } from './evidence.ts'

const GOOD = [
  'supported',
  'followed',
  'relevant',
  'fulfilled',
  'right',
  'correct',
  'worked',
  'needed',
  'covered',
  'achieved',
  'met',
  'yes',
]
const BAD = [
  'contradicted',
  'not_followed',
  'irrelevant',
  'failed',
  'wrong',
  'incorrect',
  'contradicts',
  'redundant',
  'missing',
  'not_met',
  'no',
]

interface VerdictsProps {
  readonly evidence: Readonly<Record<string, unknown>>
  /** By quote, what of it is marked in the texts. */
  readonly found: ReadonlyMap<string, string>
  /** The texts are still being fetched. */
  readonly isLooking: boolean
}

/** The evidence for the score, item by item. */
export function Verdicts({ evidence, found, isLooking }: VerdictsProps) {
  return (
    <section className="stack">
      <h2>Evidence</h2>
      {Object.entries(evidence).map(([name, value]) => (
        <Group key={name} name={name} value={value} found={found} isLooking={isLooking} />
      ))}
    </section>
  )
}

type Shared = Pick<VerdictsProps, 'found' | 'isLooking'>

function Group({ name, value, ...shared }: Shared & { name: string; value: unknown }) {
  return (
    <div className="verdict-group">
      <h3>{name.replaceAll('_', ' ')}</h3>
      <Grounds name={name} value={value} {...shared} />
    </div>
  )
}

function Grounds({ name, value, ...shared }: Shared & { name: string; value: unknown }) {
  if (isVerdict(value)) return <VerdictBox verdict={value} {...shared} />
  if (Array.isArray(value) && value.length === 0) return <p className="quiet">None.</p>
  if (Array.isArray(value) && value.every(isVerdict)) {
    return (
      <ol className="verdict-list">
        {value.map((verdict, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an item may occur twice, and its place stays.
          <li key={at}>
            <VerdictBox verdict={verdict} {...shared} />
          </li>
        ))}
      </ol>
    )
  }
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) {
    return (
      <ul className="verdict-texts">
        {[...new Set(value)].map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
    )
  }
  if (isRecord(value) && Object.values(value).some((inner) => typeof inner === 'object')) {
    return Object.entries(value).map(([inner, part]) => (
      <Group key={inner} name={inner} value={part} {...shared} />
    ))
  }
  if (typeof value === 'object') return <JsonView label={name} value={value} />
  return <p>{String(value)}</p>
}

function VerdictBox({
  verdict: { item, verdict, quote = '', reason, quoteFound },
  found,
  isLooking,
}: Shared & { verdict: Verdict }) {
  return (
    <div className="verdict">
      <div className="row">
        <Badge tone={toneOf(verdict)}>{verdict.replaceAll('_', ' ')}</Badge>
        {reason ? <span className="quiet">{reason}</span> : null}
      </div>
      {item === undefined ? null : <p className="verdict-item">{item}</p>}
      {quote.trim() === '' ? null : <Quote quote={quote} found={found} isLooking={isLooking} />}
      {quoteFound === false ? (
        <p className="quiet small">
          The judge answered differently, but its quote is not in the source, so the answer did not count.
        </p>
      ) : null}
    </div>
  )
}

function Quote({ quote, found, isLooking }: Shared & { quote: string }) {
  const marked = found.get(quote)
  return (
    <blockquote className="verdict-quote">
      <span>{quote}</span>
      {marked === undefined ? (
        <span className="quiet small">
          {isLooking ? 'Looking for it…' : 'This quote was not found in the texts shown here.'}
        </span>
      ) : (
        <Button variant="quiet" onClick={() => showQuote(marked)}>
          Show in the text
        </Button>
      )}
    </blockquote>
  )
}

function toneOf(verdict: string): Tone {
  if (GOOD.includes(verdict)) return 'good'
  return BAD.includes(verdict) ? 'bad' : 'neutral'
}
