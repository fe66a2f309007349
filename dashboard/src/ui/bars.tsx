import type { ReactNode } from 'react'
import { formatNumber } from './format.ts'
import './chart.css'
import { useRoving } from './roving.ts'

/** One bar of a row of bars. */
export interface Bar {
  readonly name: string
  readonly count: number
  /** Leads to the rows that the bar counts; absent where they cannot be listed. */
  readonly onOpen?: (() => void) | undefined
}

interface BarsProps {
  readonly label: string
  readonly bars: readonly Bar[]
}

/** A distribution as upright bars; each says its name and count. */
export function Histogram({ label, bars, height = 140 }: BarsProps & { height?: number }) {
  const roving = useRoving()
  const buttons = bars.filter(leadsSomewhere)
  const most = Math.max(1, ...bars.map(({ count }) => count))
  return (
    <ul className="histogram" aria-label={label} style={{ height }}>
      {bars.map((bar) => (
        <li key={bar.name} title={`${bar.name}: ${formatNumber(bar.count)}`}>
          <Opener bar={bar} className="histogram-open" stop={roving(buttons.indexOf(bar))}>
            <span className="histogram-bar" style={{ height: `${(100 * bar.count) / most}%` }} />
            <span className="visually-hidden">{`${bar.name}: ${bar.count}`}</span>
          </Opener>
        </li>
      ))}
    </ul>
  )
}

/** Names with lying bars beside them, the longest first as they are given. */
export function BarList({ label, bars, note }: BarsProps & { note?: (bar: Bar) => string }) {
  const most = Math.max(1, ...bars.map(({ count }) => count))
  return (
    <ul className="bar-list" aria-label={label}>
      {bars.map((bar) => (
        <li key={bar.name}>
          <Opener bar={bar} className="bar-list-open">
            <span className="bar-list-name" title={bar.name}>
              {bar.name}
            </span>
            <span className="bar-list-track">
              <span style={{ width: `${(100 * bar.count) / most}%` }} />
            </span>
            <span className="number quiet">{note ? note(bar) : formatNumber(bar.count)}</span>
          </Opener>
        </li>
      ))}
    </ul>
  )
}

/** An empty bar leads nowhere. */
const leadsSomewhere = ({ onOpen, count }: Bar) => onOpen !== undefined && count > 0

interface OpenerProps {
  readonly bar: Bar
  readonly className: string
  readonly stop?: ReturnType<ReturnType<typeof useRoving>>
  readonly children: ReactNode
}

/** The frame of a bar: a button where it leads somewhere. */
function Opener({ bar, className, stop, children }: OpenerProps) {
  return leadsSomewhere(bar) ? (
    <button type="button" className={className} onClick={bar.onOpen} {...stop}>
      {children}
    </button>
  ) : (
    <div className={className}>{children}</div>
  )
}
