import uPlot from 'uplot'
import { loneIndices } from './chart-hit.ts'
import { type ChartMarker, markersPlugin, tooltipPlugin } from './chart-plugins.ts'
import { formatMoment, formatTick } from './format.ts'

/** One line or row of bars of a chart. */
export interface ChartSeries {
  readonly name: string
  /** One for each time; null where nothing is known. */
  readonly values: readonly (number | null)[]
  readonly as?: 'line' | 'bars'
  /** Of the period before: drawn as a quiet dashed line. */
  readonly isPrevious?: boolean
}

/** The parts of a chart that decide how it is drawn. */
export interface ChartLook {
  readonly series: readonly ChartSeries[]
  readonly height: number
  readonly format: (value: number) => string
  readonly markers: readonly ChartMarker[]
  /** Lines below the values of the tooltip. */
  readonly hints: readonly string[]
  readonly canZoom: boolean
}

/** The name of the colour of a series, by its place. */
export function colourOf({ isPrevious = false }: ChartSeries, at: number): string {
  return isPrevious ? '--text-quiet' : `--series-${(at % 5) + 1}`
}

/** A value as it is told; a dash where nothing is known. */
export function valueText(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '–' : format(value)
}

/** A chart in the form that uPlot takes. */
export function chartData(times: readonly Date[], series: readonly ChartSeries[]): uPlot.AlignedData {
  return [times.map((time) => time.getTime() / 1_000), ...series.map(({ values }) => [...values])]
}

/** The options of a chart in its place, with the colours that hold there now. */
export function chartOptions(element: HTMLElement, look: ChartLook): uPlot.Options {
  const { series, height, format, markers, hints, canZoom } = look
  const colour = (name: string) => resolvedColour(element, name)
  const axis = {
    stroke: colour('--text-quiet'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    font: `12px ${getComputedStyle(element).fontFamily}`,
  }
  return {
    width: element.clientWidth || 600,
    height,
    legend: { show: false },
    // A drag marks a stretch and changes nothing by itself: the page decides what is shown next.
    cursor: { y: false, points: { size: 7 }, drag: { x: canZoom, y: false, setScale: false, dist: 6 } },
    axes: [
      {
        ...axis,
        space: 84,
        size: 34,
        values: (_, ticks) => ticks.map((tick) => formatTick(new Date(tick * 1_000))),
      },
      { ...axis, size: 64, values: (_, ticks) => ticks.map(format) },
    ],
    series: [
      { value: (_, at) => (at === null ? '' : formatMoment(new Date(at * 1_000))) },
      ...series.map((one, at) => seriesOptions(one, colour(colourOf(one, at)))),
    ],
    plugins: [
      markersPlugin(markers, colour('--text-quiet')),
      tooltipPlugin((index) => [
        ...series.map(({ name, values }) => `${name}: ${valueText(values[index], format)}`),
        ...hints,
      ]),
    ],
  }
}

function seriesOptions(
  { name, values, as = 'line', isPrevious = false }: ChartSeries,
  stroke: string,
): uPlot.Series {
  const bars = uPlot.paths.bars?.({ size: [0.8, 40] })
  const line = { label: name, stroke, width: isPrevious ? 1.5 : 2, spanGaps: false }
  if (isPrevious) return { ...line, dash: [6, 5], points: { show: false } }
  if (as === 'bars' && bars)
    return { ...line, paths: bars, fill: `${stroke}55`, width: 0, points: { show: false } }
  // Where points are too close to be drawn, those that no line leads to are drawn all the same.
  const lone = loneIndices(values)
  return { ...line, points: { filter: (_chart, _series, show) => (show || lone.length === 0 ? null : lone) } }
}

/** Canvas knows no custom properties: the browser is asked for the value that a property has here and now. */
function resolvedColour(element: HTMLElement, name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map(Number)
  return `#${[red, green, blue].map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`
}
