import { useId, useMemo } from 'react'
import 'uplot/dist/uPlot.min.css'
import './chart.css'
import { bucketAt, pointAt, type Stretch } from './chart-hit.ts'
import { type ChartLook, type ChartSeries, colourOf, valueText } from './chart-options.ts'
import type { ChartMarker } from './chart-plugins.ts'
import { ChartTable } from './chart-table.tsx'
import { formatDateTime, formatMoment, formatNumber } from './format.ts'
import { useChart } from './use-chart.ts'
import { useChartKeyboard } from './use-chart-keyboard.ts'

interface LineChartProps {
  /** A description of the chart for screen readers. */
  readonly label: string
  /** In ascending order, each the beginning of a bucket. */
  readonly times: readonly Date[]
  readonly series: readonly ChartSeries[]
  readonly height?: number
  readonly format?: (value: number) => string
  /** Deployments and other changes. */
  readonly markers?: readonly ChartMarker[]
  /** Leads to the rows behind a point, by click or Enter. */
  readonly open?: {
    /** Begins with a verb: "List the evaluations". */
    readonly label: string
    readonly run: (bucket: Stretch, index: number) => void
  }
  /** Shows the stretch that was marked by dragging, or by Shift and the arrow keys. */
  readonly onZoom?: (stretch: Stretch) => void
}

const NO_MARKERS: readonly ChartMarker[] = []

/** Values over time. It follows the width of its place and the theme, and works with the keyboard. */
export function LineChart({
  label,
  times,
  series,
  height = 240,
  format = formatNumber,
  markers = NO_MARKERS,
  open,
  onZoom,
}: LineChartProps) {
  const openLabel = open?.label
  const canZoom = onZoom !== undefined
  const look = useMemo((): ChartLook => {
    const hints = openLabel === undefined ? [] : [`Click: ${openLabel.toLowerCase()}`]
    return { series, height, format, markers, hints, canZoom }
  }, [series, height, format, markers, openLabel, canZoom])
  const isDrawn = (index: number) => series.some(({ values }) => (values[index] ?? null) !== null)
  const openAt = (index: number | undefined) => {
    const bucket = index === undefined ? undefined : bucketAt(times, index)
    if (index !== undefined && bucket) open?.run(bucket, index)
  }
  const { place, chart } = useChart(times, look, {
    onClick: (ms) => openAt(pointAt(times, ms, isDrawn)),
    onMark: (stretch) => onZoom?.(stretch),
  })
  const keyboard = useChartKeyboard(times, chart, { isDrawn, openAt, onZoom })
  const helpId = useId()
  const index = keyboard.index ?? Math.max(0, times.length - 1)
  const valueWords = series.map(({ name, values }) => `${name}: ${valueText(values[index], format)}`)
  return (
    <figure className="chart">
      <div
        ref={place}
        className={`line-chart${open ? ' line-chart-opens' : ''}`}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-describedby={helpId}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, times.length - 1)}
        aria-valuenow={index}
        aria-valuetext={[times[index] ? formatMoment(times[index]) : '', ...valueWords].join(', ')}
        style={{ minHeight: height }}
        onKeyDown={keyboard.onKeyDown}
        onFocus={keyboard.onFocus}
        onBlur={keyboard.onBlur}
      />
      <span id={helpId} className="visually-hidden">
        {helpWords(openLabel, canZoom)}
      </span>
      <Legend series={series} />
      {markers.length > 0 ? (
        <ul className="visually-hidden" aria-label="Changes in this chart">
          {markers.map(({ atMs, label: change }) => (
            <li key={`${atMs} ${change}`}>{`${formatDateTime(new Date(atMs))}: ${change}`}</li>
          ))}
        </ul>
      ) : null}
      <ChartTable
        label={label}
        times={times}
        series={series}
        format={format}
        isDrawn={isDrawn}
        {...(open ? { onOpen: openAt } : {})}
      />
    </figure>
  )
}

function helpWords(openLabel: string | undefined, canZoom: boolean): string {
  return [
    'Use the arrow keys to read the points.',
    openLabel === undefined
      ? ''
      : `Press Enter to ${openLabel.charAt(0).toLowerCase()}${openLabel.slice(1)}.`,
    canZoom ? 'Hold Shift to mark a stretch, then press Enter to zoom in.' : '',
  ]
    .filter(Boolean)
    .join(' ')
}

function Legend({ series }: { series: readonly ChartSeries[] }) {
  if (series.length < 2) return null
  return (
    <ul className="chart-legend small">
      {series.map((one, at) => (
        <li key={one.name}>
          <span
            className={one.isPrevious ? 'chart-swatch chart-swatch-dashed' : 'chart-swatch'}
            style={{ borderColor: `var(${colourOf(one, at)})` }}
          />
          {one.name}
        </li>
      ))}
    </ul>
  )
}
