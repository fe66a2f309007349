import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { api, ok } from '../../api/client.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState, Loaded, LoadingTable, Note } from '../../ui/feedback.tsx'
import { formatCompact, formatCount, formatDuration, formatNumber, formatUsd } from '../../ui/format.ts'
import { Card } from '../../ui/page.tsx'
import { SendSpans } from '../../ui/send-spans.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { RANGES, type RangeName, useQueryState } from '../../ui/time-range.ts'
import { CursorLinks } from './cursor-links.tsx'
import { ScoreBadges } from './score-badges.tsx'
import { attributeFiltersOf, isNarrowed, readsSpans, TEXT_FILTERS, traceQueryOf } from './trace-query.ts'
import type { Trace } from './trace-types.ts'

const COLUMNS: readonly Column<Trace>[] = [
  {
    title: 'Started',
    cell: ({ started_at: at }) => (
      <span className="trace-time">
        <Time at={at} />
      </span>
    ),
  },
  {
    title: 'Name and service',
    cell: ({ trace_id: id, name, service }) => (
      <span className="trace-cell">
        <Link href={`/traces/${id}`} className="trace-name">
          {name ?? `No root span yet (${id.slice(0, 8)}…)`}
        </Link>
        <span className="quiet small">{service ?? 'no service named'}</span>
      </span>
    ),
  },
  {
    title: 'Model',
    cell: ({ model }) => <span className="trace-model">{model ?? '–'}</span>,
    isSecondary: true,
  },
  {
    title: 'Duration',
    cell: ({ duration_ms: ms, span_count: count }) => (
      <Two first={formatDuration(ms)} second={formatCount(count, 'span')} />
    ),
    isNumber: true,
  },
  {
    title: 'Tokens and cost',
    cell: (trace) => <Two first={tokensOf(trace)} second={costOf(trace)} />,
    isNumber: true,
    isSecondary: true,
  },
  {
    title: 'Errors',
    cell: ({ error_count: count }) => (count > 0 ? <Badge tone="bad">{formatNumber(count)}</Badge> : '0'),
    isNumber: true,
  },
  {
    title: 'Scores',
    cell: ({ evaluations, scores }) => <ScoreBadges evaluations={evaluations} scores={scores} most={2} />,
  },
]

/** Two short texts that belong together, one below the other. */
function Two({ first, second }: { first: string; second: string }) {
  return (
    <span className="trace-two">
      <span>{first}</span>
      <span className="quiet small">{second}</span>
    </span>
  )
}

/** Tokens in and out of models; nothing where no model was called. */
function tokensOf({ model_calls: calls, prompt_tokens: sent, completion_tokens: came }: Trace): string {
  return calls === 0 ? '–' : formatCompact(sent + came)
}

function costOf({ model_calls: calls, cost_usd: usd }: Trace): string {
  return calls === 0 ? '–' : formatUsd(usd)
}

function useTraces(range: RangeName) {
  const [address] = useQueryState()
  const asked = traceQueryOf(address, range)
  const { from: _from, to: _to, ...stable } = asked
  return useQuery({
    // Without the moments, which go on: a reader who comes back finds the list unchanged while it is read again.
    queryKey: ['traces', range, stable],
    queryFn: () => ok(api.GET('/v2/traces', { params: { query: traceQueryOf(address, range) } })),
    refetchInterval: address.has('cursor') ? false : 30_000,
    placeholderData: keepPreviousData,
  })
}

/** The traces that the filters leave, newest first. */
export function TraceList({ range }: { range: RangeName }) {
  const [address] = useQueryState()
  const traces = useTraces(range)
  return (
    <Card>
      <Loaded query={traces} skeleton={<LoadingTable columns={COLUMNS.length} />}>
        {({ traces: rows, next_cursor: next }) => (
          <div className="stack" aria-busy={traces.isPlaceholderData}>
            <p className="visually-hidden" role="status">
              {traces.isPlaceholderData ? 'Searching' : `${formatCount(rows.length, 'trace')} on this page`}
            </p>
            <Table
              label="Traces"
              columns={COLUMNS}
              rows={rows}
              keyOf={({ trace_id: id }) => id}
              empty={
                next === undefined && !address.has('cursor') ? (
                  <NoTraces range={range} />
                ) : (
                  <EmptyState title="No matches among the traces searched so far." />
                )
              }
            />
            {next !== undefined && readsSpans(address) ? (
              <Note>
                Texts and attributes are read span by span, about 5,000 for one page, newest first. There may
                be more further back; go on with “Older”, or narrow the search by time, service or session.
              </Note>
            ) : null}
            <CursorLinks next={next} />
          </div>
        )}
      </Loaded>
    </Card>
  )
}

function NoTraces({ range }: { range: RangeName }) {
  const [address, change] = useQueryState()
  if (isNarrowed(address)) {
    const nothing = Object.fromEntries([...TEXT_FILTERS, 'filters'].map((name) => [name, undefined]))
    const count = TEXT_FILTERS.filter((name) => address.get(name)).length + attributeFiltersOf(address).length
    return (
      <EmptyState title="No trace matches.">
        <p>{`In the ${RANGES[range].label.toLowerCase()} none fits ${count === 1 ? 'this filter' : `these ${count} filters`}.`}</p>
        <p className="row trace-empty-actions">
          <Button onClick={() => change({ ...nothing, cursor: undefined })}>Remove all filters</Button>
          {range === '30d' ? null : (
            <Button onClick={() => change({ range: '30d', cursor: undefined })}>
              Look at the last 30 days
            </Button>
          )}
        </p>
      </EmptyState>
    )
  }
  return (
    <>
      <EmptyState title={`No traces in the ${RANGES[range].label.toLowerCase()}.`}>
        Send spans from your application to this server, and its traces show here about a second later.
        {range === '30d' ? null : (
          <p className="row trace-empty-actions">
            <Button onClick={() => change({ range: '30d', cursor: undefined })}>
              Look at the last 30 days
            </Button>
          </p>
        )}
      </EmptyState>
      <SendSpans />
    </>
  )
}
