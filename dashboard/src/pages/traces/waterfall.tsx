import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { formatDuration } from '../../ui/format.ts'
import { KINDS, kindOf } from './span-kind.ts'
import { frameOf, rowsOf, type SpanNode, type TimeFrame, treeOf } from './span-tree.ts'
import type { TraceSpan } from './trace-types.ts'
import './waterfall.css'
import { rowId, WaterfallRow } from './waterfall-row.tsx'

/** From so many rows on only those in sight are drawn. */
const VIRTUAL_FROM = 200
const ROW_PX = 36
const AHEAD_ROWS = 12

interface WaterfallProps {
  readonly spans: readonly TraceSpan[]
  readonly selected: string | undefined
  readonly onSelect: (spanId: string) => void
}

/** The spans of a trace by parent, each with a bar on the axis of time. */
export function Waterfall({ spans, selected, onSelect }: WaterfallProps) {
  const tree = useMemo(() => treeOf(spans), [spans])
  const frame = useMemo(() => frameOf(spans), [spans])
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set())
  const rows = useMemo(() => rowsOf(tree, collapsed), [tree, collapsed])
  const toggle = (id: string) =>
    setCollapsed((before) => (before.has(id) ? without(before, id) : new Set([...before, id])))
  const parents = useMemo(() => spansWithChildren(tree), [tree])
  return (
    <div className="waterfall">
      <div className="spread">
        <Legend spans={spans} />
        <span className="row">
          <Button variant="quiet" onClick={() => setCollapsed(new Set())}>
            Open all
          </Button>
          <Button variant="quiet" onClick={() => setCollapsed(new Set(parents))}>
            Close all
          </Button>
        </span>
      </div>
      <Axis frame={frame} />
      <Rows
        rows={rows}
        frame={frame}
        collapsed={collapsed}
        selected={selected}
        onSelect={onSelect}
        onToggle={toggle}
      />
    </div>
  )
}

interface RowsProps {
  readonly rows: readonly SpanNode<TraceSpan>[]
  readonly frame: TimeFrame
  readonly collapsed: ReadonlySet<string>
  readonly selected: string | undefined
  readonly onSelect: (spanId: string) => void
  readonly onToggle: (spanId: string) => void
}

// The focus stays on the grid and names the row that is active, which works for rows that are not drawn, too.
function Rows({ rows, frame, collapsed, selected, onSelect, onToggle }: RowsProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const [activeId, setActiveId] = useState(selected)
  const found = rows.findIndex(({ span }) => span.span_id === (activeId ?? selected))
  const active = Math.max(0, found)
  const isVirtual = rows.length > VIRTUAL_FROM
  const virtualizer = useVirtualizer({
    count: rows.length,
    enabled: isVirtual,
    estimateSize: () => ROW_PX,
    getScrollElement: () => scroller.current,
    overscan: AHEAD_ROWS,
  })
  const reveal = (at: number) => {
    if (isVirtual) virtualizer.scrollToIndex(at, { align: 'auto' })
    else document.getElementById(rowId(rows[at]?.span.span_id ?? ''))?.scrollIntoView({ block: 'nearest' })
  }
  // A link to a span far down shows it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the page opens; later the reader moves.
  useEffect(() => {
    if (isVirtual && active > 0) virtualizer.scrollToIndex(active, { align: 'center' })
  }, [isVirtual])
  const move = (at: number) => {
    const next = Math.min(rows.length - 1, Math.max(0, at))
    setActiveId(rows[next]?.span.span_id)
    reveal(next)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[active]
    const step =
      row && keyStep(event.key, { rows, active, row, isCollapsed: collapsed.has(row.span.span_id) })
    if (!row || !step) return
    event.preventDefault()
    if (step === 'toggle') onToggle(row.span.span_id)
    else if (step === 'open') onSelect(row.span.span_id)
    else move(step.to)
  }
  const shown = isVirtual
    ? virtualizer.getVirtualItems().map(({ index, start }) => ({ index, top: start }))
    : rows.map((_, index) => ({ index, top: undefined }))
  return (
    <div
      ref={scroller}
      className={`waterfall-rows ${isVirtual ? 'waterfall-virtual' : ''}`}
      role="treegrid"
      aria-label="Spans. Arrow keys move, Enter shows a span, left and right close and open."
      aria-rowcount={rows.length}
      aria-activedescendant={rowId(rows[active]?.span.span_id ?? '')}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <div style={isVirtual ? { height: virtualizer.getTotalSize(), position: 'relative' } : undefined}>
        {shown.map(({ index, top }) => {
          const node = rows[index]
          if (!node) return null
          const id = node.span.span_id
          return (
            <WaterfallRow
              key={id}
              node={node}
              frame={frame}
              rowIndex={index + 1}
              top={top}
              isActive={index === active}
              isSelected={id === selected}
              isCollapsed={collapsed.has(id)}
              onSelect={() => {
                setActiveId(id)
                onSelect(id)
              }}
              onToggle={() => onToggle(id)}
            />
          )
        })}
      </div>
    </div>
  )
}

interface Place {
  readonly rows: readonly SpanNode<TraceSpan>[]
  readonly active: number
  readonly row: SpanNode<TraceSpan>
  readonly isCollapsed: boolean
}

const PAGE_ROWS = 15

/** The effect of a key in a tree: go to a row, open or close the row, show its span; nothing for other keys. */
function keyStep(
  key: string,
  { rows, active, row, isCollapsed }: Place,
): { to: number } | 'toggle' | 'open' | undefined {
  const hasChildren = row.children.length > 0
  switch (key) {
    case 'ArrowDown':
      return { to: active + 1 }
    case 'ArrowUp':
      return { to: active - 1 }
    case 'PageDown':
      return { to: active + PAGE_ROWS }
    case 'PageUp':
      return { to: active - PAGE_ROWS }
    case 'Home':
      return { to: 0 }
    case 'End':
      return { to: rows.length - 1 }
    case 'ArrowRight':
      if (!hasChildren) return undefined
      return isCollapsed ? 'toggle' : { to: active + 1 }
    case 'ArrowLeft': {
      if (hasChildren && !isCollapsed) return 'toggle'
      const parent = rows.findLastIndex(({ level }, at) => at < active && level < row.level)
      return parent < 0 ? undefined : { to: parent }
    }
    case 'Enter':
    case ' ':
      return 'open'
    default:
      return undefined
  }
}

function Legend({ spans }: { spans: readonly TraceSpan[] }) {
  const kinds = useMemo(() => [...new Set(spans.map(kindOf))], [spans])
  return (
    <ul className="row waterfall-legend small" aria-label="Kinds of spans">
      {kinds.map((kind) => (
        <li key={kind} className="row">
          <span className={`span-kind span-kind-${kind}`} aria-hidden="true">
            {KINDS[kind].letter}
          </span>
          {KINDS[kind].word}
        </li>
      ))}
    </ul>
  )
}

const TICKS = [0, 0.5, 1]

function Axis({ frame }: { frame: TimeFrame }) {
  return (
    <div className="waterfall-axis quiet small number" aria-hidden="true">
      <span />
      <span className="waterfall-ticks">
        {TICKS.map((share) => (
          <span key={share}>{share === 0 ? '0' : formatDuration(share * frame.durationMs)}</span>
        ))}
      </span>
      <span />
      <span />
    </div>
  )
}

function without(set: ReadonlySet<string>, id: string): Set<string> {
  const rest = new Set(set)
  rest.delete(id)
  return rest
}

function spansWithChildren(tree: readonly SpanNode<TraceSpan>[]): string[] {
  return rowsOf(tree, new Set()).flatMap(({ span, children }) => (children.length > 0 ? [span.span_id] : []))
}
