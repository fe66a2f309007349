import type { UnitOutcome } from '../../domain/evaluation.ts'
import { NoVerdict, statusOf } from '../../domain/no-verdict.ts'
import { hasUnit, type UnitSet } from '../../domain/unit-set.ts'
import { TaintedThread } from '../../evaluators/kit/tainted-thread.ts'
import { oneLine } from '../../lib/one-line.ts'
import { attachContents } from '../../lib/otlp/attach-contents.ts'
import { scanStoredTraces } from '../../lib/otlp/scan-traces.ts'
import type { SpanView } from '../../lib/otlp/span-view.ts'
import { unpackBytesSync } from '../../lib/otlp/stored-spans.ts'
import { PublicError } from '../../lib/public-error.ts'
import { releaseBytes } from '../../lib/release-bytes.ts'
import type { PreparedMonitor, PreparedMonitors } from './prepared-monitors.ts'
import {
  EVERY_WORK,
  NO_SPAN,
  type Poison,
  type ScoresPart,
  type ScoringJob,
  type ScoringStart,
  type WorkScores,
} from './scoring-job.ts'
import { SpanUnit } from './span-unit.ts'

/** Longest message of an evaluation. */
const MESSAGE_CHARS_MAX = 500

/**
 * How long a batch is scored before other projects have their turn, and how many times as long as opening it takes: a large
 * batch has to be opened again for each of its slices.
 */
export const SLICE_MS = 50
const SLICE_PER_OPENING = 4

/** How often finished units are handed over, so that little is done again when a thread is lost. */
const PART_MS = 50

/**
 * Time that the work of one batch may take in all; it has to end well before its lease does. Beyond it, each piece of work
 * that has used more than its equal share of this time is given up, and the others go on.
 */
export const JOB_MS_MAX = 50_000

/** The observer of a batch that is being scored: it learns the current step and takes over results. */
export interface ScoringWatch extends ScoringStart {
  /**
   * Called before each step that may take long or never end; the step is named like a ScoringPlace. With `budgetMs` it may take
   * so long, otherwise as long as any step.
   */
  enter(ordinal: number, work: number, budgetMs?: number): void
  /** Whether another project waits. */
  readonly isWanted: boolean
  /** Takes over what is finished. */
  hand(part: ScoresPart): void
  /** An evaluator failed in a way that is a bug of ours; told once for each piece of work. */
  report(slug: string, error: unknown): void
}

/**
 * A unit has left this thread in a state that cannot be trusted. The units that finished before have been handed over.
 */
export class TaintedByUnit extends Error {
  override readonly name = 'TaintedByUnit'
  readonly poison: Required<Poison>

  constructor(poison: Required<Poison>) {
    super(poison.message)
    this.poison = poison
  }
}

/**
 * Evaluates the spans of one batch, span by span: each is decoded once and read once for all monitors. Every content of a
 * span is an outcome of that span; a batch that cannot be read is a value too. False when others have their turn before it
 * is finished: what was done is handed over, and it goes on from there.
 */
export function scoreBatch(
  job: ScoringJob,
  monitors: PreparedMonitors,
  watch: ScoringWatch,
): Promise<boolean> {
  return new BatchScoring(job, monitors, watch).run()
}

interface PreparedWork {
  readonly monitor: PreparedMonitor
  readonly slug: string
  readonly units: UnitSet
}

/** The result of one span for one piece of work. */
interface Result {
  readonly work: number
  readonly outcome: UnitOutcome | 'sampled out' | 'skipped'
}

/** Scores of one piece of work while they grow. */
type Tally = { -readonly [Name in keyof WorkScores]: WorkScores[Name] } & { outcomes: UnitOutcome[] }

class BatchScoring {
  readonly #job: ScoringJob
  readonly #watch: ScoringWatch
  readonly #works: readonly PreparedWork[]
  readonly #usedMs: number[]
  readonly #reported = new Set<number>()
  #tallies: Tally[]
  #bytes: Uint8Array | undefined
  #handedMs = performance.now()

  constructor(job: ScoringJob, monitors: PreparedMonitors, watch: ScoringWatch) {
    this.#job = job
    this.#watch = watch
    watch.enter(NO_SPAN, EVERY_WORK)
    this.#works = job.works.map(({ version, units }) => ({
      monitor: monitors.get(version),
      slug: version.slug,
      units,
    }))
    this.#usedMs = [...watch.usedMs]
    this.#tallies = this.#emptyTallies()
  }

  async run(): Promise<boolean> {
    const { from } = this.#watch
    const end = Math.max(from, ...this.#works.map(({ units }) => units.length * 8))
    const begunMs = performance.now()
    const spans = this.#open()
    const openedMs = performance.now()
    const sliceEndMs = openedMs + Math.max(SLICE_MS, SLICE_PER_OPENING * (openedMs - begunMs))
    let next = end
    for (let ordinal = from; ordinal < end; ordinal++) {
      const wanting = this.#wanting(ordinal)
      if (wanting.length === 0) continue
      const view = typeof spans === 'string' ? undefined : spans[ordinal]
      if (view) this.#keep(await this.#span(view, ordinal, wanting))
      else this.#lose(wanting, typeof spans === 'string' ? spans : beyond(ordinal, spans.length))
      const nowMs = performance.now()
      if (nowMs - this.#handedMs > PART_MS) this.#hand(ordinal + 1)
      if (nowMs > sliceEndMs && this.#watch.isWanted) {
        next = ordinal + 1
        break
      }
    }
    this.#hand(next)
    if (this.#bytes) releaseBytes(this.#bytes)
    return next === end
  }

  #open(): readonly SpanView[] | string {
    const poison = this.#poisonOf(undefined, undefined)
    if (poison !== undefined) return poison
    try {
      this.#bytes = unpackBytesSync(this.#job.batch)
      const spans = scanStoredTraces(this.#bytes, this.#job.batch.knownFaults)
      attachContents(spans, this.#job.contents ?? [])
      return spans
    } catch (error) {
      return `the batch cannot be read: ${error instanceof Error ? error.message : String(error)}`
    }
  }

  #wanting(ordinal: number): number[] {
    const wanting: number[] = []
    for (const [work, { units }] of this.#works.entries()) if (hasUnit(units, ordinal)) wanting.push(work)
    return wanting
  }

  async #span(view: SpanView, ordinal: number, wanting: readonly number[]): Promise<Result[]> {
    const results: Result[] = []
    const unit = new SpanUnit(view, ordinal, this.#job.batch.receivedAtMs)
    for (const work of wanting) {
      const { monitor } = this.#works[work] as PreparedWork
      const isSampled = monitor.samplingRate >= 1 || unit.samplingNumber < monitor.samplingRate
      results.push({ work, outcome: isSampled ? await this.#unit(unit, work) : 'sampled out' })
    }
    return results
  }

  async #unit(unit: SpanUnit, work: number): Promise<UnitOutcome | 'skipped'> {
    const { monitor } = this.#works[work] as PreparedWork
    const unreadable = this.#unreadable(unit)
    if (unreadable === undefined && unit.isSkippedBy(monitor.skips)) return 'skipped'
    const fault = unreadable ?? monitor.fault ?? this.#poisonOf(unit.ordinal, work) ?? this.#overTime(work)
    if (fault !== undefined) return unit.outcome({ status: 'error', errorMessage: fault, durationUs: 0 })
    this.#watch.enter(unit.ordinal, work, monitor.budgetMs?.(unit.byteLength))
    const startedMs = performance.now()
    const result = await this.#evaluate(unit, work)
    const tookMs = performance.now() - startedMs
    this.#usedMs[work] = (this.#usedMs[work] ?? 0) + tookMs
    return unit.outcome({ ...result, durationUs: Math.round(tookMs * 1_000) })
  }

  async #evaluate(
    unit: SpanUnit,
    work: number,
  ): Promise<Pick<UnitOutcome, 'status' | 'output' | 'errorMessage' | 'awaitsContent'>> {
    const { monitor, slug } = this.#works[work] as PreparedWork
    try {
      const answer = await monitor.evaluate(unit.read(), undefined)
      if ('output' in answer) return { status: 'scored', output: answer.output }
      return {
        status: 'missing_input',
        errorMessage: clipped(`the span does not carry input ${answer.missing}`),
        ...(unit.awaitsContent ? { awaitsContent: true } : {}),
      }
    } catch (error) {
      if (error instanceof TaintedThread) {
        this.#hand(unit.ordinal)
        throw new TaintedByUnit({ ordinal: unit.ordinal, work, message: clipped(error.message) })
      }
      if (error instanceof NoVerdict) {
        return { status: statusOf(error) ?? 'error', errorMessage: clipped(error.message) }
      }
      if (error instanceof PublicError) return { status: 'error', errorMessage: clipped(error.message) }
      if (!this.#reported.has(work)) this.#watch.report(slug, error)
      this.#reported.add(work)
      return { status: 'error', errorMessage: 'the evaluator failed on this span' }
    }
  }

  /** Reads the span, once; why it cannot be read, where it cannot. */
  #unreadable(unit: SpanUnit): string | undefined {
    const poison = this.#poisonOf(unit.ordinal, undefined)
    if (poison !== undefined || unit.isRead) return poison
    this.#watch.enter(unit.ordinal, EVERY_WORK)
    unit.read()
    return undefined
  }

  #poisonOf(ordinal: number | undefined, work: number | undefined): string | undefined {
    return this.#watch.poisoned.find((poison) => poison.ordinal === ordinal && poison.work === work)?.message
  }

  #overTime(work: number): string | undefined {
    const shareMs = JOB_MS_MAX / this.#works.length
    if ((this.#usedMs[work] ?? 0) <= shareMs) return undefined
    const totalMs = this.#usedMs.reduce((sum, used) => sum + used, 0)
    return totalMs <= JOB_MS_MAX
      ? undefined
      : 'not evaluated: the spans before it took all the time of the batch'
  }

  #keep(results: readonly Result[]): void {
    for (const { work, outcome } of results) {
      const tally = this.#tallies[work] as Tally
      if (outcome === 'sampled out') tally.sampledOut++
      else if (outcome === 'skipped') tally.skipped++
      else tally.outcomes.push(outcome)
    }
  }

  #lose(wanting: readonly number[], reason: string): void {
    for (const work of wanting) {
      const tally = this.#tallies[work] as Tally
      tally.lost++
      tally.lossReason ??= clipped(reason)
    }
  }

  #hand(upTo: number): void {
    this.#watch.enter(NO_SPAN, EVERY_WORK)
    this.#watch.hand({ upTo, scores: this.#tallies, usedMs: [...this.#usedMs] })
    this.#tallies = this.#emptyTallies()
    this.#handedMs = performance.now()
  }

  #emptyTallies(): Tally[] {
    return this.#job.works.map(() => ({ outcomes: [], sampledOut: 0, skipped: 0, lost: 0 }))
  }
}

function beyond(ordinal: number, spanCount: number): string {
  return `unit ${ordinal} is not in the batch, which has ${spanCount} spans`
}

function clipped(message: string): string {
  return oneLine(message, MESSAGE_CHARS_MAX)
}
