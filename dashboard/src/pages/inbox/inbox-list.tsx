import { type RefObject, useEffect, useRef } from 'react'
import { Button } from '../../ui/button.tsx'
import { EmptyState, ErrorNote, Loading } from '../../ui/feedback.tsx'
import { formatCount, formatNumber } from '../../ui/format.ts'
import { useQueryState } from '../../ui/time-range.ts'
import { isNarrowed, NO_FILTERS, orderIn, verdictIn } from './inbox-address.ts'
import type { useInbox } from './inbox-queries.ts'
import { InboxRow } from './inbox-row.tsx'
import type { Inbox } from './use-inbox-state.ts'

interface InboxListProps {
  readonly inbox: Inbox
  readonly query: ReturnType<typeof useInbox>
}

/** The evaluations that the address names, and more of them as the reader comes to the end. */
export function InboxList({ inbox, query }: InboxListProps) {
  const end = useRef<HTMLDivElement>(null)
  useMoreAtEnd(end, query)
  const { items, openId } = inbox
  if (query.error && !query.data)
    return <ErrorNote error={query.error} onRetry={() => void query.refetch()} />
  if (!query.data) return <Loading lines={12} />
  return (
    <>
      <Summary query={query} count={items.length} />
      {items.length === 0 ? <NoItems hasMore={query.hasNextPage} /> : null}
      <ol className="inbox-rows" aria-label="Evaluations">
        {items.map((item) => (
          <InboxRow
            key={item.evaluation.id}
            item={item}
            isOpen={item.evaluation.id === openId}
            isSelected={inbox.selected.has(item.evaluation.id)}
            isSaving={inbox.answers.isSaving(item.evaluation.id)}
            onOpen={() => inbox.open(item.evaluation.id)}
            onSelect={() => inbox.toggle(item.evaluation.id)}
          />
        ))}
      </ol>
      <div ref={end} className="inbox-end">
        {query.hasNextPage ? (
          <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Show more
          </Button>
        ) : null}
      </div>
    </>
  )
}

/** Reads the next page when the end of the list comes into view. A page may be empty, and then the button asks for the next. */
function useMoreAtEnd(end: RefObject<HTMLDivElement | null>, query: InboxListProps['query']): void {
  const { hasNextPage, isFetching, fetchNextPage, data } = query
  const lastCount = data?.pages.at(-1)?.items.length ?? 0
  useEffect(() => {
    const element = end.current
    if (!element || !hasNextPage || isFetching || lastCount === 0) return undefined
    const watcher = new IntersectionObserver(([entry]) => entry?.isIntersecting && void fetchNextPage())
    watcher.observe(element)
    return () => watcher.disconnect()
  }, [end, hasNextPage, isFetching, lastCount, fetchNextPage])
}

function Summary({ query, count }: { query: InboxListProps['query']; count: number }) {
  const [address] = useQueryState()
  const sampled = query.data?.pages[0]?.sampled
  const shown = `${formatCount(count, 'evaluation')}${query.hasNextPage ? ' so far' : ''}`
  const words =
    sampled === undefined || orderIn(address) !== 'worst'
      ? shown
      : `The worst ${formatNumber(count)} of the newest ${formatNumber(sampled)}`
  return (
    <p className="inbox-summary quiet small" role="status">
      {query.isFetching && !query.isFetchingNextPage ? 'Reading…' : words}
    </p>
  )
}

function NoItems({ hasMore }: { hasMore: boolean }) {
  const [address, change] = useQueryState()
  if (hasMore)
    return (
      <EmptyState title="No matches so far.">
        Texts are read span by span, so that one page looks at only so many. Go on with “Show more”.
      </EmptyState>
    )
  if (address.has('queue'))
    return <EmptyState title="This queue is empty.">Its evaluations are no longer kept.</EmptyState>
  if (isNarrowed(address))
    return (
      <EmptyState title="No evaluations match this filter.">
        <p className="row empty-actions">
          <Button onClick={() => change(NO_FILTERS)}>Remove all filters</Button>
        </p>
      </EmptyState>
    )
  return verdictIn(address) === 'fail' ? (
    <EmptyState title="No failures." icon="pass" docs={{ to: '/docs', title: 'API reference' }}>
      <p>Evaluations whose verdict is a failure show up here, the newest first.</p>
      <p className="row empty-actions">
        <Button onClick={() => change({ verdict: 'any', item: undefined })}>Show all evaluations</Button>
      </p>
    </EmptyState>
  ) : (
    <EmptyState title="No evaluations yet." icon="monitors">
      Create a setup, and the evaluations of its monitors show up here.
    </EmptyState>
  )
}
