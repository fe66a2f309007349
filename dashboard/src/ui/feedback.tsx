import type { ReactNode } from 'react'
import { ApiError } from '../api/client.ts'
import { Button } from './button.tsx'
import './feedback.css'
import { Icon } from './icon.tsx'
import type { IconName } from './icon-paths.ts'

interface EmptyStateProps {
  readonly title: string
  /** The sign of what would be here. */
  readonly icon?: IconName
  /** The page of the documentation that explains it, and its title. */
  readonly docs?: { readonly to: string; readonly title: string }
  readonly children?: ReactNode
}

/** Nothing is here yet: says what it would be, how to get the first one, and where to read more. */
export function EmptyState({ title, icon, docs, children }: EmptyStateProps) {
  return (
    <div className="empty">
      {icon ? <Icon name={icon} /> : null}
      <p className="empty-title">{title}</p>
      <div className="quiet">{children}</div>
      {docs ? (
        <a className="empty-docs" href={docs.to}>
          <Icon name="docs" />
          {docs.title}
        </a>
      ) : null}
    </div>
  )
}

/** The error message of the server, and a way to try again. */
export function ErrorNote({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const message = error instanceof Error ? error.message : String(error)
  const isForbidden = error instanceof ApiError && error.status === 403 && message.startsWith('forbidden')
  return (
    <div className="note note-bad" role="alert">
      <span>{isForbidden ? `Your key has no permission for this: ${message}` : message}</span>
      {onRetry ? <Button onClick={onRetry}>Try again</Button> : null}
    </div>
  )
}

export function Note({
  tone = 'accent',
  children,
}: {
  tone?: 'accent' | 'warn' | 'bad' | 'good'
  children: ReactNode
}) {
  return (
    <div className={`note note-${tone}`} role="status">
      {children}
    </div>
  )
}

/** Grey bars where content is coming. */
export function Loading({ lines = 3, label = 'Loading' }: { lines?: number; label?: string }) {
  return (
    <div className="loading" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the bars are all alike and never move.
        <span key={at} />
      ))}
    </div>
  )
}

interface Loaded<Data> {
  readonly data: Data | undefined
  readonly error: unknown
  readonly isPending: boolean
  refetch(): unknown
}

/** Grey rows where a table is coming, as high as its rows will be. */
export function LoadingTable({ columns, rows = 8 }: { columns: number; rows?: number }) {
  return (
    <div className="loading-table" role="status" aria-label="Loading">
      {Array.from({ length: rows + 1 }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike and never move.
        <div key={row} style={{ gridTemplateColumns: `2fr repeat(${columns - 1}, minmax(0, 1fr))` }}>
          {Array.from({ length: columns }, (_, column) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: see above.
            <span key={column} />
          ))}
        </div>
      ))}
    </div>
  )
}

/** Grey cards where a row of cards is coming. */
export function LoadingCards({ count = 4 }: { count?: number }) {
  return (
    <div className="loading-cards" role="status" aria-label="Loading">
      {Array.from({ length: count }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the cards are all alike and never move.
        <div key={at} className="card">
          <span />
          <span />
        </div>
      ))}
    </div>
  )
}

/** Shows what a query gave: the shape of what is coming, the error, or the content. */
export function Loaded<Data>({
  query,
  children,
  lines,
  skeleton,
}: {
  query: Loaded<Data>
  children: (data: Data) => ReactNode
  lines?: number
  /** Stands in for the content where lines of text would be the wrong shape. */
  skeleton?: ReactNode
}) {
  if (query.data !== undefined) return <>{children(query.data)}</>
  if (query.error) return <ErrorNote error={query.error} onRetry={() => void query.refetch()} />
  return skeleton ?? <Loading {...(lines === undefined ? {} : { lines })} />
}
