import { attributeText, type Span } from '../../lib/otlp/span.ts'

/** A span in its place: under its parent, among its siblings in the order in which they began. */
export interface SpanNode {
  readonly span: Span
  /** Absent at the top of a trace. */
  readonly parent?: SpanNode
  readonly children: readonly SpanNode[]
}

interface GrowingNode extends SpanNode {
  parent?: GrowingNode
  readonly children: GrowingNode[]
}

/** How deep the place of a span without its parent is looked for. */
const ADOPTION_LEVELS_MAX = 64

/**
 * The spans of one trace, or of several, as trees, whatever order they came in and however often. Traces follow each
 * other by their beginnings. A span whose parent never came is put where its time says that it belongs.
 */
export function spanTrees(spans: readonly Span[]): SpanNode[] {
  const traces = new Map<string, Map<string, Span>>()
  for (const span of spans) {
    const trace = traces.get(span.traceId) ?? new Map<string, Span>()
    traces.set(span.traceId, trace)
    const known = trace.get(span.spanId)
    if (!known || isFuller(span, known)) trace.set(span.spanId, span)
  }
  const trees = [...traces.values()].map((trace) => treesOfTrace(trace))
  return trees.sort((a, b) => compareSpans(a[0]?.span, b[0]?.span)).flat()
}

/** All spans in the order in which one reads them: a span, then what happened within it. */
export function inReadingOrder(trees: readonly SpanNode[]): SpanNode[] {
  const order: SpanNode[] = []
  const left = trees.toReversed()
  for (let node = left.pop(); node; node = left.pop()) {
    order.push(node)
    for (let at = node.children.length - 1; at >= 0; at--) left.push(node.children[at] as SpanNode)
  }
  return order
}

function treesOfTrace(trace: ReadonlyMap<string, Span>): GrowingNode[] {
  const nodes = new Map<string, GrowingNode>()
  for (const [id, span] of trace) nodes.set(id, { span, children: [] })
  const circular = circularSpans(trace)
  const tops: GrowingNode[] = []
  const orphans: GrowingNode[] = []
  for (const [id, node] of nodes) {
    const { parentSpanId } = node.span
    const parent = parentSpanId === undefined || circular.has(id) ? undefined : nodes.get(parentSpanId)
    if (parent) {
      node.parent = parent
      parent.children.push(node)
    } else (parentSpanId === undefined ? tops : orphans).push(node)
  }
  for (const { span, children } of nodes.values()) children.sort(bySpanWithin(span))
  const root = tops.sort((a, b) => compareSpans(a.span, b.span))[0]
  if (!root) return orphans.sort((a, b) => compareSpans(a.span, b.span))
  for (const orphan of orphans.sort((a, b) => compareSpans(a.span, b.span))) adopt(root, orphan)
  return tops
}

/** A sender that made spans each other's parents said nothing about which came first: none of them has a parent. */
function circularSpans(trace: ReadonlyMap<string, Span>): ReadonlySet<string> {
  const circular = new Set<string>()
  const done = new Set<string>()
  for (const start of trace.keys()) {
    const path = new Set<string>()
    let id: string | undefined = start
    while (id !== undefined && trace.has(id) && !done.has(id) && !path.has(id)) {
      path.add(id)
      id = trace.get(id)?.parentSpanId
    }
    if (id !== undefined && path.has(id)) {
      const members = [...path]
      for (const member of members.slice(members.indexOf(id))) circular.add(member)
    }
    for (const seen of path) done.add(seen)
  }
  return circular
}

/** Puts a span under the deepest one around it in time that has steps of its own; under the root where there is none. */
function adopt(root: GrowingNode, orphan: GrowingNode): void {
  let parent = root
  for (let level = 0; level < ADOPTION_LEVELS_MAX; level++) {
    const before = parent.children[placeOf(parent, orphan.span) - 1]
    const isAround =
      before && before.children.length > 0 && before.span.endUnixNano >= orphan.span.endUnixNano
    if (!isAround) break
    parent = before
  }
  orphan.parent = parent
  parent.children.splice(placeOf(parent, orphan.span), 0, orphan)
}

/** How many children of a node come before a span. */
function placeOf({ span: parent, children }: GrowingNode, span: Span): number {
  const compare = bySpanWithin(parent)
  let low = 0
  let high = children.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compare(children[middle] as GrowingNode, { span }) <= 0) low = middle + 1
    else high = middle
  }
  return low
}

type Comparable = Pick<SpanNode, 'span'>

function bySpanWithin(parent: Span): (a: Comparable, b: Comparable) => number {
  return (a, b) =>
    compareNumbers(startWithin(parent, a.span), startWithin(parent, b.span)) || compareSpans(a.span, b.span)
}

/**
 * When a span began by the clock of its parent. Nothing begins before what it is a part of: a span that says so comes from
 * a machine whose clock is behind, and is taken to lie in the middle.
 */
function startWithin(parent: Span, child: Span): bigint {
  if (child.startUnixNano >= parent.startUnixNano) return child.startUnixNano
  const room = parent.endUnixNano - parent.startUnixNano - (child.endUnixNano - child.startUnixNano)
  return parent.startUnixNano + (room > 0n ? room / 2n : 0n)
}

/** By beginning, then by end; ids decide what no clock does, so that the order is always the same. */
function compareSpans(a: Span | undefined, b: Span | undefined): number {
  if (!a || !b) return 0
  return (
    compareNumbers(a.startUnixNano, b.startUnixNano) ||
    compareNumbers(a.endUnixNano, b.endUnixNano) ||
    compareTexts(a.spanId, b.spanId) ||
    compareTexts(a.traceId, b.traceId)
  )
}

/** Which of two reports of one span counts: the one that ended later says more, and so does the longer one. */
function isFuller(one: Span, other: Span): boolean {
  const order =
    compareNumbers(one.endUnixNano, other.endUnixNano) ||
    one.attributes.size - other.attributes.size ||
    one.events.length - other.events.length ||
    compareTexts(wholeText(one), wholeText(other))
  return order > 0
}

function wholeText({ name, parentSpanId = '', statusCode, statusMessage, attributes }: Span): string {
  const texts = [...attributes].map(([key, value]) => `${key} ${attributeText(value)}`).sort()
  return JSON.stringify([name, parentSpanId, statusCode, statusMessage, texts])
}

function compareNumbers(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
