import { type FocusEvent, type KeyboardEvent, useState } from 'react'
import type uPlot from 'uplot'
import { bucketsBetween, indexAfterKey, type Stretch } from './chart-hit.ts'
import { clearMark } from './use-chart.ts'

interface KeyboardActions {
  readonly isDrawn: (index: number) => boolean
  readonly openAt: (index: number) => void
  readonly onZoom: ((stretch: Stretch) => void) | undefined
}

/** The point that the keyboard is at, and where the stretch that Shift marks began. */
export function useChartKeyboard(
  times: readonly Date[],
  chart: { readonly current: uPlot | null },
  { isDrawn, openAt, onZoom }: KeyboardActions,
) {
  const [index, setIndex] = useState<number>()
  const [anchor, setAnchor] = useState<number>()
  const at = Math.min(index ?? times.length - 1, times.length - 1)
  const show = (next: number, from: number | undefined) => {
    setIndex(next)
    setAnchor(from)
    if (chart.current) showPlace(chart.current, times, next, from)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const isMarking = event.shiftKey && onZoom !== undefined
    const next = indexAfterKey(event.key, at, times.length, isDrawn)
    if (next !== undefined) show(next, isMarking ? (anchor ?? at) : undefined)
    else if (event.key === 'Escape' && anchor !== undefined) show(at, undefined)
    else if (event.key === 'Enter' && anchor !== undefined) {
      const stretch = bucketsBetween(times, anchor, at)
      show(at, undefined)
      if (stretch) onZoom?.(stretch)
    } else if (event.key === 'Enter') openAt(at)
    else return
    event.preventDefault()
  }
  return {
    index,
    onKeyDown,
    // Where a pointer is at work, the cursor is its own.
    onFocus: ({ currentTarget }: FocusEvent) => {
      if (!currentTarget.matches(':focus-visible')) return
      show(isDrawn(at) ? at : (indexAfterKey('End', at, times.length, isDrawn) ?? at), undefined)
    },
    onBlur: () => {
      setAnchor(undefined)
      chart.current?.setCursor({ left: -10, top: -10 }, false)
      if (chart.current) clearMark(chart.current)
    },
  }
}

function showPlace(chart: uPlot, times: readonly Date[], at: number, anchor: number | undefined): void {
  const leftOf = (index: number) => chart.valToPos((times[index]?.getTime() ?? 0) / 1_000, 'x')
  chart.setCursor({ left: leftOf(at), top: chart.over.clientHeight / 2 })
  if (anchor === undefined) {
    clearMark(chart)
    return
  }
  const [left, right] = [Math.min(leftOf(anchor), leftOf(at)), Math.max(leftOf(anchor), leftOf(at))]
  chart.setSelect({ left, width: right - left, top: 0, height: chart.over.clientHeight }, false)
}
