import { useMemo } from 'react'
import type { Stretch } from '../../ui/chart-hit.ts'
import { rangeBetween, zoomedTo } from '../../ui/custom-range.ts'
import { EmptyState, Loaded } from '../../ui/feedback.tsx'
import { formatNumber } from '../../ui/format.ts'
import { LineChart } from '../../ui/line-chart.tsx'
import { Card } from '../../ui/page.tsx'
import { rangePhrase, useTimeRange } from '../../ui/time-range.ts'
import { coverageOf, linesOf, previousLinesOf, timesOf, totalsOf, versionMarkers } from './chart-data.ts'
import { CoverageBars } from './coverage-bars.tsx'
import { useListEvaluations } from './evaluations-choice.ts'
import {
  type ChartChoice,
  type Monitor,
  type Series,
  usePreviousSeries,
  useSeries,
} from './monitor-queries.ts'
import { groupOutcomes, OutcomeLegend } from './outcomes.tsx'
import { PeriodComparison } from './period-comparison.tsx'
import { useDeployMarkers } from './use-deploy-markers.ts'
import { BUCKET_WORDS, formatterOf, type SchemaField } from './words.ts'

/** More would be thinner than a pixel on a phone. */
const COVERAGE_COLUMNS_MAX = 96

const AGGREGATION_WORDS: Readonly<Record<string, string>> = {
  average: 'Average',
  median: 'Median',
  p95: '95th percentile',
  min: 'Minimum',
  max: 'Maximum',
  sum: 'Sum',
  count: 'Count',
}

interface ScoreCardProps {
  readonly monitor: Monitor
  readonly choice: ChartChoice
  readonly fields: readonly SchemaField[]
  /** The period before is drawn too. */
  readonly isCompared: boolean
}

/** The score over time, and below it how many units were scored of how many. */
export function ScoreCard({ monitor, choice, fields, isCompared }: ScoreCardProps) {
  const series = useSeries(monitor.id, choice)
  const previous = usePreviousSeries(monitor.id, choice, isCompared ? series.data : undefined)
  return (
    <Card title="Score over time">
      <Loaded query={series} lines={6}>
        {(found) =>
          found.points.length === 0 ? (
            <EmptyState title={`Nothing was evaluated ${rangePhrase(choice.range)}.`} icon="monitors">
              Choose a longer time, or wait until matching spans arrive. A backfill of the setup evaluates
              spans that are already stored.
            </EmptyState>
          ) : (
            <Charts
              series={found}
              previous={isCompared ? previous.data : undefined}
              monitor={monitor}
              field={fields.find(({ name }) => name === found.property)}
            />
          )
        }
      </Loaded>
    </Card>
  )
}

interface ChartsProps {
  readonly series: Series
  readonly previous: Series | undefined
  readonly monitor: Monitor
  readonly field: SchemaField | undefined
}

function Charts({ series, previous, monitor, field }: ChartsProps) {
  const isPassRate = series.aggregation === 'pass_rate'
  const name = isPassRate
    ? 'Pass rate'
    : `${AGGREGATION_WORDS[series.aggregation] ?? series.aggregation} of ${field?.label ?? series.property}`
  const format = useMemo(() => formatterOf(field, series.aggregation), [field, series.aggregation])
  const outcomes = groupOutcomes(totalsOf(series))
  const total = outcomes.reduce((sum, { count }) => sum + count, 0)
  const scored = outcomes.find(({ name: outcome }) => outcome === 'scored')?.count ?? 0
  const list = useListEvaluations()
  return (
    <div className="stack">
      <p className="quiet">
        {`${name}, one point for every ${BUCKET_WORDS[series.bucket].replace(/^1 /, '')}. `}
        {isPassRate ? `The share of results that passed: ${monitor.verdict?.rule ?? ''}. ` : ''}
        {!isPassRate && field?.type === 'boolean' && format(1) !== '1'
          ? 'The share of units with “Yes”. '
          : ''}
        Click a point to list its evaluations; drag to zoom in.
      </p>
      {previous ? <PeriodComparison name={name} shown={series} previous={previous} format={format} /> : null}
      {scored > 0 ? (
        <ScoreChart series={series} previous={previous} monitor={monitor} name={name} format={format} />
      ) : (
        <p className="quiet">Nothing was scored in this time. The outcomes are listed below.</p>
      )}
      <h3>{`Coverage: ${formatNumber(scored)} of ${formatNumber(total)} units were scored`}</h3>
      <CoverageChart series={series} />
      <OutcomeLegend outcomes={outcomes} onOpen={(outcome) => list({ outcome })} />
    </div>
  )
}

interface ScoreChartProps extends Omit<ChartsProps, 'field'> {
  readonly name: string
  readonly format: (value: number) => string
}

function ScoreChart({ series, previous, monitor, name, format }: ScoreChartProps) {
  const [, setRange] = useTimeRange()
  const list = useListEvaluations()
  // The end of the last bucket too, so that what changed within it can be marked.
  const axis = useMemo(() => [...timesOf(series), new Date(series.to)], [series])
  const lines = useMemo(
    () => [
      ...linesOf(series, axis, name),
      ...(previous ? previousLinesOf(previous, axis.length - 1).map(withEnd) : []),
    ],
    [series, previous, axis, name],
  )
  const deploys = useDeployMarkers(monitor.id, series)
  const markers = useMemo(
    () => [...versionMarkers(monitor, series), ...deploys].sort((left, right) => left.atMs - right.atMs),
    [monitor, series, deploys],
  )
  const isPassRate = series.aggregation === 'pass_rate'
  const openBucket = (bucket: Stretch, index: number) => {
    const hasFailures =
      isPassRate && lines.some(({ values, isPrevious }) => !isPrevious && isBelow(values[index]))
    list({ ...unitBounds(bucket), ...(hasFailures ? { verdict: 'fail' } : {}) })
  }
  return (
    <LineChart
      label={`${name} over time`}
      times={axis}
      series={lines}
      format={format}
      markers={markers}
      open={{ label: 'List the evaluations', run: openBucket }}
      onZoom={({ fromMs, toMs }) => {
        const range = zoomedTo(fromMs, toMs)
        if (range) setRange(range)
      }}
    />
  )
}

const isBelow = (value: number | null | undefined) => value !== null && value !== undefined && value < 1

const withEnd = <Line extends { values: readonly (number | null)[] }>(line: Line): Line => ({
  ...line,
  values: [...line.values, null],
})

function unitBounds({ fromMs, toMs }: Stretch) {
  const { from, to } = rangeBetween(fromMs, toMs)
  return { unit_from: from, unit_to: to }
}

function CoverageChart({ series }: { series: Series }) {
  const list = useListEvaluations()
  const columns = useMemo(() => coverageOf(series, timesOf(series), COVERAGE_COLUMNS_MAX), [series])
  const endOf = (index: number) => columns[index + 1]?.at.getTime() ?? Date.parse(series.to)
  return (
    <CoverageBars
      columns={columns}
      onOpen={(index) => {
        const at = columns[index]?.at.getTime()
        if (at !== undefined) list(unitBounds({ fromMs: at, toMs: endOf(index) }))
      }}
    />
  )
}
