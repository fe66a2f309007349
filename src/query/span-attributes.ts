import type { EnvironmentTenant } from '../domain/tenant.ts'
import type { AttributeSource } from '../lib/otlp/span.ts'
import { type AttributeValue, attributeTexts } from '../lib/otlp/span.ts'
import type { SpanView } from '../lib/otlp/span-view.ts'
import type { SpanStorage } from '../ports/span-storage.ts'
import { type SampleLimits, sampleSpans } from './sample-spans.ts'

const LIMITS: SampleLimits = { spansMax: 1_000, examinedMax: 10_000, bytesMax: 16_777_216 }
/** Names or values that are told apart; what comes after that many is left out. */
const DISTINCT_MAX = 20_000
/** A name that is longer cannot be part of a rule either. */
const NAME_CHARS_MAX = 4_096
const EXAMPLES_MAX = 3
const EXAMPLE_CHARS_MAX = 120
const VALUE_CHARS_MAX = 500

/** An attribute that spans have. */
export interface SeenAttribute {
  readonly source: AttributeSource
  readonly key: string
  /** Spans of the sample that have it. */
  readonly spans: number
  /** A few different values, cut. */
  readonly examples: readonly string[]
}

/** Which attributes spans have, the most frequent first. */
export interface SeenAttributes {
  readonly attributes: readonly SeenAttribute[]
  readonly spansSampled: number
  /** When the oldest and the newest of the sampled spans began; absent when there is none. */
  readonly fromMs?: number
  readonly toMs?: number
}

/** A value of one attribute, as rules compare it; a long one is cut. */
export interface SeenValue {
  readonly value: string
  readonly isCut: boolean
  readonly spans: number
}

interface Sighting {
  readonly source: AttributeSource
  readonly key: string
  readonly examples: Set<string>
  spans: number
  /** The last span it was counted for: a sender may repeat a name. */
  lastSpan: number
}

/** The attributes of the newest spans of an environment whose names contain `text`, in upper or lower case. */
export async function listSpanAttributes(
  storage: Pick<SpanStorage, 'listSpanRefs' | 'readBatches'>,
  tenant: EnvironmentTenant,
  { text, limit }: { readonly text: string; readonly limit: number },
): Promise<SeenAttributes> {
  const bySource = { span_attributes: new Map<string, Sighting>(), resource_attributes: new Map() }
  const wanted = text.toLowerCase()
  let spans = 0
  let fromMs = Infinity
  let toMs = -Infinity
  const see = (source: AttributeSource, key: string, readValue: () => AttributeValue) => {
    const sightings: Map<string, Sighting> = bySource[source]
    const known = sightings.get(key)
    if (!known && (sightings.size >= DISTINCT_MAX || key.length > NAME_CHARS_MAX)) return
    const sighting = known ?? { source, key, examples: new Set(), spans: 0, lastSpan: 0 }
    if (!known) sightings.set(key, sighting)
    if (sighting.lastSpan === spans) return
    sighting.lastSpan = spans
    sighting.spans++
    if (sighting.examples.size < EXAMPLES_MAX) addExamples(sighting.examples, readValue())
  }
  await sampleSpans(storage, tenant, LIMITS, (view) => {
    spans++
    fromMs = Math.min(fromMs, view.startUnixMs)
    toMs = Math.max(toMs, view.startUnixMs)
    view.visitNames((key, readValue) => see('span_attributes', key, readValue))
    for (const [key, value] of view.resource) see('resource_attributes', key, () => value)
  })
  const attributes = [...bySource.span_attributes.values(), ...bySource.resource_attributes.values()]
    .filter(({ key }) => key.toLowerCase().includes(wanted))
    .sort((a, b) => b.spans - a.spans || compare(a.key, b.key))
    .slice(0, limit)
    .map(({ source, key, spans, examples }) => ({ source, key, spans, examples: [...examples] }))
  return { attributes, spansSampled: spans, ...(spans > 0 && { fromMs, toMs }) }
}

/** The values of one attribute in the newest spans of an environment that contain `text`, the most frequent first. */
export async function listSpanAttributeValues(
  storage: Pick<SpanStorage, 'listSpanRefs' | 'readBatches'>,
  tenant: EnvironmentTenant,
  query: {
    readonly source: AttributeSource
    readonly key: string
    readonly text: string
    readonly limit: number
  },
): Promise<{ readonly values: readonly SeenValue[]; readonly spansSampled: number }> {
  const counts = new Map<string, { readonly isCut: boolean; spans: number }>()
  const wanted = query.text.toLowerCase()
  let spansSampled = 0
  await sampleSpans(storage, tenant, LIMITS, (view) => {
    spansSampled++
    for (const text of textsOf(view, query.source, query.key)) {
      if (!text.toLowerCase().includes(wanted)) continue
      const value = cut(text, VALUE_CHARS_MAX)
      const known = counts.get(value)
      if (known) known.spans++
      else if (counts.size < DISTINCT_MAX) counts.set(value, { isCut: value !== text, spans: 1 })
    }
  })
  const values = [...counts]
    .map(([value, count]) => ({ value, ...count }))
    .sort((a, b) => b.spans - a.spans || compare(a.value, b.value))
    .slice(0, query.limit)
  return { values, spansSampled }
}

/** The different texts of an attribute: an array has one for each element, and a span counts once for each. */
function textsOf(view: SpanView, source: AttributeSource, key: string): Set<string> {
  return new Set(attributeTexts(view.attribute(source, key)))
}

function addExamples(examples: Set<string>, value: AttributeValue): void {
  for (const text of attributeTexts(value)) {
    if (examples.size >= EXAMPLES_MAX) return
    if (text !== '') examples.add(cut(text, EXAMPLE_CHARS_MAX))
  }
}

function cut(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text
  // Not in the middle of a character that takes two units.
  return `${text.slice(0, charsMax - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
