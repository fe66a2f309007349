import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import type { Stretch } from './chart-hit.ts'
import { type ChartLook, chartData, chartOptions } from './chart-options.ts'

/** The actions of a pointer on a chart. */
export interface PointerActions {
  /** A click at a moment, in Unix milliseconds. */
  readonly onClick: (ms: number) => void
  /** A stretch that was marked by dragging. */
  readonly onMark: (stretch: Stretch) => void
}

/** The drawing: made anew when its look changes, resized with its place. */
export function useChart(times: readonly Date[], look: ChartLook, actions: PointerActions) {
  const place = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot>(null)
  const latest = useRef(actions)
  latest.current = actions
  useEffect(() => {
    const element = place.current
    if (!element) return
    const draw = () => {
      chart.current?.destroy()
      chart.current = new uPlot(chartOptions(element, look), chartData(times, look.series), element)
      listen(chart.current, latest)
    }
    draw()
    const watcher = new ResizeObserver(() =>
      chart.current?.setSize({ width: element.clientWidth, height: look.height }),
    )
    watcher.observe(element)
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    scheme.addEventListener('change', draw)
    const theme = new MutationObserver(draw)
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => {
      watcher.disconnect()
      theme.disconnect()
      scheme.removeEventListener('change', draw)
      chart.current?.destroy()
      chart.current = null
    }
  }, [times, look])
  return { place, chart }
}

function listen(chart: uPlot, latest: { readonly current: PointerActions }): void {
  const msAt = (left: number) => chart.posToVal(left, 'x') * 1_000
  let isMarked = false
  // The click that ends a drag is none.
  chart.over.addEventListener('mousedown', () => {
    isMarked = false
  })
  chart.over.addEventListener('click', ({ clientX }) => {
    if (!isMarked) latest.current.onClick(msAt(clientX - chart.over.getBoundingClientRect().left))
  })
  chart.hooks.setSelect = [
    ({ select: { left, width } }) => {
      if (width <= 0) return
      isMarked = true
      clearMark(chart)
      latest.current.onMark({ fromMs: msAt(left), toMs: msAt(left + width) })
    },
  ]
}

/** Takes away the mark of a stretch. */
export function clearMark(chart: uPlot): void {
  chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
}
