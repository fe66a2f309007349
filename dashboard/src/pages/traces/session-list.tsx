import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { Link, useLocation } from 'wouter'
import { api, ok } from '../../api/client.ts'
import { useRowKeys } from '../../shell/use-row-keys.ts'
import { Badge } from '../../ui/badge.tsx'
import { EmptyState, Loaded, LoadingTable } from '../../ui/feedback.tsx'
import { formatCompact, formatDuration, formatNumber, formatUsd } from '../../ui/format.ts'
import { Card } from '../../ui/page.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { boundsOf, RANGES, type RangeName, useQueryState } from '../../ui/time-range.ts'
import { CursorLinks } from './cursor-links.tsx'
import { Excerpt } from './trace-columns.tsx'
import type { Session } from './trace-types.ts'

const COLUMNS: readonly Column<Session>[] = [
  {
    title: 'Session',
    cell: ({ session_id: id }) => (
      <Link href={addressOf(id)} className="trace-name">
        {id}
      </Link>
    ),
  },
  { title: 'First input', cell: ({ preview }) => <Excerpt text={preview?.input} /> },
  { title: 'Latest output', cell: ({ preview }) => <Excerpt text={preview?.output} />, isSecondary: true },
  {
    title: 'Last span',
    cell: ({ ended_at: at }) => (
      <span className="trace-time">
        <Time at={at} as="ago" />
      </span>
    ),
  },
  {
    title: 'Lasted',
    cell: ({ started_at: from, ended_at: to }) => formatDuration(Date.parse(to) - Date.parse(from)),
    isNumber: true,
    isSecondary: true,
  },
  { title: 'Traces', cell: ({ trace_count: count }) => formatNumber(count), isNumber: true },
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
        include: 'preview' as const,
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
            <SessionTable sessions={rows} range={range} />
            <CursorLinks next={next} />
          </div>
        )}
      </Loaded>
    </Card>
  )
}

const addressOf = (id: string) => `/sessions/${encodeURIComponent(id)}`

function SessionTable({ sessions, range }: { sessions: readonly Session[]; range: RangeName }) {
  const [, navigate] = useLocation()
  const keys = useMemo(() => sessions.map(({ session_id: id }) => id), [sessions])
  const open = useCallback((id: string) => navigate(addressOf(id)), [navigate])
  const current = useRowKeys({ title: 'Sessions', keys, open })
  return (
    <Table
      label="Sessions"
      columns={COLUMNS}
      rows={sessions}
      keyOf={({ session_id: id }) => id}
      current={current}
      empty={
        <EmptyState title={`No sessions in the ${RANGES[range].label.toLowerCase()}.`}>
          Traces whose spans name the same session belong together. Set <code>session.id</code> or{' '}
          <code>gen_ai.conversation.id</code> on spans, or an association property <code>session_id</code>{' '}
          with the Traceloop SDK.
        </EmptyState>
      }
    />
  )
}
