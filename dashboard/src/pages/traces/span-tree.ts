import { groupBy } from './group-by.ts'

/** The part of a span that places it in the tree. */
export interface TreeSpan {
  readonly span_id: string
  readonly parent_span_id?: string | undefined
  readonly start_ms: number
  readonly duration: number
}

/** A span at its place. */
export interface SpanNode<S extends TreeSpan> {
  readonly span: S
  /** 1 for a root. */
  readonly level: number
  readonly children: readonly SpanNode<S>[]
  readonly descendants: number
  /** It names a parent that is not among the spans. */
  readonly isOrphan: boolean
  /** It begins before its parent or goes on after it, by more than clocks are read apart. */
  readonly isOutsideParent: boolean
}

/** The time from the first start to the last end. */
export interface TimeFrame {
  readonly startMs: number
  readonly durationMs: number
}

const CLOCK_MS = 1

/**
 * Spans by parent, in the order of their starts. Every span has its place exactly once: one whose parent is missing is a
 * root, and so is the first of a ring of spans that name each other.
 */
export function treeOf<S extends TreeSpan>(spans: readonly S[]): SpanNode<S>[] {
  const ordered = spans.toSorted((a, b) => a.start_ms - b.start_ms)
  const byId = new Map(ordered.map((span) => [span.span_id, span]))
  const childrenOf = groupBy(ordered, ({ parent_span_id: parent }) => parent)
  const placed = new Set<S>()

  // With a stack of its own, because traces may be thousands of spans deep.
  const place = (root: S): SpanNode<S> => {
    const top = begin(root, 1, undefined)
    const stack = [top]
    for (let open = stack.at(-1); open; open = stack.at(-1)) {
      const next = open.waiting.shift()
      if (!next) {
        stack.pop()
        const parent = stack.at(-1)
        if (parent) parent.descendants += open.descendants + 1
        continue
      }
      if (placed.has(next)) continue
      const child = begin(next, open.level + 1, open.span)
      open.children.push(child)
      stack.push(child)
    }
    return top
  }
  const begin = (span: S, level: number, parent: S | undefined) => {
    placed.add(span)
    return {
      span,
      level,
      children: [] as SpanNode<S>[],
      descendants: 0,
      isOrphan: parent === undefined && span.parent_span_id !== undefined,
      isOutsideParent: parent !== undefined && isOutside(span, parent),
      waiting: [...(childrenOf.get(span.span_id) ?? [])],
    }
  }

  const roots = ordered
    .filter(({ parent_span_id: parent }) => parent === undefined || !byId.has(parent))
    .map(place)
  const rings = ordered.flatMap((span) => (placed.has(span) ? [] : [place(span)]))
  return [...roots, ...rings].sort((a, b) => a.span.start_ms - b.span.start_ms)
}

function isOutside(span: TreeSpan, parent: TreeSpan): boolean {
  const isEarly = span.start_ms < parent.start_ms - CLOCK_MS
  return isEarly || span.start_ms + span.duration > parent.start_ms + parent.duration + CLOCK_MS
}

/** The rows that show: all but those below a collapsed span. */
export function rowsOf<S extends TreeSpan>(
  nodes: readonly SpanNode<S>[],
  collapsed: ReadonlySet<string>,
): SpanNode<S>[] {
  const rows: SpanNode<S>[] = []
  const waiting = nodes.toReversed()
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    rows.push(node)
    if (!collapsed.has(node.span.span_id)) waiting.push(...node.children.toReversed())
  }
  return rows
}

/** The time that the spans take together. */
export function frameOf(spans: readonly TreeSpan[]): TimeFrame {
  let startMs = Number.POSITIVE_INFINITY
  let endMs = Number.NEGATIVE_INFINITY
  for (const { start_ms: start, duration } of spans) {
    startMs = Math.min(startMs, start)
    endMs = Math.max(endMs, start + duration)
  }
  return spans.length === 0 ? { startMs: 0, durationMs: 0 } : { startMs, durationMs: endMs - startMs }
}
