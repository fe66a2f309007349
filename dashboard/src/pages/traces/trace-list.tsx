import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { useLocation } from 'wouter'
import { api, ok } from '../../api/client.ts'
import { useRowKeys } from '../../shell/use-row-keys.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState, Loaded, LoadingTable, Note } from '../../ui/feedback.tsx'
import { formatCount } from '../../ui/format.ts'
import { Card } from '../../ui/page.tsx'
import { SendSpans } from '../../ui/send-spans.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { RANGES, type RangeName, useQueryState } from '../../ui/time-range.ts'
import { CursorLinks } from './cursor-links.tsx'
import { MATCH_COLUMN, TRACE_COLUMNS } from './trace-columns.tsx'
import { attributeFiltersOf, isNarrowed, readsSpans, TEXT_FILTERS, traceQueryOf } from './trace-query.ts'
import type { Trace } from './trace-types.ts'
import { useColumns } from './use-columns.ts'

/** The columns to show. While a text is searched, the place where it was found stands in for the input and the output. */
function useShownColumns(): readonly Column<Trace>[] {
  const [address] = useQueryState()
  const [chosen] = useColumns()
  const names = ['name', ...chosen]
  if (!address.get('q')) return names.flatMap((name) => TRACE_COLUMNS[name] ?? [])
  const others = names.filter((name) => !['name', 'input', 'output'].includes(name))
  return [TRACE_COLUMNS['name'], MATCH_COLUMN, ...others.map((name) => TRACE_COLUMNS[name])].filter(
    (column) => column !== undefined,
  )
}

function useTraces(range: RangeName) {
  const [address] = useQueryState()
  const asked = traceQueryOf(address, range)
  const { from: _from, to: _to, ...stable } = asked
  return useQuery({
    // Without the moments, which go on: a reader who comes back finds the list unchanged while it is read again.
    queryKey: ['traces', range, stable],
    queryFn: () =>
      ok(
        api.GET('/v2/traces', { params: { query: { ...traceQueryOf(address, range), include: 'preview' } } }),
      ),
    refetchInterval: address.has('cursor') ? false : 30_000,
    placeholderData: keepPreviousData,
  })
}

/** The traces that the filters leave, newest first. */
export function TraceList({ range }: { range: RangeName }) {
  const traces = useTraces(range)
  const columns = useShownColumns()
  return (
    <Card>
      <Loaded query={traces} skeleton={<LoadingTable columns={columns.length} />}>
        {(page) => (
          <div className="stack" aria-busy={traces.isPlaceholderData}>
            <p className="visually-hidden" role="status">
              {traces.isPlaceholderData
                ? 'Searching'
                : `${formatCount(page.traces.length, 'trace')} on this page`}
            </p>
            <TracePage page={page} range={range} columns={columns} />
          </div>
        )}
      </Loaded>
    </Card>
  )
}

interface TracePageProps {
  readonly page: { readonly traces: readonly Trace[]; readonly next_cursor?: string }
  readonly range: RangeName
  readonly columns: readonly Column<Trace>[]
}

function TracePage({ page: { traces, next_cursor: next }, range, columns }: TracePageProps) {
  const [address] = useQueryState()
  const [, navigate] = useLocation()
  const keys = useMemo(() => traces.map(({ trace_id: id }) => id), [traces])
  const open = useCallback((id: string) => navigate(`/traces/${id}`), [navigate])
  const current = useRowKeys({ title: 'Traces', keys, open })
  const isWhole = next === undefined && !address.has('cursor')
  return (
    <>
      <Table
        label="Traces"
        columns={columns}
        rows={traces}
        keyOf={({ trace_id: id }) => id}
        current={current}
        empty={
          isWhole ? (
            <NoTraces range={range} />
          ) : (
            <EmptyState title="No matches among the traces searched so far." />
          )
        }
      />
      {next !== undefined && readsSpans(address) ? (
        <Note>
          Texts and attributes are read span by span, about 5,000 for one page, newest first. There may be
          more further back; go on with “Older”, or narrow the search by time, service or session.
        </Note>
      ) : null}
      <CursorLinks next={next} />
    </>
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
