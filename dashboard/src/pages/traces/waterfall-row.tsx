// A row of a grid that shows a few of thousands cannot be a row of a table; the grid has the focus and handles all keys.
// biome-ignore-all lint/a11y/useSemanticElements: see above.
// biome-ignore-all lint/a11y/useFocusableInteractive: see above.
// biome-ignore-all lint/a11y/useKeyWithClickEvents: see above.
// biome-ignore-all lint/a11y/noStaticElementInteractions: see above.

import { formatDuration, formatNumber } from '../../ui/format.ts'
import { ScoreBadges } from './score-badges.tsx'
import { KINDS, kindOf } from './span-kind.ts'
import type { SpanNode, TimeFrame } from './span-tree.ts'
import type { TraceSpan } from './trace-types.ts'

/** Deeper levels are not moved further to the right: their names would have no room. */
const INDENT_LEVELS_MAX = 12
const INDENT_PX = 14
/** A bar is never so short that it cannot be seen. */
const BAR_SHARE_MIN = 0.004

interface WaterfallRowProps {
  readonly node: SpanNode<TraceSpan>
  readonly frame: TimeFrame
  readonly rowIndex: number
  /** Where it stands, if only rows in sight are drawn. */
  readonly top: number | undefined
  readonly isActive: boolean
  readonly isSelected: boolean
  readonly isCollapsed: boolean
  readonly onSelect: () => void
  readonly onToggle: () => void
}

export const rowId = (spanId: string) => `span-row-${spanId}`

/** One span: its kind and name, what was found about it, and when it ran. */
export function WaterfallRow({
  node,
  frame,
  rowIndex,
  top,
  isActive,
  isSelected,
  isCollapsed,
  onSelect,
  onToggle,
}: WaterfallRowProps) {
  const { span, level, children } = node
  const hasFailed = isError(span)
  return (
    <div
      id={rowId(span.span_id)}
      role="row"
      className={`waterfall-row ${isActive ? 'waterfall-active' : ''}`}
      style={top === undefined ? undefined : { position: 'absolute', top, left: 0, right: 0 }}
      aria-level={level}
      aria-rowindex={rowIndex}
      aria-selected={isSelected}
      {...(children.length > 0 ? { 'aria-expanded': !isCollapsed } : {})}
      onClick={onSelect}
    >
      <div
        role="gridcell"
        className="waterfall-name"
        style={{ paddingLeft: Math.min(level - 1, INDENT_LEVELS_MAX) * INDENT_PX }}
      >
        <Fold node={node} isCollapsed={isCollapsed} onToggle={onToggle} />
        <KindLetter span={span} />
        <span className="waterfall-text" title={span.span_name}>
          {span.span_name}
        </span>
        {hasFailed ? <span className="span-flag span-flag-bad">Error</span> : null}
        {node.isOrphan ? (
          <span className="span-flag" title="Its parent is not among the spans of this trace.">
            no parent
          </span>
        ) : null}
        {node.isOutsideParent ? (
          <span className="span-flag" title="It begins before its parent or goes on after it.">
            outside
          </span>
        ) : null}
      </div>
      <div role="gridcell" className="waterfall-bars">
        <Bar span={span} frame={frame} hasFailed={hasFailed} />
      </div>
      <div role="gridcell" className="waterfall-duration number">
        {formatDuration(span.duration)}
      </div>
      <div role="gridcell" className="waterfall-scores">
        <ScoreBadges evaluations={span.evaluations} scores={span.scores} most={1} />
      </div>
    </div>
  )
}

function Fold({
  node,
  isCollapsed,
  onToggle,
}: {
  node: SpanNode<TraceSpan>
  isCollapsed: boolean
  onToggle: () => void
}) {
  if (node.children.length === 0) return <span className="waterfall-fold" />
  return (
    <span
      className="waterfall-fold"
      aria-hidden="true"
      title={isCollapsed ? `Open ${formatNumber(node.descendants)} below` : 'Close'}
      onClick={(event) => {
        event.stopPropagation()
        onToggle()
      }}
    >
      {isCollapsed ? '▸' : '▾'}
    </span>
  )
}

export function KindLetter({ span }: { span: TraceSpan }) {
  const kind = kindOf(span)
  const { letter, word } = KINDS[kind]
  return (
    <span className={`span-kind span-kind-${kind}`} title={word}>
      <span aria-hidden="true">{letter}</span>
      <span className="visually-hidden">{`${word}: `}</span>
    </span>
  )
}

function Bar({ span, frame, hasFailed }: { span: TraceSpan; frame: TimeFrame; hasFailed: boolean }) {
  const whole = frame.durationMs || 1
  const left = (span.start_ms - frame.startMs) / whole
  const share = Math.max(BAR_SHARE_MIN, span.duration / whole)
  const label = formatDuration(span.duration)
  return (
    <span
      className="waterfall-track"
      title={`Begins after ${formatDuration(span.start_ms - frame.startMs)}, takes ${label}`}
    >
      <span
        className={`waterfall-bar span-bar-${kindOf(span)} ${hasFailed ? 'span-bar-failed' : ''}`}
        style={{
          left: `${100 * Math.min(left, 1 - BAR_SHARE_MIN)}%`,
          width: `${100 * Math.min(share, 1 - left)}%`,
        }}
      />
    </span>
  )
}

/** Whether a span says that it failed. */
export function isError({ status_code: code }: Pick<TraceSpan, 'status_code'>): boolean {
  return /error/i.test(code)
}
