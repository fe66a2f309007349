import { formatAgo, formatDateTime, formatMoment } from './format.ts'

/** A moment in the reader's own zone; the whole of it shows on hover and to screen readers. */
export function Time({ at, as = 'moment' }: { at: string; as?: 'moment' | 'ago' }) {
  const date = new Date(at)
  return (
    <time dateTime={at} title={formatDateTime(date)} className="number">
      {as === 'ago' ? formatAgo(date) : formatMoment(date)}
    </time>
  )
}
