import { lazy, Suspense } from 'react'
import { Loaded, Loading } from '../../ui/feedback.tsx'
import { formatCompact, formatDuration, formatPercent, formatUsd } from '../../ui/format.ts'
import { Card } from '../../ui/page.tsx'
import { Sparkline } from '../../ui/sparkline.tsx'
import { type RangeName, useQueryState } from '../../ui/time-range.ts'
import { METRICS, type Metric, seriesOf, totalsOf, type UsageAnswer } from './usage-series.ts'
import './usage-strip.css'
import { useUsage } from './use-usage.ts'

// The library that draws is loaded for those who want to see more than the small lines.
const UsageChart = lazy(async () => ({ default: (await import('./usage-chart.tsx')).UsageChart }))

/** The monitored application's own use of models, over the same time as the list below. */
export function UsageStrip({ range }: { range: RangeName }) {
  const [address, change] = useQueryState()
  const named = address.get('metric') ?? ''
  const metric = named in METRICS ? (named as Metric) : undefined
  const usage = useUsage(range)
  return (
    <Card title="Use of models by your application">
      <Loaded query={usage} lines={3}>
        {(answer) => (
          <div className="stack">
            <Tiles
              answer={answer}
              selected={metric}
              onSelect={(next) => change({ metric: next === metric ? undefined : next })}
            />
            {metric ? (
              <Suspense fallback={<Loading lines={5} />}>
                <UsageChart range={range} metric={metric} />
              </Suspense>
            ) : null}
          </div>
        )}
      </Loaded>
    </Card>
  )
}

interface TilesProps {
  readonly answer: UsageAnswer
  readonly selected: Metric | undefined
  readonly onSelect: (metric: Metric) => void
}

function Tiles({ answer, selected, onSelect }: TilesProps) {
  return (
    <fieldset className="usage-tiles" aria-label="Choose what is drawn larger">
      {tilesOf(answer.usage).map(({ metric, value, note }) => (
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
          <Sparkline
            label={`${METRICS[metric]} over time`}
            values={seriesOf(answer, metric, undefined).at(-1)?.values ?? []}
            width={150}
            height={26}
          />
        </button>
      ))}
    </fieldset>
  )
}

function tilesOf(usage: UsageAnswer['usage']): { metric: Metric; value: string; note: string }[] {
  const totals = totalsOf(usage)
  const latest = usage.findLast((line) => line.duration_p95_ms !== undefined)
  return [
    { metric: 'calls', value: formatCompact(totals.calls), note: 'in this time' },
    {
      metric: 'tokens',
      value: formatCompact(totals.promptTokens + totals.completionTokens),
      note: `${formatCompact(totals.promptTokens)} in, ${formatCompact(totals.completionTokens)} out`,
    },
    {
      metric: 'cost',
      value: totals.calls > 0 ? formatUsd(totals.costUsd) : '–',
      note:
        totals.unpricedCalls > 0
          ? `${formatCompact(totals.unpricedCalls)} of unknown price`
          : 'at list prices',
    },
    {
      metric: 'latency',
      value: latest?.duration_p50_ms === undefined ? '–' : formatDuration(latest.duration_p50_ms),
      note:
        latest?.duration_p95_ms === undefined
          ? 'no calls'
          : `p50 lately; p95 ${formatDuration(latest.duration_p95_ms)}`,
    },
    {
      metric: 'errors',
      value: formatCompact(totals.errors),
      note: totals.calls > 0 ? `${formatPercent(totals.errors / totals.calls)} of calls` : 'no calls',
    },
  ]
}
