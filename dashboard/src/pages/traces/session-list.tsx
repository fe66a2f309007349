import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { api, ok } from '../../api/client.ts'
import { Badge } from '../../ui/badge.tsx'
import { EmptyState, Loaded, LoadingTable } from '../../ui/feedback.tsx'
import { formatCompact, formatDuration, formatNumber, formatUsd } from '../../ui/format.ts'
import { Card } from '../../ui/page.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { boundsOf, RANGES, type RangeName, useQueryState } from '../../ui/time-range.ts'
import { CursorLinks } from './cursor-links.tsx'
import type { Session } from './trace-types.ts'

const COLUMNS: readonly Column<Session>[] = [
  {
    title: 'Session',
    cell: ({ session_id: id }) => (
      <Link href={`/sessions/${encodeURIComponent(id)}`} className="trace-name">
        {id}
      </Link>
    ),
  },
  { title: 'Last span', cell: ({ ended_at: at }) => <Time at={at} as="ago" /> },
  { title: 'Began', cell: ({ started_at: at }) => <Time at={at} />, isSecondary: true },
  {
    title: 'Lasted',
    cell: ({ started_at: from, ended_at: to }) => formatDuration(Date.parse(to) - Date.parse(from)),
    isNumber: true,
    isSecondary: true,
  },
  { title: 'Traces', cell: ({ trace_count: count }) => formatNumber(count), isNumber: true },
  { title: 'Spans', cell: ({ span_count: count }) => formatNumber(count), isNumber: true, isSecondary: true },
  {
    title: 'Tokens',
    cell: ({ model_calls: calls, prompt_tokens: sent, completion_tokens: came }) =>
      calls === 0 ? '–' : formatCompact(sent + came),
    isNumber: true,
    isSecondary: true,
  },
  {
    title: 'Cost',
    cell: ({ model_calls: calls, cost_usd: usd }) => (calls === 0 ? '–' : formatUsd(usd)),
    isNumber: true,
  },
  {
    title: 'Errors',
    cell: ({ error_count: count }) => (count > 0 ? <Badge tone="bad">{formatNumber(count)}</Badge> : '0'),
    isNumber: true,
  },
]

/** Conversations, the one with the newest span first. */
export function SessionList({ range }: { range: RangeName }) {
  const [address] = useQueryState()
  const cursor = address.get('cursor') ?? undefined
  const environment = address.get('environment') ?? undefined
  const sessions = useQuery({
    queryKey: ['sessions', range, environment, cursor],
    queryFn: () => {
      const query = {
        ...boundsOf(range),
        ...(cursor ? { cursor } : {}),
        ...(environment ? { environment } : {}),
      }
      return ok(api.GET('/v2/sessions', { params: { query } }))
    },
    refetchInterval: cursor ? false : 30_000,
    placeholderData: keepPreviousData,
  })
  return (
    <Card>
      <Loaded query={sessions} skeleton={<LoadingTable columns={COLUMNS.length} />}>
        {({ sessions: rows, next_cursor: next }) => (
          <div className="stack" aria-busy={sessions.isPlaceholderData}>
            <Table
              label="Sessions"
              columns={COLUMNS}
              rows={rows}
              keyOf={({ session_id: id }) => id}
              empty={
                <EmptyState title={`No sessions in the ${RANGES[range].label.toLowerCase()}.`}>
                  Traces whose spans name the same session belong together. Set <code>session.id</code> or{' '}
                  <code>gen_ai.conversation.id</code> on spans, or an association property{' '}
                  <code>session_id</code> with the Traceloop SDK.
                </EmptyState>
              }
            />
            <CursorLinks next={next} />
          </div>
        )}
      </Loaded>
    </Card>
  )
}
