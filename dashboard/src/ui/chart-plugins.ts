import type uPlot from 'uplot'
import { labelRows } from './chart-hit.ts'
import { formatMoment } from './format.ts'

/** A moment at which something changed, such as a deployment. */
export interface ChartMarker {
  readonly atMs: number
  readonly label: string
}

/** Most markers that are drawn; the newest ones, where there are more. */
const MARKERS_MAX = 50
const LABEL_GAP = 6
const ROW_HEIGHT = 14

/** Draws the markers as dashed upright lines with their labels. */
export function markersPlugin(markers: readonly ChartMarker[], colour: string): uPlot.Plugin {
  return { hooks: { draw: (chart) => drawMarkers(chart, markers.slice(-MARKERS_MAX), colour) } }
}

function drawMarkers(chart: uPlot, markers: readonly ChartMarker[], colour: string): void {
  const { ctx, bbox } = chart
  const scale = devicePixelRatio
  ctx.save()
  ctx.strokeStyle = colour
  ctx.fillStyle = colour
  ctx.lineWidth = scale
  ctx.setLineDash([4 * scale, 4 * scale])
  const drawn = markers.flatMap(({ atMs, label }) => {
    const x = Math.round(chart.valToPos(atMs / 1_000, 'x', true))
    if (x < bbox.left || x > bbox.left + bbox.width) return []
    // Beside the line, on the side that has room for it.
    const isRight = x > bbox.left + bbox.width / 2
    const width = ctx.measureText(label).width
    const left = isRight ? x - LABEL_GAP * scale - width : x + LABEL_GAP * scale
    return [{ x, label, left, right: left + width }]
  })
  const rows = labelRows(drawn)
  for (const [at, { x, label, left }] of drawn.entries()) {
    ctx.beginPath()
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
    ctx.stroke()
    const row = rows[at]
    ctx.textAlign = 'left'
    if (row !== undefined) ctx.fillText(label, left, bbox.top + (12 + row * ROW_HEIGHT) * scale)
  }
  ctx.restore()
}

/** Shows some lines of text beside the point that the pointer or the keyboard is at. */
export function tooltipPlugin(linesAt: (index: number) => readonly string[]): uPlot.Plugin {
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
        tip.textContent = [formatMoment(new Date(time * 1_000)), ...linesAt(idx)].join('\n')
        const isRight = left > chart.over.clientWidth / 2
        tip.style.left = isRight ? 'auto' : `${left + 12}px`
        tip.style.right = isRight ? `${chart.over.clientWidth - left + 12}px` : 'auto'
      },
    },
  }
}
