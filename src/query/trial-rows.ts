import { inputText } from '../domain/span-fields/input-text.ts'
import { spanFields } from '../domain/span-fields/span-fields.ts'
import type { ProjectTenant } from '../domain/tenant.ts'
import { traceFields } from '../domain/trace-fields/trace-fields.ts'
import type { ReadableSpan } from '../evaluators/kit/span-inputs.ts'
import { defined } from '../lib/defined.ts'
import { attributeText, type Span } from '../lib/otlp/span.ts'
import type { StoredAnnotation } from '../ports/annotation-storage.ts'
import type { Storage } from '../ports/storage.ts'
import type { TracePosition } from '../ports/trace-storage.ts'
import { spanPlaces } from './find-traces.ts'
import type { ReadUnit } from './read-unit.ts'
import { StoredSpanReader } from './stored-span-reader.ts'

/** Batches and spans of one trace that are read for a row. */
const PLACES_MAX = 100
const SPANS_MAX = 300
/** Characters of a question or an answer that a row shows. */
const SHOWN_CHARS_MAX = 600
/** Annotations that are looked at for the rows of one page. */
const ANNOTATIONS_MAX = 1_000

/** A span, or a whole trace where there is no span id. */
export interface TrialUnit {
  readonly traceId: string
  readonly spanId?: string
}

/** A unit that an evaluator can be tried on, in a form that people can choose by. */
export interface TrialRow extends TrialUnit {
  readonly name: string
  readonly service?: string
  readonly startedAtMs: number
  /** The beginning of the prompt and of the completion, where there are any. */
  readonly question?: string
  readonly answer?: string
  /** By people, about the unit; the newest first. */
  readonly annotations: readonly StoredAnnotation[]
}

/** Which rows are wanted: those that a monitor evaluated, those of one trace, or else the newest traces. */
export interface TrialRowQuery {
  readonly monitorId?: string
  readonly traceId?: string
  readonly service?: string
  readonly afterNumber?: number
  readonly afterTrace?: TracePosition
  readonly limit: number
}

/** A page of rows. */
export interface TrialRowPage {
  readonly rows: readonly TrialRow[]
  readonly nextNumber?: number
  readonly nextTrace?: TracePosition
}

/** Finds rows to try an evaluator on. A unit whose spans are gone is left out. */
export async function listTrialRows(
  storage: Storage,
  tenant: ProjectTenant,
  query: TrialRowQuery,
): Promise<TrialRowPage> {
  const { units, ...next } = await unitsOf(storage, tenant, query)
  const traceIds = [...new Set(units.map(({ traceId }) => traceId))]
  const about = { traceIds, sessionIds: [] }
  const annotations =
    traceIds.length === 0 ? [] : await storage.listAnnotationsOf(tenant, about, ANNOTATIONS_MAX)
  const rows: TrialRow[] = []
  for (const unit of units) {
    const read = await readTrialUnit(storage, tenant, unit)
    if ('from' in read) rows.push(toRow(unit, read.from, annotations))
  }
  return { rows, ...next }
}

interface UnitPage extends Omit<TrialRowPage, 'rows'> {
  readonly units: readonly TrialUnit[]
}

async function unitsOf(storage: Storage, tenant: ProjectTenant, query: TrialRowQuery): Promise<UnitPage> {
  const { monitorId, traceId, service, afterNumber, afterTrace, limit } = query
  if (monitorId !== undefined) {
    const range = { order: 'newest', limit, ...defined({ afterNumber }) } as const
    const page = await storage.listEvaluations(tenant, { monitorId }, range)
    // A session is more than one trace, which no row can be.
    const units = page.evaluations.filter(({ scope }) => scope !== 'session').map(unitOf)
    return { units, ...defined({ nextNumber: page.nextAfter }) }
  }
  if (traceId !== undefined) return { units: await unitsOfTrace(storage, tenant, traceId, limit) }
  const range = { limit, ...defined({ after: afterTrace }) }
  const { traces, next } = await storage.listTraces(tenant, defined({ service }), range)
  return { units: traces.map((trace) => ({ traceId: trace.traceId })), ...defined({ nextTrace: next }) }
}

function unitOf({ traceId, spanId }: TrialUnit): TrialUnit {
  return { traceId, ...defined({ spanId }) }
}

/** The trace as a whole, then those of its spans that have an answer. */
async function unitsOfTrace(
  storage: Storage,
  tenant: ProjectTenant,
  traceId: string,
  limit: number,
): Promise<TrialUnit[]> {
  const spans = await spansOf(storage, tenant, traceId)
  if (spans.length === 0) return []
  const answering = spans.filter((span) => spanFields(span).get('completion') !== undefined)
  return [{ traceId }, ...answering.map(({ spanId }) => ({ traceId, spanId }))].slice(0, limit)
}

/** Reads the span or the trace of a row, as an evaluator of that scope sees it. */
export async function readTrialUnit(
  storage: Storage,
  tenant: ProjectTenant,
  { traceId, spanId }: TrialUnit,
): Promise<ReadUnit> {
  const spans = await spansOf(storage, tenant, traceId)
  if (spanId !== undefined) {
    const span = spans.find((each) => each.spanId === spanId)
    return span ? { from: { span, fields: spanFields(span) } } : { reason: 'the span is no longer kept' }
  }
  const fields = traceFields(spans)
  return fields ? { from: { span: fields.root, fields } } : { reason: 'the trace is no longer kept' }
}

async function spansOf(storage: Storage, tenant: ProjectTenant, traceId: string): Promise<Span[]> {
  const places = spanPlaces(await storage.listTracePlaces(tenant, traceId, PLACES_MAX)).slice(0, SPANS_MAX)
  const spans: Span[] = []
  await new StoredSpanReader(storage, tenant, storage).each(places, (_, found) => {
    if (found) spans.push(found.view.toSpan())
    return true
  })
  return spans
}

function toRow(
  unit: TrialUnit,
  { span, fields }: ReadableSpan,
  annotations: readonly StoredAnnotation[],
): TrialRow {
  const isAbout = (each: StoredAnnotation) =>
    each.source === 'human' &&
    each.traceId === unit.traceId &&
    (unit.spanId === undefined || each.spanId === undefined || each.spanId === unit.spanId)
  const service = span.resource.get('service.name')
  return {
    ...unit,
    name: span.name,
    ...defined({
      service: service === undefined ? undefined : attributeText(service),
      question: shown(inputText(fields.get('prompt'))),
      answer: shown(inputText(fields.get('completion'))),
    }),
    startedAtMs: Number(span.startUnixNano / 1_000_000n),
    annotations: annotations.filter(isAbout),
  }
}

function shown(text: string | undefined): string | undefined {
  if (text === undefined || text.length <= SHOWN_CHARS_MAX) return text
  return `${text.slice(0, SHOWN_CHARS_MAX - 1).toWellFormed()}…`
}
