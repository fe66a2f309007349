/** A span as OpenTelemetry means it, with nothing interpreted yet. Ids are lower-case hex, times nanoseconds since 1970. */

/** The value of an attribute. A 64-bit integer is a bigint only where a number could not hold it exactly. */
export type AttributeValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | Uint8Array
  | readonly AttributeValue[]
  | { readonly [key: string]: AttributeValue }

/** Attributes by name; where a sender repeats a name, the last value counts. */
export type Attributes = ReadonlyMap<string, AttributeValue>

/** Where an attribute of a span is written. */
export const ATTRIBUTE_SOURCES = ['span_attributes', 'resource_attributes'] as const
export type AttributeSource = (typeof ATTRIBUTE_SOURCES)[number]

/** Something that happened during a span. */
export interface SpanEvent {
  readonly name: string
  readonly timeUnixNano: bigint
  readonly attributes: Attributes
}

/** One span of one trace. */
export interface Span {
  readonly traceId: string
  readonly spanId: string
  /** Absent for the root of a trace. */
  readonly parentSpanId?: string
  readonly traceState: string
  readonly name: string
  /** 0 unspecified, 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number
  readonly startUnixNano: bigint
  readonly endUnixNano: bigint
  /** 0 unset, 1 ok, 2 error. */
  readonly statusCode: number
  readonly statusMessage: string
  readonly attributes: Attributes
  readonly resource: Attributes
  readonly scopeName: string
  readonly scopeVersion: string
  readonly events: readonly SpanEvent[]
}

/**
 * The texts that a value is compared by: one for a scalar, one for each element of an array, none for null. Rules hold
 * text, so `4096` equals 4096, `true` equals true and `0.7` equals 0.7; bytes are base64, a map is its JSON.
 */
export function attributeTexts(value: AttributeValue | undefined): string[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value.flatMap((element: AttributeValue) => attributeTexts(element))
  return [attributeText(value)]
}

/** The text of one value; an array or a map is its JSON. */
export function attributeText(value: AttributeValue): string {
  if (typeof value === 'string') return value
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (typeof value === 'object' && value !== null) return JSON.stringify(value, plainJson)
  return String(value)
}

// JSON knows neither bytes nor integers beyond 2^53. The holder is asked, because a Buffer has by then become an object.
function plainJson(this: Record<string, unknown>, key: string, value: unknown): unknown {
  const original = this[key]
  if (typeof original === 'bigint') return original.toString()
  return original instanceof Uint8Array ? Buffer.from(original).toString('base64') : value
}
