import type { ReactNode } from 'react'
import { ApiError } from '../api/client.ts'
import { Button } from './button.tsx'
import './feedback.css'

/** Nothing is here yet; says what to do next. */
export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      <div className="quiet">{children}</div>
    </div>
  )
}

/** The error message of the server, and a way to try again. */
export function ErrorNote({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const message = error instanceof Error ? error.message : String(error)
  const isForbidden = error instanceof ApiError && error.status === 403 && message.startsWith('forbidden')
  return (
    <div className="note note-bad" role="alert">
      <span>{isForbidden ? `This key may not do that: ${message}` : message}</span>
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

/** Shows what a query gave: the bars, the error, or the content. */
export function Loaded<Data>({
  query,
  children,
  lines,
}: {
  query: Loaded<Data>
  children: (data: Data) => ReactNode
  lines?: number
}) {
  if (query.data !== undefined) return <>{children(query.data)}</>
  if (query.error) return <ErrorNote error={query.error} onRetry={() => void query.refetch()} />
  return <Loading {...(lines === undefined ? {} : { lines })} />
}
