import { formatNumber } from './format.ts'
import './chart.css'

/** One bar of a row of bars. */
export interface Bar {
  readonly name: string
  readonly count: number
}

/** A distribution as upright bars; each says its name and count. */
export function Histogram({
  label,
  bars,
  height = 140,
}: {
  label: string
  bars: readonly Bar[]
  height?: number
}) {
  const most = Math.max(1, ...bars.map(({ count }) => count))
  return (
    <ul className="histogram" aria-label={label} style={{ height }}>
      {bars.map(({ name, count }) => (
        <li key={name} title={`${name}: ${formatNumber(count)}`}>
          <span className="histogram-bar" style={{ height: `${(100 * count) / most}%` }} />
          <span className="visually-hidden">{`${name}: ${count}`}</span>
        </li>
      ))}
    </ul>
  )
}

/** Names with lying bars beside them, the longest first as they are given. */
export function BarList({
  label,
  bars,
  note,
}: {
  label: string
  bars: readonly Bar[]
  note?: (bar: Bar) => string
}) {
  const most = Math.max(1, ...bars.map(({ count }) => count))
  return (
    <ul className="bar-list" aria-label={label}>
      {bars.map((bar) => (
        <li key={bar.name}>
          <span className="bar-list-name" title={bar.name}>
            {bar.name}
          </span>
          <span className="bar-list-track">
            <span style={{ width: `${(100 * bar.count) / most}%` }} />
          </span>
          <span className="number quiet">{note ? note(bar) : formatNumber(bar.count)}</span>
        </li>
      ))}
    </ul>
  )
}
