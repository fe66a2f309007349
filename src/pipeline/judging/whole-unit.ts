import { TRACE_COMPLETE_KEY } from '../../domain/digest-spans.ts'
import { sampleSteps } from '../../domain/trace-fields/sample-steps.ts'
import { traceFields } from '../../domain/trace-fields/trace-fields.ts'
import type { ReadableSpan } from '../../evaluators/kit/span-inputs.ts'
import { defined } from '../../lib/defined.ts'
import { attachContents } from '../../lib/otlp/attach-contents.ts'
import { scanStoredTraces } from '../../lib/otlp/scan-traces.ts'
import type { Span } from '../../lib/otlp/span.ts'
import type { SpanView } from '../../lib/otlp/span-view.ts'
import { unpackBytesSync } from '../../lib/otlp/stored-spans.ts'
import { releaseBytes } from '../../lib/release-bytes.ts'
import type { SpanContent } from '../../ports/content-storage.ts'
import type { UnitPart } from './judging-message.ts'

/** Most spans of one unit that are decoded; a trace of more is read in parts of it that are spread over all. */
export const UNIT_SPANS_MAX = 4_000
const ERROR_STATUS = 2

/** A trace or a session, read. */
export interface ReadUnit {
  /** The root, or the earliest span where there is none; its attributes are those of the unit. */
  readonly from: ReadableSpan
  /** Place of that span in its batch. */
  readonly ordinal: number
  /** Spans that were read. */
  readonly readCount: number
  /** Not everything that was read is shown to the evaluator: it would be too much. */
  readonly isSampled: boolean
  /** Why it looks incomplete; undefined when it does not. */
  readonly gap?: string
}

/** Reads the spans of a unit, batch by batch, so that no more than one batch is unpacked at a time. */
export function readUnitSpans(
  parts: readonly UnitPart[],
  contents: readonly SpanContent[] = [],
): ReadUnit | undefined {
  const ids = new Set<string>()
  const parents = new Set<string>()
  let [hasRoot, isComplete] = [false, false]
  const spans: { span: Span; ordinal: number }[] = []
  const total = parts.reduce((sum, { ordinals }) => sum + ordinals.length, 0)
  for (const { batch, ordinals } of parts) {
    const bytes = unpackBytesSync(batch)
    const views = scanStoredTraces(bytes, batch.knownFaults)
    const mine = ordinals.flatMap((ordinal) => {
      const view = views[ordinal]
      return view ? [{ view, ordinal }] : []
    })
    for (const { view } of mine) {
      ids.add(view.spanId)
      if (view.parentSpanId === undefined) hasRoot = true
      else parents.add(view.parentSpanId)
      isComplete ||= isMarkedComplete(view)
    }
    attachContents(
      mine.map(({ view }) => view),
      contents,
    )
    const share = Math.ceil((ordinals.length * UNIT_SPANS_MAX) / total)
    for (const { view, ordinal } of chosen(mine, share)) spans.push({ span: view.toSpan(), ordinal })
    releaseBytes(bytes)
  }
  const fields = traceFields(spans.map(({ span }) => span))
  if (!fields) return undefined
  const missing = [...parents].filter((id) => !ids.has(id)).length
  const gap = isComplete ? undefined : gapOf(hasRoot, missing)
  return {
    from: { span: fields.root, fields },
    ordinal: spans.find(({ span }) => span === fields.root)?.ordinal ?? 0,
    readCount: spans.length,
    isSampled: fields.isSampled,
    ...defined({ gap }),
  }
}

type Placed = { readonly view: SpanView; readonly ordinal: number }

/** All, or as many as may be: stretches that are spread over all, with the root and what has failed. */
function chosen(mine: readonly Placed[], share: number): readonly Placed[] {
  const isSpecial = ({ view }: Placed) => view.statusCode === ERROR_STATUS || view.parentIdAt < 0
  return sampleSteps(mine.length, share, (at) => isSpecial(mine[at] as Placed)).map(
    (at) => mine[at] as Placed,
  )
}

function isMarkedComplete(view: SpanView): boolean {
  const mark = view.attribute('span_attributes', TRACE_COMPLETE_KEY)
  return mark === true || mark === 'true'
}

function gapOf(hasRoot: boolean, missing: number): string | undefined {
  if (!hasRoot) return 'its root has not arrived'
  if (missing > 0)
    return `${missing} of the spans that others name as their parent ${missing === 1 ? 'has' : 'have'} not arrived`
  return undefined
}
