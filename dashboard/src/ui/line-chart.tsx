import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import './chart.css'
import { formatMoment, formatNumber, formatTick } from './format.ts'

export interface ChartSeries {
  readonly name: string
  /** One for each time; null where nothing is known. */
  readonly values: readonly (number | null)[]
  readonly as?: 'line' | 'bars'
}

interface LineChartProps {
  /** A description of the chart for screen readers. */
  readonly label: string
  readonly times: readonly Date[]
  readonly series: readonly ChartSeries[]
  readonly height?: number
  readonly format?: (value: number) => string
  /** Moments at which something changed, with what. */
  readonly marks?: readonly { readonly at: Date; readonly name: string }[]
}

/** Values over time. It follows the width of its place and the theme. */
export function LineChart({
  label,
  times,
  series,
  height = 240,
  format = formatNumber,
  marks = [],
}: LineChartProps) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (!element) return
    const draw = () =>
      new uPlot(optionsOf(element, { series, height, format, marks }), dataOf(times, series), element)
    let chart = draw()
    const watcher = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }))
    watcher.observe(element)
    const redraw = () => {
      chart.destroy()
      chart = draw()
    }
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    scheme.addEventListener('change', redraw)
    const theme = new MutationObserver(redraw)
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => {
      watcher.disconnect()
      theme.disconnect()
      scheme.removeEventListener('change', redraw)
      chart.destroy()
    }
  }, [times, series, height, format, marks])
  return (
    <div ref={place} className="line-chart" role="img" aria-label={label} style={{ minHeight: height }} />
  )
}

function dataOf(times: readonly Date[], series: readonly ChartSeries[]): uPlot.AlignedData {
  return [times.map((time) => time.getTime() / 1_000), ...series.map(({ values }) => [...values])]
}

function optionsOf(
  element: HTMLElement,
  { series, height, format, marks }: Required<Pick<LineChartProps, 'series' | 'height' | 'format' | 'marks'>>,
): uPlot.Options {
  const colour = (name: string) => resolvedColour(element, name)
  const axis = {
    stroke: colour('--text-quiet'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  }
  const bars = uPlot.paths.bars?.({ size: [0.8, 40] })
  return {
    width: element.clientWidth || 600,
    height,
    legend: { show: series.length > 1, live: false },
    cursor: { points: { size: 7 } },
    axes: [
      { ...axis, space: 84, values: (_, ticks) => ticks.map((tick) => formatTick(new Date(tick * 1_000))) },
      { ...axis, size: 64, values: (_, ticks) => ticks.map(format) },
    ],
    series: [
      { value: (_, at) => (at === null ? '' : formatMoment(new Date(at * 1_000))) },
      ...series.map(({ name, as = 'line' }, at) => {
        const stroke = colour(`--series-${(at % 5) + 1}`)
        return {
          label: name,
          stroke,
          width: 2,
          spanGaps: false,
          value: (_: uPlot, value: number | null) => (value === null ? '–' : format(value)),
          ...(as === 'bars' && bars
            ? { paths: bars, fill: `${stroke}55`, width: 0, points: { show: false } }
            : {}),
        }
      }),
    ],
    plugins: [marksPlugin(marks, colour('--text-quiet')), tooltipPlugin(series, format)],
  }
}

/** Canvas knows no custom properties: what a property means here and now is asked of the browser. */
function resolvedColour(element: HTMLElement, name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map(Number)
  return `#${[red, green, blue].map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`
}

function marksPlugin(marks: LineChartProps['marks'] & object, colour: string): uPlot.Plugin {
  return {
    hooks: {
      draw(chart) {
        const { ctx, bbox } = chart
        ctx.save()
        ctx.strokeStyle = colour
        ctx.fillStyle = colour
        ctx.setLineDash([4, 4])
        for (const { at, name } of marks) {
          const x = Math.round(chart.valToPos(at.getTime() / 1_000, 'x', true))
          if (x < bbox.left || x > bbox.left + bbox.width) continue
          ctx.beginPath()
          ctx.moveTo(x, bbox.top)
          ctx.lineTo(x, bbox.top + bbox.height)
          ctx.stroke()
          // Beside the line, on the side that has room for it.
          const isRight = x > bbox.left + bbox.width / 2
          ctx.textAlign = isRight ? 'right' : 'left'
          ctx.fillText(name, isRight ? x - 6 : x + 6, bbox.top + 12)
        }
        ctx.restore()
      },
    },
  }
}

/** Shows the values under the pointer, beside it. */
function tooltipPlugin(series: readonly ChartSeries[], format: (value: number) => string): uPlot.Plugin {
  const tip = document.createElement('div')
  tip.className = 'chart-tip'
  tip.hidden = true
  return {
    hooks: {
      init: (chart) => chart.over.append(tip),
      setCursor(chart) {
        const { idx, left = 0 } = chart.cursor
        tip.hidden = idx === null || idx === undefined || left < 0
        if (tip.hidden || idx === null || idx === undefined) return
        const time = chart.data[0][idx] ?? 0
        const lines = series.map(({ name, values }) => {
          const value = values[idx]
          return `${name}: ${value === null || value === undefined ? '–' : format(value)}`
        })
        tip.textContent = [formatMoment(new Date(time * 1_000)), ...lines].join('\n')
        const isRight = left > chart.over.clientWidth / 2
        tip.style.left = isRight ? 'auto' : `${left + 12}px`
        tip.style.right = isRight ? `${chart.over.clientWidth - left + 12}px` : 'auto'
      },
    },
  }
}
