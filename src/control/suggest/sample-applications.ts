import { setImmediate } from 'node:timers/promises'
import type { SampledTrace } from '../../domain/application/recognize-application.ts'
import { JUDGE_MARKER } from '../../domain/selector-matcher.ts'
import { spanFields } from '../../domain/span-fields/span-fields.ts'
import type { EnvironmentTenant } from '../../domain/tenant.ts'
import { traceFields } from '../../domain/trace-fields/trace-fields.ts'
import type { ReadableSpan } from '../../evaluators/kit/span-inputs.ts'
import { attachContents } from '../../lib/otlp/attach-contents.ts'
import { attributeText } from '../../lib/otlp/span.ts'
import type { SpanView } from '../../lib/otlp/span-view.ts'
import type { ContentStorage } from '../../ports/content-storage.ts'

/** Spans that one look at the newest traces reads, how many it examines for that, and their bytes. */
export const SAMPLE_LIMITS = { spansMax: 1_000, examinedMax: 5_000, bytesMax: 8_388_608 } as const
/** Traces of one application that are read as a whole, and how much of each: they are decoded on the event loop. */
const TRACES_MAX = 20
const TRACE_SPANS_MAX = 100
/** Longest name of a service that a rule can compare with. */
const NAME_CHARS_MAX = 1_024

/** Calls `visit` with the newest spans of an environment, within the limits. */
export type SampleSpans = (
  tenant: EnvironmentTenant,
  limits: typeof SAMPLE_LIMITS,
  visit: (span: SpanView) => void,
) => Promise<void>

/** The dependencies of a look at the newest traces. */
export interface SamplingDeps {
  readonly sampleSpans: SampleSpans
  readonly storage: Pick<ContentStorage, 'readContents'>
}

/** The sampled traces of one application. */
export interface SampledApplication {
  /** The value of `service.name`; absent where spans do not tell. */
  readonly serviceName?: string
  /** Traces in the sample, also those that were not read as a whole. */
  readonly traceCount: number
  readonly spanCount: number
  /** When the oldest of its sampled spans began. */
  readonly fromMs: number
  /** The newest traces, read as a whole as far as they are in the sample. */
  readonly traces: readonly SampledTrace[]
  /** The spans of these traces. */
  readonly spans: readonly ReadableSpan[]
}

/** The newest traces of an environment by application. */
export interface ApplicationSample {
  readonly spanCount: number
  /** Whether the sample holds every stored span. */
  readonly isComplete: boolean
  /** The application with the most traces first. */
  readonly applications: readonly SampledApplication[]
}

/** Reads the newest traces of an environment and sorts them by application. */
export async function sampleApplications(
  { sampleSpans, storage }: SamplingDeps,
  tenant: EnvironmentTenant,
  applicationsMax: number,
): Promise<ApplicationSample> {
  const views: SpanView[] = []
  let bytes = 0
  await sampleSpans(tenant, SAMPLE_LIMITS, (view) => {
    bytes += view.end - view.start
    // The calls of our own judge are no application of the user's.
    if (view.attribute(JUDGE_MARKER.source, JUDGE_MARKER.key) === undefined) views.push(view)
  })
  const byService = [...Map.groupBy(views, serviceOf)]
    .map(([serviceName, spans]) => ({ serviceName, byTrace: Map.groupBy(spans, ({ traceId }) => traceId) }))
    .sort((a, b) => b.byTrace.size - a.byTrace.size)
    .slice(0, applicationsMax)
  const applications: SampledApplication[] = []
  for (const { serviceName, byTrace } of byService) {
    const traces = await readTraces(storage, tenant, byTrace)
    const spans = [...byTrace.values()].flat()
    applications.push({
      ...(serviceName === undefined ? {} : { serviceName }),
      traceCount: byTrace.size,
      spanCount: spans.length,
      fromMs: Math.min(...spans.map(({ startUnixMs }) => startUnixMs)),
      traces,
      spans: traces.flatMap((trace) => trace.spans.map((span) => ({ span, fields: spanFields(span) }))),
    })
  }
  const isComplete = views.length < SAMPLE_LIMITS.spansMax && bytes < SAMPLE_LIMITS.bytesMax
  return { spanCount: views.length, isComplete, applications }
}

function serviceOf(view: SpanView): string | undefined {
  const value = view.resource.get('service.name')
  if (value === undefined || value === null) return undefined
  const name = attributeText(value)
  return name === '' || name.length > NAME_CHARS_MAX ? undefined : name
}

async function readTraces(
  storage: SamplingDeps['storage'],
  tenant: EnvironmentTenant,
  byTrace: ReadonlyMap<string, readonly SpanView[]>,
): Promise<SampledTrace[]> {
  const newest = [...byTrace].slice(0, TRACES_MAX)
  const contents = await storage.readContents(
    tenant,
    newest.map(([traceId]) => ({ traceId })),
  )
  const traces: SampledTrace[] = []
  for (const [, views] of newest) {
    const some = views.slice(0, TRACE_SPANS_MAX)
    attachContents(some, contents)
    const spans = some.map((view) => view.toSpan())
    const fields = traceFields(spans)
    if (fields) traces.push({ spans, fields })
    // Others get their turn: a trace may hold megabytes of text.
    await setImmediate()
  }
  return traces
}
