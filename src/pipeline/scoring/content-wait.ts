import type { UnitOutcome } from '../../domain/evaluation.ts'
import { addUnit, type UnitSet } from '../../domain/unit-set.ts'
import type { SpanContent, SpanKey } from '../../ports/content-storage.ts'

/** Content is looked for after this time at the earliest; later looks come when the span is twice as old. */
const LOOK_MS_MIN = 1_000
/** Looks at one piece of work at most, also where the clock is set back. */
const ATTEMPTS_MAX = 12

/** When a span arrived, and how long its content is waited for. */
export interface ContentWait {
  readonly receivedAtMs: number
  readonly nowMs: number
  readonly waitMs: number
  /** 1 for the first try of the work. */
  readonly attempt: number
}

/** When the content of a span is to be looked for again; undefined where it has been waited for long enough. */
export function contentRetryMs({ receivedAtMs, nowMs, waitMs, attempt }: ContentWait): number | undefined {
  const ageMs = Math.max(0, nowMs - receivedAtMs)
  const leftMs = waitMs - ageMs
  return leftMs > 0 && attempt < ATTEMPTS_MAX ? Math.min(Math.max(LOOK_MS_MIN, ageMs), leftMs) : undefined
}

/** Outcomes of spans whose content may still come, by the place of their work. */
export interface AwaitingOutcome {
  readonly work: number
  readonly outcome: UnitOutcome
}

/** The spans of outcomes, each once. */
export function spansOf(awaiting: readonly AwaitingOutcome[]): SpanKey[] {
  const keys = awaiting.map(
    ({ outcome: { traceId, spanId } }) => [`${traceId} ${spanId}`, { traceId, spanId }] as const,
  )
  return [...new Map(keys).values()]
}

/** Tells the outcomes whose content has come from those that still have none. */
export function withContent(
  awaiting: readonly AwaitingOutcome[],
  contents: readonly SpanContent[],
): { readonly found: readonly AwaitingOutcome[]; readonly missing: readonly AwaitingOutcome[] } {
  const known = new Set(contents.map(({ traceId, spanId }) => `${traceId} ${spanId}`))
  const hasContent = ({ outcome }: AwaitingOutcome) => known.has(`${outcome.traceId} ${outcome.spanId}`)
  return {
    found: awaiting.filter(hasContent),
    missing: awaiting.filter((each) => !hasContent(each)),
  }
}

/** Of a piece of work the units of these outcomes. */
export function awaitingUnits(units: UnitSet, outcomes: readonly AwaitingOutcome[], work: number): UnitSet {
  return unitsIn(
    units,
    outcomes.filter((each) => each.work === work).map(({ outcome }) => outcome),
  )
}

/** A set as large as the other one, with the units of these outcomes. */
export function unitsIn(units: UnitSet, outcomes: readonly UnitOutcome[]): UnitSet {
  const chosen = new Uint8Array(units.length)
  for (const { ordinal } of outcomes) addUnit(chosen, ordinal)
  return chosen
}
