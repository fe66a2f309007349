import { useMemo } from 'react'
import { EmptyState, Loaded } from '../../ui/feedback.tsx'
import { formatDateTime, formatMoment, formatNumber } from '../../ui/format.ts'
import { LineChart } from '../../ui/line-chart.tsx'
import { Card } from '../../ui/page.tsx'
import { RANGES } from '../../ui/time-range.ts'
import { type Coverage, coverageOf, linesOf, timesOf, totalsOf, versionMarks } from './chart-data.ts'
import { type ChartChoice, type Monitor, type Series, useSeries } from './monitor-queries.ts'
import { groupOutcomes, OutcomeLegend } from './outcomes.tsx'
import { BUCKET_WORDS, formatterOf, type SchemaField } from './words.ts'

/** More would be thinner than a pixel on a phone. */
const COVERAGE_COLUMNS_MAX = 96

const SHOWN_AS: Readonly<Record<string, string>> = {
  average: 'Average',
  median: 'Median',
  p95: '95th percentile',
  min: 'Smallest',
  max: 'Largest',
  sum: 'Sum',
  count: 'Count',
}

interface ScoreCardProps {
  readonly monitor: Monitor
  readonly choice: ChartChoice
  readonly fields: readonly SchemaField[]
}

/** The score over time, and below it how many units were scored of how many. */
export function ScoreCard({ monitor, choice, fields }: ScoreCardProps) {
  const series = useSeries(monitor.id, choice)
  return (
    <Card title="Score over time">
      <Loaded query={series} lines={6}>
        {(found) =>
          found.points.length === 0 ? (
            <EmptyState title={`Nothing was evaluated: ${RANGES[choice.range].label.toLowerCase()}.`}>
              Choose a longer time, or wait until matching spans arrive. Spans that are stored already can be
              evaluated with a backfill of the setup.
            </EmptyState>
          ) : (
            <Charts
              series={found}
              monitor={monitor}
              field={fields.find(({ name }) => name === found.property)}
            />
          )
        }
      </Loaded>
    </Card>
  )
}

function Charts({
  series,
  monitor,
  field,
}: {
  series: Series
  monitor: Monitor
  field: SchemaField | undefined
}) {
  const isPassRate = series.aggregation === 'pass_rate'
  const name = isPassRate
    ? 'Pass rate'
    : `${SHOWN_AS[series.aggregation] ?? series.aggregation} of ${field?.label ?? series.property}`
  const format = useMemo(() => formatterOf(field, series.aggregation), [field, series.aggregation])
  const times = useMemo(() => timesOf(series), [series])
  // The end of the last bucket too, so that what changed within it can be marked.
  const axis = useMemo(() => [...times, new Date(series.to)], [times, series])
  const lines = useMemo(() => linesOf(series, axis, name), [series, axis, name])
  const marks = useMemo(() => versionMarks(monitor, series), [monitor, series])
  const coverage = useMemo(() => coverageOf(series, times, COVERAGE_COLUMNS_MAX), [series, times])
  const outcomes = groupOutcomes(totalsOf(series))
  const total = outcomes.reduce((sum, { count }) => sum + count, 0)
  const scored = outcomes.find(({ name: outcome }) => outcome === 'scored')?.count ?? 0
  return (
    <div className="stack">
      <p className="quiet">
        {`${name}, one point for ${BUCKET_WORDS[series.bucket]}. `}
        {isPassRate ? `The share of results that passed: ${monitor.verdict?.rule ?? ''}. ` : ''}
        {!isPassRate && field?.type === 'boolean' && format(1) !== '1'
          ? 'The share of units for which it is true. '
          : ''}
        {marks.length > 0 ? 'Dashed lines show where the monitor changed.' : ''}
      </p>
      {scored > 0 ? (
        <LineChart label={`${name} over time`} times={axis} series={lines} format={format} marks={marks} />
      ) : (
        <p className="quiet">Nothing was scored in this time. The outcomes are listed below.</p>
      )}
      <h3>{`Coverage: ${formatNumber(scored)} of ${formatNumber(total)} units were scored`}</h3>
      <CoverageBars columns={coverage} />
      <OutcomeLegend outcomes={outcomes} />
    </div>
  )
}

function CoverageBars({ columns }: { columns: readonly Coverage[] }) {
  const groups = columns.map(({ at, counts }) => ({ at, outcomes: groupOutcomes(counts) }))
  const most = Math.max(
    1,
    ...groups.map(({ outcomes }) => outcomes.reduce((sum, { count }) => sum + count, 0)),
  )
  const [first] = columns
  const last = columns.at(-1)
  return (
    <div>
      <ul className="coverage" aria-label="Units by what came of them, over time">
        {groups.map(({ at, outcomes }) => {
          const words = outcomes.map(({ label, count }) => `${label}: ${formatNumber(count)}`).join(', ')
          return (
            <li key={at.getTime()} title={`${formatDateTime(at)}\n${words || 'Nothing'}`}>
              {outcomes.toReversed().map(({ name, count }) => (
                <span
                  key={name}
                  className={`outcome-${name}`}
                  style={{ height: `${(100 * count) / most}%` }}
                />
              ))}
            </li>
          )
        })}
      </ul>
      {first && last ? (
        <div className="spread quiet small">
          <span>{formatMoment(first.at)}</span>
          <span>{`highest bar: ${formatNumber(most)}`}</span>
          <span>{formatMoment(last.at)}</span>
        </div>
      ) : null}
    </div>
  )
}
