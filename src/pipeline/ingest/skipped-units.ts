import { skippedBy } from '../../domain/selector-reach.ts'
import { spanFields } from '../../domain/span-fields/span-fields.ts'
import { isSkipped, type SkippedSpans, spanRole } from '../../domain/span-role.ts'
import { addUnit, emptyUnits, listUnits, type UnitSet } from '../../domain/unit-set.ts'
import type { SpanView } from '../../lib/otlp/span-view.ts'
import { type Sliced, sliceTimer } from '../../lib/sliced.ts'
import type { SkippedUnits } from '../../ports/job-storage.ts'
import type { CatalogueSetup } from '../../ports/span-storage.ts'

/** How long spans are read before others have their turn. */
const SLICE_MS = 10

/**
 * The matched spans that the monitors of a setup skip; undefined for a selector that names its spans. A worker decides the same
 * way, by the span alone, before it looks for log events.
 */
export function* skippedUnits(
  { selector }: CatalogueSetup,
  spans: readonly SpanView[],
  matched: UnitSet,
): Sliced<SkippedUnits | undefined> {
  const by = skippedBy(selector)
  if (by === undefined) return undefined
  const units = emptyUnits(spans.length)
  const isSliceOver = sliceTimer(SLICE_MS)
  for (const ordinal of listUnits(matched)) {
    if (isSkippedSpan(spans[ordinal] as SpanView, by)) addUnit(units, ordinal)
    if (isSliceOver()) yield
  }
  return { by, units }
}

/** A span that cannot be read is not skipped: its worker says what is wrong with it. */
function isSkippedSpan(view: SpanView, by: SkippedSpans): boolean {
  try {
    const span = view.toSpan()
    return isSkipped(spanRole(span, spanFields(span)), by)
  } catch {
    return false
  }
}
