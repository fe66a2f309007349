import type { StartThread } from '../lib/threads/start-thread.ts'
import type { Clock } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import type { ConsumeLimits, SpanStream } from '../ports/span-stream.ts'
import type { Hint, Storage } from '../ports/storage.ts'
import type { CurrentEvaluators, SweepFindings } from '../ports/work-storage.ts'
import { Digest } from './digest/digest.ts'
import { Ingest, type IngestCounters, type IngestLimits } from './ingest/ingest.ts'
import { type IntakeCounters, StreamIntake } from './ingest/stream-intake.ts'
import { Jobs } from './jobs/jobs.ts'
import type { JudgingPool } from './judging/judging-pool.ts'
import { JudgingWorker } from './judging/judging-worker.ts'
import { Loop } from './loop.ts'
import type { EvaluationThreads } from './scoring/evaluation-threads.ts'
import { type ScoringLimits, ScoringPool } from './scoring/scoring-pool.ts'
import { ScoringWorker } from './scoring/scoring-worker.ts'
import { UnitWorker } from './units/unit-worker.ts'
import { Upkeep } from './upkeep/upkeep.ts'
import { NightlyVerification } from './verify/nightly-verification.ts'
import type { VerifyReport } from './verify/verify-report.ts'

/** How often setups are looked for that nobody told about. */
const PROCESSING_LOOK_MS = 500
/** Batches in hand for each scoring thread: one being scored, one being read or recorded. */
const BATCHES_PER_THREAD = 2

/** What the pipeline counts. */
export interface PipelineCounters {
  readonly ingest: IngestCounters
  countEvaluations(count: number): void
  /** What a sweep had to mend; it should never be called. */
  countMended(findings: SweepFindings): void
  /** Whether the clock is doubted at the moment. */
  showClock(isDoubted: boolean): void
  /** The findings of a pass over the whole store. */
  countVerified(report: VerifyReport, endedAtMs: number): void
}

/** What the pipeline needs. */
export interface PipelineDeps {
  readonly storage: Storage
  readonly clock: Clock
  readonly logger: Logger
  readonly startThread: StartThread
  readonly counters: PipelineCounters
  /** Carries setups a step further; true when there is more. Setups are the control plane's, their turn is ours. */
  readonly processSetups: (onBound: () => void) => Promise<boolean>
  /** What monitors have to be bound to. */
  readonly currentEvaluators: () => Promise<CurrentEvaluators>
  /** The thread that judges. */
  readonly judging: JudgingPool
  /** The threads in which everything is evaluated that does not wait for a provider. */
  readonly threads: EvaluationThreads
  /** Stands between the receiving and the storing of spans, where there is one. */
  readonly stream?: { readonly spans: SpanStream; readonly counters: IntakeCounters }
}

/** How much the pipeline may use. */
export interface PipelineLimits {
  readonly ingest: IngestLimits
  readonly intake: ConsumeLimits
  readonly scoring: ScoringLimits
  readonly retentionHoursMax: number
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
 *   intake    with a stream: ingest only reads it, and whoever takes it out of the stream matches it and has it stored
 *   process   binds setups that were waiting for it to monitors
 *   score     takes the work, evaluates it in a thread, records what came of it
 *   judge     the same for work that waits for the provider of a judge; in parts, as answers come
 *   digest    sums up what it says about its trace, its session and the use of models
 *   units     evaluate whole traces and sessions, when they are ready
 *   jobs      goes over what is stored, for backfills and reruns, while nothing else waits
 *   upkeep    makes up for what was left out, and drops what is no longer kept
 *   verify    looks through the whole store once a night
 *
 * Each step finds its work in the store and nowhere else. Telling the next step that there is some only saves it the
 * wait until it looks by itself.
 */
export class Pipeline {
  readonly ingest: Ingest
  readonly #intake: StreamIntake | undefined
  readonly #processing: Loop
  readonly #pool: ScoringPool
  readonly #worker: ScoringWorker
  readonly #judging: JudgingWorker
  readonly #digest: Digest
  readonly #units: UnitWorker
  readonly #jobs: Jobs
  readonly #upkeep: Upkeep
  readonly #verification: NightlyVerification | undefined
  readonly #deps: PipelineDeps
  #starting: Promise<void> | undefined

  constructor(deps: PipelineDeps, limits: PipelineLimits) {
    const { storage, clock, logger, startThread, counters, stream } = deps
    this.#deps = deps
    this.ingest = new Ingest(
      {
        storage,
        clock,
        logger,
        startThread,
        counters: counters.ingest,
        ...(stream ? { publish: (request) => stream.spans.publish(request) } : {}),
        onAdmitted: ({ hasWork, hasUnbound }) => {
          if (hasUnbound) this.#processing.wake()
          if (hasWork) this.#wakeWorkers()
          this.#digest.wake()
        },
      },
      limits.ingest,
    )
    this.#intake =
      stream &&
      new StreamIntake(
        { stream: stream.spans, ingest: this.ingest, storage, counters: stream.counters, logger },
        limits.intake,
      )
    this.#processing = new Loop({
      name: 'processing',
      step: () => deps.processSetups(() => this.#wakeWorkers()),
      pauseMs: PROCESSING_LOOK_MS,
      logger,
    })
    this.#pool = new ScoringPool(deps.threads, limits.scoring, logger)
    this.#worker = new ScoringWorker({
      storage: storage.work,
      pool: this.#pool,
      logger,
      batchesMax: limits.scoring.threadsMax * BATCHES_PER_THREAD,
      onRecorded: (count) => counters.countEvaluations(count),
    })
    this.#judging = new JudgingWorker({
      storage,
      pool: deps.judging,
      logger,
      onRecorded: (count) => counters.countEvaluations(count),
    })
    this.#digest = new Digest({
      storage: storage.digest,
      read: (batch) => this.ingest.digest(batch),
      isBusy: () => this.ingest.isBusy || this.#worker.isBusy,
      clock,
      logger,
      quietMsMin: limits.traces.quietMsMin,
      onDigested: () => this.#units.wake(),
    })
    this.#units = new UnitWorker({
      storage,
      judging: deps.judging,
      scoring: this.#pool,
      clock,
      logger,
      limits: limits.traces,
      onRecorded: (count) => counters.countEvaluations(count),
    })
    this.#jobs = new Jobs({
      storage: storage.jobs,
      match: (setup, batch) => this.ingest.match(setup, batch),
      logger,
      onWork: () => {
        this.#processing.wake()
        this.#wakeWorkers()
      },
    })
    this.#upkeep = new Upkeep({
      storage: storage.work,
      erasure: storage.erasure,
      clock,
      logger,
      retentionHoursMax: limits.retentionHoursMax,
      onWork: () => this.#wakeWorkers(),
      onMended: (findings) => counters.countMended(findings),
      onClockChecked: (isDoubted) => counters.showClock(isDoubted),
    })
    this.#verification =
      limits.verifyHour === undefined
        ? undefined
        : new NightlyVerification({
            storage,
            read: (batch) => this.ingest.inspect(batch),
            retentionHoursMax: limits.retentionHoursMax,
            hour: limits.verifyHour,
            onVerified: (report, endedAtMs) => counters.countVerified(report, endedAtMs),
            clock,
            logger,
          })
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
    setTimeout(() => this.#processing.wake(), inMs + 1).unref()
  }

  /** A job was made. */
  wakeJobs(): void {
    this.#jobs.wake()
  }

  /** An evaluator or a judge is another than before: monitors go over to it. A start does this too. */
  rebind(): void {
    const { storage, currentEvaluators, logger } = this.#deps
    void (async () => {
      await storage.work.rebind(await currentEvaluators())
      this.#processing.wake()
    })().catch((error) => logger.error({ err: error }, 'monitors could not be bound anew'))
  }

  /** Takes nothing more in and nothing more up; finishes what is under way. */
  async close(): Promise<void> {
    await this.#starting
    await this.#intake?.close()
    await Promise.all([this.#digest.close(), this.#jobs.close(), this.#verification?.close()])
    await this.ingest.close()
    await Promise.all([
      this.#processing.close(),
      this.#upkeep.close(),
      this.#worker.close(),
      this.#judging.close(),
      this.#units.close(),
    ])
    this.#pool.close()
  }

  /** Another process has done something that this one may have to go on with. */
  #hear(hint: Hint): void {
    if (hint === 'jobs') this.#jobs.wake()
    else this.#processing.wake()
    if (hint !== 'spans') return
    this.#wakeWorkers()
    this.#digest.wake()
  }

  #wakeWorkers(): void {
    this.#worker.wake()
    this.#judging.wake()
  }

  async #resume(): Promise<void> {
    const { storage, currentEvaluators, logger } = this.#deps
    try {
      await storage.work.resume(await currentEvaluators())
    } catch (error) {
      // Leases of the earlier process then end by themselves.
      logger.error({ err: error }, 'the queue could not be resumed')
    }
    this.#intake?.start()
    this.#processing.start()
    this.#worker.start()
    this.#judging.start()
    this.#digest.start()
    this.#units.start()
    this.#jobs.start()
    this.#upkeep.start()
    this.#verification?.start()
  }
}
