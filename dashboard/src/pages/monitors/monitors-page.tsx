import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api, ok } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { ButtonLink } from '../../ui/button-link.tsx'
import { EmptyState, Loaded, LoadingTable } from '../../ui/feedback.tsx'
import { Field, Select, TextInput } from '../../ui/field.tsx'
import { formatCount } from '../../ui/format.ts'
import { Card, Page } from '../../ui/page.tsx'
import { RangePicker } from '../../ui/range-picker.tsx'
import { boundsOf, type TimeRange, useQueryState, useTimeRange } from '../../ui/time-range.ts'
import type { Monitor } from './monitor-queries.ts'
import { MonitorTable } from './monitor-table.tsx'
import './monitors.css'

const PAGE = 100
/** Longest range of the summaries of many monitors, in days. */
const SUMMARY_DAYS_MAX = 31
const STATES = [
  { value: '', label: 'Active and stopped' },
  { value: 'active', label: 'Active' },
  { value: 'stopped', label: 'Stopped' },
]

interface Filter {
  readonly external_id?: string
  readonly evaluator_type?: string
  readonly status?: 'active' | 'stopped'
}

/** All monitors: how each fares, and where to look closer. */
export default function MonitorsPage() {
  const [query, change] = useQueryState()
  const [range, setRange] = useTimeRange()
  const filter = filterOf(query)
  const search = query.get('q') ?? ''
  const monitors = useMonitors(filter)
  const summaries = useSummaries(range)
  const all = useMemo(() => monitors.data?.pages.flatMap((page) => page.monitors) ?? [], [monitors.data])
  const found = all.filter((monitor) => matches(monitor, search))
  const isFiltered = search !== '' || Object.keys(filter).length > 0
  return (
    <Page
      title="Monitors"
      lead="A monitor runs one evaluator of one setup on every matching span."
      actions={<RangePicker value={range} onChange={setRange} daysMax={SUMMARY_DAYS_MAX} />}
    >
      <Filters search={search} filter={filter} onChange={change} />
      <Card>
        <Loaded query={monitors} skeleton={<LoadingTable columns={6} />}>
          {() => (
            <>
              <MonitorTable
                monitors={found}
                summaries={summaries.data}
                range={range}
                empty={
                  <NoMonitors
                    isFiltered={isFiltered}
                    onClear={() => change({ q: '', setup: '', evaluator: '', state: '' })}
                  />
                }
              />
              {monitors.hasNextPage ? (
                <p className="row">
                  <Button isBusy={monitors.isFetchingNextPage} onClick={() => void monitors.fetchNextPage()}>
                    Show more
                  </Button>
                  <span className="quiet small">
                    {search
                      ? `Searched in the first ${formatCount(all.length, 'monitor')}.`
                      : `${formatCount(all.length, 'monitor')} shown.`}
                  </span>
                </p>
              ) : null}
            </>
          )}
        </Loaded>
      </Card>
    </Page>
  )
}

function filterOf(query: URLSearchParams): Filter {
  const setup = query.get('setup')
  const evaluator = query.get('evaluator')
  const state = query.get('state')
  return {
    ...(setup ? { external_id: setup } : {}),
    ...(evaluator ? { evaluator_type: evaluator } : {}),
    ...(state === 'active' || state === 'stopped' ? { status: state } : {}),
  }
}

function matches({ external_id, evaluator_type, id }: Monitor, search: string): boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const text = `${external_id} ${evaluator_type} ${id}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

function useMonitors(filter: Filter) {
  return useInfiniteQuery({
    queryKey: ['monitors', filter],
    queryFn: ({ pageParam }) =>
      ok(
        api.GET('/v2/monitors', {
          params: {
            query: { ...filter, limit: PAGE, ...(pageParam === undefined ? {} : { cursor: pageParam }) },
          },
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  })
}

/** How monitors fare in the range, by their ids; only of the first hundred. */
function useSummaries(range: TimeRange) {
  return useQuery({
    queryKey: ['overview', range],
    queryFn: () => ok(api.GET('/v2/overview', { params: { query: { ...boundsOf(range), buckets: 48 } } })),
    // The overview keeps its answer under the same name.
    select: ({ monitors }) => new Map(monitors.map((monitor) => [monitor.id, monitor])),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  })
}

interface FiltersProps {
  readonly search: string
  readonly filter: Filter
  readonly onChange: (change: Readonly<Record<string, string | undefined>>) => void
}

function Filters({ search, filter, onChange }: FiltersProps) {
  const known = useMonitors({})
  const monitors = known.data?.pages.flatMap((page) => page.monitors) ?? []
  const setups = optionsOf(
    monitors.map(({ external_id }) => external_id),
    filter.external_id,
    'All setups',
  )
  const evaluators = optionsOf(
    monitors.map(({ evaluator_type }) => evaluator_type),
    filter.evaluator_type,
    'All evaluators',
  )
  return (
    <search className="monitors-filters">
      <Field label="Search">
        {(ids) => (
          <TextInput
            {...ids}
            type="search"
            value={search}
            placeholder="Setup or evaluator"
            onChange={(event) => onChange({ q: event.target.value })}
          />
        )}
      </Field>
      <Field label="Setup">
        {(ids) => (
          <Select
            {...ids}
            value={filter.external_id ?? ''}
            options={setups}
            onChange={(event) => onChange({ setup: event.target.value })}
          />
        )}
      </Field>
      <Field label="Evaluator">
        {(ids) => (
          <Select
            {...ids}
            value={filter.evaluator_type ?? ''}
            options={evaluators}
            onChange={(event) => onChange({ evaluator: event.target.value })}
          />
        )}
      </Field>
      <Field label="State">
        {(ids) => (
          <Select
            {...ids}
            value={filter.status ?? ''}
            options={STATES}
            onChange={(event) => onChange({ state: event.target.value })}
          />
        )}
      </Field>
    </search>
  )
}

function optionsOf(names: readonly string[], chosen: string | undefined, all: string) {
  const known = [...new Set(chosen === undefined ? names : [...names, chosen])].sort()
  return [{ value: '', label: all }, ...known.map((value) => ({ value, label: value }))]
}

function NoMonitors({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (isFiltered) {
    return (
      <EmptyState title="No monitors match this filter" icon="monitors">
        <Button onClick={onClear}>Clear the filters</Button>
      </EmptyState>
    )
  }
  return (
    <EmptyState title="No monitors yet" icon="monitors">
      <p>
        Each evaluator of a setup becomes a monitor when the first matching span arrives. Its scores and
        verdicts over time show here.
      </p>
      <p>
        <ButtonLink to="/setups/new" variant="primary">
          Create a setup
        </ButtonLink>
      </p>
    </EmptyState>
  )
}
