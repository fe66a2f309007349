import { attributeAliases, namesVendor, vendorTexts } from '../domain/attribute-aliases.ts'
import { type Condition, holds, type LogicalOperator } from '../domain/condition.ts'
import type { ProjectTenant } from '../domain/tenant.ts'
import { type AttributeValue, attributeText, attributeTexts, type Span } from '../lib/otlp/span.ts'
import type { SpanView } from '../lib/otlp/span-view.ts'
import type { ContentStorage } from '../ports/content-storage.ts'
import type { SpanRef, SpanStorage } from '../ports/span-storage.ts'
import { type FoundSpan, StoredSpanReader } from './stored-span-reader.ts'

/** Most spans that are looked at for one page. */
const EXAMINED_MAX = 5_000
/** Spans that are found at a time. */
const FOUND_AT_ONCE = 500
/** A page ends when its spans came from so many bytes: what is written in one piece must not hold up others. */
const PAGE_BYTES_MAX = 4_194_304

/** A place between spans: behind this one. */
export type SpanPosition = Pick<SpanRef, 'second' | 'traceId' | 'spanId'>

/** Which spans are wanted. */
export interface SpanQuery {
  readonly fromSecond: number
  /** Not included. */
  readonly toSecond: number
  readonly isDescending: boolean
  readonly conditions: readonly Condition[]
  readonly logic: LogicalOperator
  /** Conditions that must hold whatever the logic of the others. */
  readonly required: readonly Condition[]
  /** Environments, by the id of the pair with the project; absent: all. */
  readonly envProjectIds?: ReadonlySet<string>
  readonly limit: number
  readonly after?: SpanPosition
}

/** A span and the environment it was sent to. */
export interface ShownSpan {
  readonly span: Span
  readonly envProjectId: string
}

/** A page of spans. `next` is there also when the page is not full but looking has reached its limit. */
export interface SpanPage {
  readonly spans: readonly ShownSpan[]
  readonly next?: SpanPosition
}

/**
 * Stored spans in order of the second in which they began, then of their ids. They are kept as they came in, so every one
 * that is looked at has to be read, though not decoded: conditions look at the bytes of a span.
 */
export async function showSpans(
  storage: SpanStorage & ContentStorage,
  tenant: ProjectTenant,
  query: SpanQuery,
): Promise<SpanPage> {
  const reader = new StoredSpanReader(storage, tenant, storage)
  const spans: ShownSpan[] = []
  // Where every span passes, one more than the page tells whether there is another page.
  const asked = isUnfiltered(query) ? Math.min(query.limit + 1, FOUND_AT_ONCE) : FOUND_AT_ONCE
  let bytes = 0
  let { after } = query
  for (let examined = 0; examined < EXAMINED_MAX; examined += asked) {
    const refs = await findRefs(storage, tenant, query, after, asked)
    let looked = 0
    let isFull = false
    await reader.each(refs, (ref, found) => {
      looked++
      after = positionOf(ref)
      if (found && matches(query, found)) {
        spans.push({ span: found.view.toSpan(), envProjectId: found.envProjectId })
        bytes += found.view.end - found.view.start
      }
      isFull = spans.length >= query.limit || bytes >= PAGE_BYTES_MAX
      return !isFull
    })
    if (looked === refs.length && refs.length < asked) return { spans }
    if (isFull) break
  }
  return { spans, ...(after && { next: after }) }
}

function isUnfiltered({ conditions, required, envProjectIds }: SpanQuery): boolean {
  return conditions.length === 0 && required.length === 0 && envProjectIds === undefined
}

function findRefs(
  storage: SpanStorage & ContentStorage,
  tenant: ProjectTenant,
  { fromSecond, toSecond, isDescending }: SpanQuery,
  after: SpanPosition | undefined,
  limit: number,
): Promise<SpanRef[]> {
  const range = { fromSecond, toSecond, isDescending, limit }
  return storage.listSpanRefs(tenant, after === undefined ? range : { ...range, after })
}

function positionOf({ second, traceId, spanId }: SpanRef): SpanPosition {
  return { second, traceId, spanId }
}

function matches({ conditions, logic, required, envProjectIds }: SpanQuery, found: FoundSpan): boolean {
  if (envProjectIds && !envProjectIds.has(found.envProjectId)) return false
  const textsOf = (field: string) => fieldTexts(field, found.view)
  return holds(required, 'AND', textsOf) && holds(conditions, logic, textsOf)
}

const KINDS = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER']
const STATUSES = ['UNSET', 'OK', 'ERROR']

/** The name of a span's kind. */
export function kindName(kind: number): string {
  return `SPAN_KIND_${KINDS[kind] ?? kind}`
}

/** The name of a span's status. */
export function statusName(statusCode: number): string {
  return `STATUS_CODE_${STATUSES[statusCode] ?? statusCode}`
}

/** How long a span took, in milliseconds. */
export function durationMs({
  startUnixNano,
  endUnixNano,
}: Pick<Span, 'startUnixNano' | 'endUnixNano'>): number {
  return Number(endUnixNano - startUnixNano) / 1e6
}

const COLUMNS: Readonly<Record<string, (view: SpanView) => string | undefined>> = {
  span_name: (view) => view.name,
  trace_id: (view) => view.traceId,
  span_id: (view) => view.spanId,
  parent_span_id: (view) => view.parentSpanId,
  span_kind: (view) => kindName(view.kind),
  status_code: (view) => statusName(view.statusCode),
  service_name: (view) => textOf(view.resource.get('service.name')),
  scope_name: (view) => view.context.scope.name,
  scope_version: (view) => view.context.scope.version,
  duration: (view) => String(durationMs(view)),
  timestamp: (view) => String(view.startUnixMs),
}

const PREFIXES = { 'span_attributes.': 'span', 'resource_attributes.': 'resource' } as const

/** The texts of one field of a span: a column, or an attribute of the span or of its resource under any of its names. */
export function fieldTexts(field: string, view: SpanView): readonly string[] {
  const column = Object.hasOwn(COLUMNS, field) ? COLUMNS[field] : undefined
  if (column) return [column(view)].filter((text) => text !== undefined)
  const prefix = (Object.keys(PREFIXES) as (keyof typeof PREFIXES)[]).find((name) => field.startsWith(name))
  const key = prefix ? field.slice(prefix.length) : field
  const place = prefix && PREFIXES[prefix]
  const texts = attributeAliases(key).flatMap((name) => [
    ...(place === 'resource' ? [] : attributeTexts(view.attribute('span_attributes', name))),
    ...(place === 'span' ? [] : attributeTexts(view.resource.get(name))),
  ])
  return namesVendor(key) ? [...texts, ...vendorTexts(texts)] : texts
}

function textOf(value: AttributeValue | undefined): string | undefined {
  return value === undefined || value === null ? undefined : attributeText(value)
}
