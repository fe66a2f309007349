import type { ValueChange } from '../domain/incidents/incident.ts'
import type { ProjectTenant } from '../domain/tenant.ts'
import type { StartThread } from '../lib/threads/start-thread.ts'
import type { Clock } from '../ports/clock.ts'
import type { IdSource } from '../ports/ids.ts'
import type { Logger } from '../ports/logger.ts'
import type { ConsumeLimits, SpanStream } from '../ports/span-stream.ts'
import type { Hint, Storage } from '../ports/storage.ts'
import type { CurrentEvaluators, SweepFindings } from '../ports/work-storage.ts'
import type { UnitSample } from './incidents/sample-units.ts'
import { Ingest, type IngestCounters, type IngestLimits, type Stored } from './ingest/ingest.ts'
import type { IntakeCounters } from './ingest/stream-intake.ts'
import type { JudgingPool } from './judging/judging-pool.ts'
import { buildSteps, type Step, type StepName } from './pipeline-steps.ts'
import type { ScoringPool } from './scoring/scoring-pool.ts'
import type { VerifyReport } from './verify/verify-report.ts'

/** The counters of the pipeline. */
export interface PipelineCounters {
  readonly ingest: IngestCounters
  countEvaluations(count: number): void
  /** Counts the repairs of a sweep; it should never be called. */
  countMended(findings: SweepFindings): void
  /** Whether the clock is doubted at the moment. */
  showClock(isDoubted: boolean): void
  /** The findings of a pass over the whole store. */
  countVerified(report: VerifyReport, endedAtMs: number): void
}

/** The dependencies of the pipeline. */
export interface PipelineDeps {
  readonly storage: Storage
  readonly clock: Clock
  readonly logger: Logger
  readonly startThread: StartThread
  readonly counters: PipelineCounters
  /** Carries setups a step further; true when there is more. Setups are the control plane's, their turn is ours. */
  readonly processSetups: (onBound: () => void) => Promise<boolean>
  readonly ids: IdSource
  /** Compares what the spans of units on both sides of an onset say. Reading spans is the query's, and asking for it ours. */
  readonly compareUnits: (tenant: ProjectTenant, sample: UnitSample) => Promise<ValueChange[]>
  /** The evaluators and judges that monitors have to be bound to. */
  readonly currentEvaluators: () => Promise<CurrentEvaluators>
  /** The thread that judges. */
  readonly judging: JudgingPool
  /** Scores what waits for no provider. */
  readonly scoring: ScoringPool
  /** Stands between the receiving and the storing of spans, where there is one. */
  readonly stream?: { readonly spans: SpanStream; readonly counters: IntakeCounters }
}

/** How much the pipeline may use. */
export interface PipelineLimits {
  readonly ingest: IngestLimits
  readonly intake: ConsumeLimits
  /** Threads that score at the same time. */
  readonly scoringThreads: number
  readonly retentionHoursMax: number
  /** How long a span without content waits for content that comes as log events. */
  readonly contentWaitMs: number
  readonly traces: TraceLimits
  /** The hour in UTC in which the store is looked through every night; absent: never. */
  readonly verifyHour?: number
}

/** When a trace is evaluated as a whole. */
export interface TraceLimits {
  /** It has to be quiet for so long at least. */
  readonly quietMsMin: number
  /** After so long without a new span it is evaluated although its root or a parent is missing. */
  readonly waitMsMax: number
}

/**
 * The life of a span, in order:
 *
 *   ingest    reads and matches it in a thread, and has it stored together with the decisions and the work (admit)
 *   intake    with a stream: ingest only reads it, and the worker that takes it out of the stream matches and stores it
 *   process   binds setups that were waiting for it to monitors
 *   score     takes the work, evaluates it in a thread, records what came of it
 *   judge     the same for work that waits for the provider of a judge; in parts, as answers come
 *   digest    sums up what it says about its trace, its session and the use of models
 *   units     evaluate whole traces and sessions, when they are ready
 *   jobs      goes over what is stored, for backfills and reruns, while nothing else waits
 *   upkeep    makes up for what was left out, and drops what is no longer kept
 *   verdicts  judges what is stored again when the rule of a monitor has changed
 *   incidents looks for pass rates that have fallen, and follows those that have
 *   verify    looks through the whole store once a night
 *
 * Each step finds its work in the store and nowhere else. Telling the next step that there is some only saves it the
 * wait until it looks by itself.
 */
export class Pipeline {
  readonly ingest: Ingest
  readonly #steps: ReadonlyMap<StepName, Step>
  readonly #deps: PipelineDeps
  #starting: Promise<void> | undefined

  constructor(deps: PipelineDeps, limits: PipelineLimits) {
    const { storage, clock, logger, startThread, counters, stream } = deps
    this.#deps = deps
    this.ingest = new Ingest(
      {
        ...{ storage, clock, logger, startThread, counters: counters.ingest },
        ...(stream ? { publish: (request) => stream.spans.publish(request) } : {}),
        onAdmitted: (admission) => this.#onAdmitted(admission),
      },
      limits.ingest,
    )
    this.#steps = buildSteps({ deps, limits, ingest: this.ingest, wake: (...names) => this.#wake(...names) })
  }

  /** Takes up what an earlier process has left, then begins. Spans can be received before that. */
  start(): void {
    if (this.#starting) return
    this.#deps.storage.onHint((hint) => this.#hear(hint))
    this.#starting = this.#resume()
  }

  /** Setups were created or changed and are due after that time. */
  wakeProcessing(inMs: number): void {
    // One millisecond more, because a setup is due only when its time is over.
    setTimeout(() => this.#wake('process'), inMs + 1).unref()
  }

  /** A job was made. */
  wakeJobs(): void {
    this.#wake('jobs')
  }

  /** An evaluator or a judge is another than before: monitors go over to it. A start does this too. */
  rebind(): void {
    const { storage, currentEvaluators, logger } = this.#deps
    void (async () => {
      await storage.work.rebind(await currentEvaluators())
      this.#wake('process')
    })().catch((error) => logger.error({ err: error }, 'monitors could not be bound anew'))
  }

  /** Takes nothing more in and nothing more up; finishes what is under way. */
  async close(): Promise<void> {
    await this.#starting
    await this.#close('intake')
    // These have spans read by the threads of ingest.
    await this.#close('digest', 'jobs', 'verify')
    await this.ingest.close()
    await this.#close('process', 'score', 'judge', 'units', 'upkeep', 'verdicts', 'incidents')
  }

  #onAdmitted({ hasWork, hasUnbound }: Stored): void {
    if (hasUnbound) this.#wake('process')
    if (hasWork) this.#wake('score', 'judge')
    this.#wake('digest')
  }

  /** Another process has done something that this one may have to go on with. */
  #hear(hint: Hint): void {
    this.#wake(hint === 'jobs' ? 'jobs' : 'process')
    if (hint === 'spans') this.#wake('score', 'judge', 'digest')
  }

  #wake(...names: readonly StepName[]): void {
    for (const name of names) this.#steps.get(name)?.wake()
  }

  async #close(...names: readonly StepName[]): Promise<void> {
    await Promise.all(names.map((name) => this.#steps.get(name)?.close()))
  }

  async #resume(): Promise<void> {
    const { storage, currentEvaluators, logger } = this.#deps
    try {
      await storage.work.resume(await currentEvaluators())
    } catch (error) {
      // Leases of the earlier process then end by themselves.
      logger.error({ err: error }, 'the queue could not be resumed')
    }
    for (const step of this.#steps.values()) step.start()
  }
}
