import type { Attributes, AttributeValue, Span, SpanEvent } from '../../lib/otlp/span.ts'
import type { FieldOrigin } from './canonical-values.ts'
import { structureOf, textOf } from './json-value.ts'

/** Deepest nesting of numbered attributes; the deepest that a dialect uses is 7 below the name of its list. */
const SEGMENTS_MAX = 12

/** An element of a list that was spread over numbered attributes, or that one attribute holds whole. */
export interface ListedValue {
  /** The name that its attributes begin with, for example `gen_ai.prompt.0`; the attribute where one holds all. */
  readonly key: string
  readonly value: unknown
}

/** A list, and the name that stands for all its attributes. */
export interface AttributeList {
  readonly key: string
  readonly items: readonly ListedValue[]
}

/** A span as the dialects read it: what is null is absent, and lists spread over numbered attributes are lists again. */
export class SpanSource {
  readonly span: Span
  readonly #lists = new Map<string, AttributeList | undefined>()
  #numbered: ReadonlyMap<string, Node> | undefined

  constructor(span: Span) {
    this.span = span
  }

  get events(): readonly SpanEvent[] {
    return this.span.events
  }

  /** An attribute as it was sent. */
  raw(key: string): AttributeValue | undefined {
    return this.span.attributes.get(key) ?? undefined
  }

  /** The text of an attribute with one value; never empty. */
  text(key: string): string | undefined {
    return textOf(this.raw(key))
  }

  /** The list or object that an attribute is, or that its text holds; other values as they are. */
  structure(key: string): unknown {
    return structureOf(this.raw(key))
  }

  /** Whether a list of this name is there, spread over numbered attributes or whole. */
  hasList(name: string): boolean {
    return this.list(name) !== undefined
  }

  /** The list of this name, in the order of its numbers, whatever numbers are missing. */
  list(name: string): AttributeList | undefined {
    if (!this.#lists.has(name)) {
      this.#numbered ??= numberedAttributes(this.span.attributes)
      const root = this.#numbered.get(name)
      this.#lists.set(name, root ? numberedList(name, root) : this.#wholeList(name))
    }
    return this.#lists.get(name)
  }

  #wholeList(name: string): AttributeList | undefined {
    const value = this.structure(name)
    if (value === undefined || value === '') return undefined
    const items = (Array.isArray(value) ? value : [value]).map((item) => ({ key: name, value: item }))
    return items.length > 0 ? { key: name, items } : undefined
  }
}

/** The origin that a span attribute is. */
export function fromAttribute(key: string): FieldOrigin {
  return { source: 'span_attributes', key }
}

/** The origin that the name of a span is. */
export const FROM_NAME: FieldOrigin = { source: 'span_name', key: 'name' }

/** The origin that an attribute of an event is. */
export function fromEvent(event: SpanEvent, key: string): FieldOrigin {
  return { source: 'event_attributes', event: event.name, key }
}

/** A name and what is below it. A leaf has no map of its own: a long conversation has tens of thousands of leaves. */
interface Node {
  value?: AttributeValue
  children?: Map<string, Node>
}

// One pass for all lists, since most spans have none and most readers ask for several.
function numberedAttributes(attributes: Attributes): ReadonlyMap<string, Node> {
  const top: Node = {}
  for (const [key, value] of attributes) {
    const dot = value === null ? -1 : key.search(/\.\d/)
    const segments = dot < 0 ? [] : key.slice(dot + 1).split('.', SEGMENTS_MAX + 1)
    if (dot < 0 || segments.length > SEGMENTS_MAX || !isIndex(segments[0] as string)) continue
    let node = childOf(top, key.slice(0, dot))
    for (const segment of segments) node = childOf(node, segment)
    node.value = value
  }
  return top.children ?? new Map()
}

function childOf(node: Node, name: string): Node {
  node.children ??= new Map()
  let child = node.children.get(name)
  if (!child) {
    child = {}
    node.children.set(name, child)
  }
  return child
}

function numberedList(name: string, root: Node): AttributeList {
  const items = inOrder(root).map(([index, node]) => ({ key: `${name}.${index}`, value: plain(node) }))
  return { key: `${name}.*`, items }
}

// A name that has a value and also names below it is taken at its value.
function plain(node: Node): unknown {
  if (node.value !== undefined || !node.children) return node.value
  if ([...node.children.keys()].every(isIndex)) return inOrder(node).map(([, child]) => plain(child))
  return Object.fromEntries([...node.children].map(([key, child]) => [key, plain(child)]))
}

function inOrder({ children = new Map() }: Node): [string, Node][] {
  return [...children].sort(([a], [b]) => Number(a) - Number(b))
}

function isIndex(text: string): boolean {
  return /^\d{1,9}$/.test(text)
}
