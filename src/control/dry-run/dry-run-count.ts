import type { SelectorRule } from '../../domain/selector.ts'
import { compileMatcher, type Matcher } from '../../domain/selector-matcher.ts'
import { skippedBy } from '../../domain/selector-reach.ts'
import type { SetupEntry } from '../../domain/setup.ts'
import { spanFields } from '../../domain/span-fields/span-fields.ts'
import type { ReadableSpan } from '../../evaluators/kit/span-inputs.ts'
import type { Span } from '../../lib/otlp/span.ts'
import type { SpanView } from '../../lib/otlp/span-view.ts'
import { type PackedSpans, unpackSpansSync } from '../../lib/otlp/stored-spans.ts'
import { type EntryEvaluatorFacts, entryEvaluatorsOf } from '../entry-evaluators.ts'
import { findFixes } from './find-fixes.ts'
import { type EntryTrial, type TrialUnits, tryEntry } from './try-entry.ts'

/** Matching spans that inputs are taken out of, and the bytes of all of them together. */
const READ_SPANS_MAX = 500
const READ_BYTES_MAX = 16_777_216
/** Spans that an entry is bound with; as many as the processing of setups looks at. */
const BINDING_SPANS_MAX = 256
/** Spans that are named as examples. */
const EXAMPLES_MAX = 5
/** Traces that are told apart; beyond that their number is not known. */
const TRACES_MAX = 100_000

/** The setup to try, as plain data: it goes to a thread. */
export interface DryRunPlan {
  readonly selector: readonly SelectorRule[]
  /** The selector of the stored setup; absent when there is none. */
  readonly currentSelector?: readonly SelectorRule[]
  readonly entries: readonly SetupEntry[]
  readonly evaluators: EntryEvaluatorFacts
}

/** A stored batch and the places of spans in it that had come before. */
export interface DryRunBatch extends PackedSpans {
  readonly repeated: readonly number[]
}

/** Names a span. */
export interface SpanIds {
  readonly traceId: string
  readonly spanId: string
}

/** The counts of the spans that were looked at. */
export interface DryRunResult {
  readonly spans: number
  readonly matched: number
  /** Distinct traces of matching spans; absent when there are too many to be told apart. */
  readonly matchedTraces?: number
  /** Present when there is a stored setup to compare with. */
  readonly change?: {
    readonly gained: number
    readonly lost: number
    readonly gainedExamples: readonly SpanIds[]
    readonly lostExamples: readonly SpanIds[]
  }
  readonly examples: readonly SpanIds[]
  /** On spans, also for those that look at traces. */
  readonly entries: readonly EntryTrial[]
  /** Matching spans of a few traces. */
  readonly traceSamples: readonly Span[]
}

/**
 * Tries a setup on stored spans, batch by batch. The matcher is the one that spans are matched with when they arrive, and
 * entries are bound by the code that binds them. It only counts: nothing is written or evaluated.
 */
export class DryRunCount {
  readonly #plan: DryRunPlan
  readonly #matcher: Matcher<'proposed' | 'current'>
  readonly #read: ReadableSpan[] = []
  readonly #traces = new Set<string>()
  readonly #examples: SpanIds[] = []
  readonly #gained: SpanIds[] = []
  readonly #lost: SpanIds[] = []
  #readBytes = 0
  #spans = 0
  #matched = 0
  #gainedCount = 0
  #lostCount = 0

  constructor(plan: DryRunPlan) {
    this.#plan = plan
    const { selector, currentSelector } = plan
    this.#matcher = compileMatcher([
      { id: 'proposed', selector },
      ...(currentSelector ? [{ id: 'current' as const, selector: currentSelector }] : []),
    ])
  }

  /** Spans that had come before count where they came first. */
  add(batch: DryRunBatch): void {
    const repeated = new Set(batch.repeated)
    for (const [ordinal, span] of unpackSpansSync(batch).entries()) {
      if (!repeated.has(ordinal)) this.#look(span)
    }
  }

  result(): DryRunResult {
    return {
      spans: this.#spans,
      matched: this.#matched,
      ...(this.#traces.size < TRACES_MAX ? { matchedTraces: this.#traces.size } : {}),
      ...(this.#plan.currentSelector
        ? {
            change: {
              gained: this.#gainedCount,
              lost: this.#lostCount,
              gainedExamples: this.#gained,
              lostExamples: this.#lost,
            },
          }
        : {}),
      examples: this.#examples,
      entries: this.#tryEntries(),
      traceSamples: this.#traceSamples(),
    }
  }

  #look(span: SpanView): void {
    this.#spans++
    const matching = this.#matcher.match(span)
    const isMatched = matching.includes('proposed')
    const wasMatched = matching.includes('current')
    if (isMatched) this.#take(span)
    if (isMatched && !wasMatched) {
      this.#gainedCount++
      keep(this.#gained, span)
    }
    if (wasMatched && !isMatched) {
      this.#lostCount++
      keep(this.#lost, span)
    }
  }

  #take(view: SpanView): void {
    this.#matched++
    keep(this.#examples, view)
    if (this.#traces.size < TRACES_MAX) this.#traces.add(view.traceId)
    const bytes = view.end - view.start
    const isFull = this.#read.length >= READ_SPANS_MAX || this.#readBytes + bytes > READ_BYTES_MAX
    if (isFull && this.#read.length > 0) return
    this.#readBytes += bytes
    const span = view.toSpan()
    this.#read.push({ span, fields: spanFields(span) })
  }

  #tryEntries(): EntryTrial[] {
    const find = entryEvaluatorsOf(this.#plan.evaluators)
    const units: TrialUnits = {
      skips: skippedBy(this.#plan.selector),
      samples: this.#read.slice(0, BINDING_SPANS_MAX).map(({ span }) => span),
      spans: this.#read,
    }
    return this.#plan.entries.map((entry) => {
      const trial = tryEntry(entry, find(entry), units)
      const fixes = findFixes(entry, find(entry), units, trial)
      return fixes.length === 0 ? trial : { ...trial, fixes }
    })
  }

  /** Spans of different traces. */
  #traceSamples(): Span[] {
    const byTrace = new Map(this.#read.map(({ span }) => [span.traceId, span]))
    return [...byTrace.values()].slice(0, EXAMPLES_MAX)
  }
}

function keep(examples: SpanIds[], { traceId, spanId }: SpanIds): void {
  if (examples.length < EXAMPLES_MAX) examples.push({ traceId, spanId })
}
