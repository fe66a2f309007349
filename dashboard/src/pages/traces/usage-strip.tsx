import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api, ok } from '../../api/client.ts'
import { Loaded } from '../../ui/feedback.tsx'
import { Select } from '../../ui/field.tsx'
import { formatCompact, formatDuration, formatPercent, formatUsd } from '../../ui/format.ts'
import { LineChart } from '../../ui/line-chart.tsx'
import { Card } from '../../ui/page.tsx'
import { boundsOf, type RangeName, useQueryState } from '../../ui/time-range.ts'
import {
  bucketTimes,
  GROUPS,
  GROUPS_MAX,
  type Group,
  groupsOf,
  METRICS,
  type Metric,
  seriesOf,
  totalsOf,
} from './usage-series.ts'
import './usage-strip.css'

const FORMATS: Readonly<Record<Metric, (value: number) => string>> = {
  calls: formatCompact,
  tokens: formatCompact,
  cost: formatUsd,
  latency: formatDuration,
  errors: formatCompact,
}
const GROUP_OPTIONS = [
  { value: '', label: 'All together' },
  ...Object.entries(GROUPS).map(([value, label]) => ({ value, label })),
]

function useUsage(range: RangeName, group: Group | undefined) {
  const [address] = useQueryState()
  const filter = Object.fromEntries(
    (['environment', 'service', 'model'] as const).flatMap((name) =>
      address.get(name) ? [[name, address.get(name) as string]] : [],
    ),
  )
  return useQuery({
    queryKey: ['usage', range, group, filter],
    queryFn: () =>
      ok(
        api.GET('/v2/usage', {
          params: { query: { ...boundsOf(range), ...filter, ...(group ? { group_by: group } : {}) } },
        }),
      ),
    refetchInterval: 30_000,
    placeholderData: keepPreviousData,
  })
}

/** What the monitored application itself uses models for, over the same time as the list below. */
export function UsageStrip({ range }: { range: RangeName }) {
  const [address, change] = useQueryState()
  const metric = (address.get('metric') ?? '') in METRICS ? (address.get('metric') as Metric) : 'calls'
  const group = (address.get('group') ?? '') in GROUPS ? (address.get('group') as Group) : undefined
  const usage = useUsage(range, group)
  return (
    <Card
      title="Use of models by your application"
      actions={
        <Select
          aria-label="Group the chart"
          value={group ?? ''}
          options={GROUP_OPTIONS}
          onChange={(event) => change({ group: event.target.value })}
        />
      }
    >
      <Loaded query={usage} lines={5}>
        {(answer) => (
          <div className="stack">
            <Tiles
              usage={answer.usage}
              selected={metric}
              onSelect={(next) => change({ metric: next === 'calls' ? undefined : next })}
            />
            <Chart answer={answer} metric={metric} group={group} />
          </div>
        )}
      </Loaded>
    </Card>
  )
}

type Answer = Parameters<typeof seriesOf>[0]

function Chart({ answer, metric, group }: { answer: Answer; metric: Metric; group: Group | undefined }) {
  const times = useMemo(() => bucketTimes(answer), [answer])
  const series = useMemo(() => seriesOf(answer, metric, group), [answer, metric, group])
  const left = group ? Math.max(0, groupsOf(answer.usage, group).length - GROUPS_MAX) : 0
  return (
    <div>
      <LineChart
        label={`${METRICS[metric]} over time`}
        times={times}
        series={series}
        height={170}
        format={FORMATS[metric]}
      />
      <p className="quiet small">
        {group && metric === 'latency' ? '95 % of the calls took at most this long. ' : ''}
        {left > 0 ? `The ${GROUPS_MAX} with the most calls; ${left} more are not drawn. ` : ''}
        {`One point for each ${answer.bucket}. Filters by environment, service and model apply here too.`}
      </p>
    </div>
  )
}

function Tiles({
  usage,
  selected,
  onSelect,
}: {
  usage: Answer['usage']
  selected: Metric
  onSelect: (metric: Metric) => void
}) {
  return (
    <div className="usage-tiles" role="group" aria-label="What the chart shows">
      {tilesOf(usage).map(({ metric, value, note }) => (
        <button
          key={metric}
          type="button"
          className="usage-tile"
          aria-pressed={metric === selected}
          onClick={() => onSelect(metric)}
        >
          <span className="quiet small">{METRICS[metric]}</span>
          <span className="usage-value number">{value}</span>
          <span className="quiet small number">{note}</span>
        </button>
      ))}
    </div>
  )
}

function tilesOf(usage: Answer['usage']): { metric: Metric; value: string; note: string }[] {
  const totals = totalsOf(usage)
  const latest = usage.findLast((line) => line.duration_p95_ms !== undefined)
  const isPriced = totals.costUsd !== undefined
  return [
    { metric: 'calls', value: formatCompact(totals.calls), note: 'in this time' },
    {
      metric: 'tokens',
      value: formatCompact(totals.promptTokens + totals.completionTokens),
      note: `${formatCompact(totals.promptTokens)} in, ${formatCompact(totals.completionTokens)} out`,
    },
    {
      metric: 'cost',
      value: isPriced || totals.calls > 0 ? formatUsd(totals.costUsd) : '–',
      note:
        totals.unpricedCalls > 0
          ? `without ${formatCompact(totals.unpricedCalls)} of unknown price`
          : 'at list price',
    },
    {
      metric: 'latency',
      value: latest?.duration_p50_ms === undefined ? '–' : formatDuration(latest.duration_p50_ms),
      note:
        latest?.duration_p95_ms === undefined
          ? 'p50, newest'
          : `p50 now; p95 ${formatDuration(latest.duration_p95_ms)}`,
    },
    {
      metric: 'errors',
      value: formatCompact(totals.errors),
      note: totals.calls > 0 ? `${formatPercent(totals.errors / totals.calls)} of calls` : 'of calls',
    },
  ]
}
