import type { Attributes, AttributeValue, Span } from '../../src/lib/otlp/span.ts'

/** The parts of a decoded official message that a span is made of; 64-bit integers are Long objects. */
interface Long64 {
  toString(): string
}
interface OfficialValue {
  readonly value?: string
  readonly stringValue: string
  readonly boolValue: boolean
  readonly intValue: Long64
  readonly doubleValue: number
  readonly bytesValue: Uint8Array
  readonly arrayValue: { readonly values: readonly OfficialValue[] }
  readonly kvlistValue: { readonly values: readonly OfficialKeyValue[] }
}
interface OfficialKeyValue {
  readonly key: string
  readonly value: OfficialValue | null
}
interface OfficialEvent {
  readonly name: string
  readonly timeUnixNano: Long64
  readonly attributes: readonly OfficialKeyValue[]
}
interface OfficialSpan {
  readonly traceId: Uint8Array
  readonly spanId: Uint8Array
  readonly parentSpanId: Uint8Array
  readonly traceState: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: Long64
  readonly endTimeUnixNano: Long64
  readonly attributes: readonly OfficialKeyValue[]
  readonly events: readonly OfficialEvent[]
  readonly status: { readonly code: number; readonly message: string } | null
}
export interface OfficialRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OfficialKeyValue[] } | null
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string; readonly version: string } | null
      readonly spans: readonly OfficialSpan[]
    }[]
  }[]
}

/** The expected reading of an officially decoded request: the spans to keep, and the number to reject. */
export function spansOf(request: OfficialRequest): { spans: Span[]; rejectedCount: number } {
  const spans: Span[] = []
  let rejectedCount = 0
  for (const { resource, scopeSpans } of request.resourceSpans) {
    for (const { scope, spans: sent } of scopeSpans) {
      for (const span of sent) {
        if (!isAcceptable(span)) rejectedCount++
        else
          spans.push({
            ...spanOf(span),
            resource: attributesOf(resource?.attributes ?? []),
            scopeName: scope?.name ?? '',
            scopeVersion: scope?.version ?? '',
          })
      }
    }
  }
  return { spans, rejectedCount }
}

function isAcceptable({ traceId, spanId, parentSpanId }: OfficialSpan): boolean {
  return (
    traceId.length === 16 &&
    spanId.length === 8 &&
    (parentSpanId.length === 0 || parentSpanId.length === 8) &&
    traceId.some((byte) => byte !== 0) &&
    spanId.some((byte) => byte !== 0)
  )
}

function spanOf(span: OfficialSpan): Omit<Span, 'resource' | 'scopeName' | 'scopeVersion'> {
  const isChild = span.parentSpanId.some((byte) => byte !== 0)
  return {
    traceId: Buffer.from(span.traceId).toString('hex'),
    spanId: Buffer.from(span.spanId).toString('hex'),
    ...(isChild ? { parentSpanId: Buffer.from(span.parentSpanId).toString('hex') } : {}),
    traceState: span.traceState,
    name: span.name,
    kind: span.kind,
    startUnixNano: BigInt(span.startTimeUnixNano.toString()),
    endUnixNano: BigInt(span.endTimeUnixNano.toString()),
    statusCode: span.status?.code ?? 0,
    statusMessage: span.status?.message ?? '',
    attributes: attributesOf(span.attributes),
    events: span.events.map((event) => ({
      name: event.name,
      timeUnixNano: BigInt(event.timeUnixNano.toString()),
      attributes: attributesOf(event.attributes),
    })),
  }
}

function attributesOf(keyValues: readonly OfficialKeyValue[]): Attributes {
  return new Map(keyValues.map(({ key, value }) => [key, officialValue(value)]))
}

function officialValue(official: OfficialValue | null): AttributeValue {
  switch (official?.value) {
    case 'stringValue':
      return official.stringValue
    case 'boolValue':
      return official.boolValue
    case 'intValue': {
      const exact = BigInt(official.intValue.toString())
      return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact
    }
    case 'doubleValue':
      return official.doubleValue
    case 'bytesValue':
      return new Uint8Array(official.bytesValue)
    case 'arrayValue':
      return (official.arrayValue.values ?? []).map(officialValue)
    case 'kvlistValue':
      return Object.fromEntries(
        official.kvlistValue.values.map(({ key, value }) => [key, officialValue(value)]),
      )
    default:
      return null
  }
}

/** A request in OTLP's JSON encoding that holds these spans, each in a resource of its own. */
export function spansAsJson(spans: readonly Span[]): unknown {
  return {
    resourceSpans: spans.map((span) => ({
      resource: { attributes: keyValues(span.resource) },
      scopeSpans: [
        {
          scope: { name: span.scopeName, version: span.scopeVersion },
          spans: [
            {
              traceId: span.traceId.toUpperCase(),
              spanId: span.spanId,
              parentSpanId: span.parentSpanId ?? null,
              traceState: span.traceState,
              name: span.name,
              kind: span.kind,
              startTimeUnixNano: String(span.startUnixNano),
              endTimeUnixNano: String(span.endUnixNano),
              attributes: keyValues(span.attributes),
              events: span.events.map(({ name, timeUnixNano, attributes }) => ({
                name,
                timeUnixNano: String(timeUnixNano),
                attributes: keyValues(attributes),
              })),
              status: { code: span.statusCode, message: span.statusMessage },
            },
          ],
        },
      ],
    })),
  }
}

function keyValues(attributes: Iterable<readonly [string, AttributeValue]>): unknown {
  return Array.from(attributes, ([key, value]) => ({ key, value: jsonValue(value) }))
}

function jsonValue(value: AttributeValue): unknown {
  if (value === null) return {}
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'bigint') return { intValue: String(value) }
  // JSON has neither NaN nor -0.
  if (typeof value === 'number') return { doubleValue: Object.is(value, -0) ? '-0' : String(value) }
  if (value instanceof Uint8Array) return { bytesValue: Buffer.from(value).toString('base64') }
  if (Array.isArray(value)) return { arrayValue: { values: value.map(jsonValue) } }
  return { kvlistValue: { values: keyValues(Object.entries(value)) } }
}
