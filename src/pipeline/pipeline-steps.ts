import { Digest } from './digest/digest.ts'
import { IncidentWatch } from './incidents/incident-watch.ts'
import type { Ingest } from './ingest/ingest.ts'
import { StreamIntake } from './ingest/stream-intake.ts'
import { Jobs } from './jobs/jobs.ts'
import { JudgingWorker } from './judging/judging-worker.ts'
import { Loop } from './loop.ts'
import type { PipelineDeps, PipelineLimits } from './pipeline.ts'
import { ScoringWorker } from './scoring/scoring-worker.ts'
import { UnitWorker } from './units/unit-worker.ts'
import { Upkeep } from './upkeep/upkeep.ts'
import { VerdictKeeper } from './verdicts/verdict-keeper.ts'
import { NightlyVerification } from './verify/nightly-verification.ts'

/** How often setups are looked for without a hint. */
const PROCESSING_LOOK_MS = 500
/** Batches in hand for each scoring thread: one being scored, one being read or recorded. */
const BATCHES_PER_THREAD = 2

/** A part of the pipeline that finds its work in the store by itself. */
export interface Step {
  start(): void
  /** There may be work; only saves the wait until it looks by itself. */
  wake(): void
  /** Takes nothing more up, and finishes what is under way. */
  close(): Promise<void>
}

/** The steps that a pipeline may have; `Pipeline` tells what they do. */
export type StepName =
  | 'intake'
  | 'process'
  | 'score'
  | 'judge'
  | 'digest'
  | 'units'
  | 'jobs'
  | 'upkeep'
  | 'verdicts'
  | 'incidents'
  | 'verify'

/** The context in which steps are built. */
export interface StepContext {
  readonly deps: PipelineDeps
  readonly limits: PipelineLimits
  readonly ingest: Ingest
  wake(...names: readonly StepName[]): void
}

/** The steps in the order in which they start. A stream and a nightly pass are there only where they are wanted. */
export function buildSteps(context: StepContext): ReadonlyMap<StepName, Step> {
  const score = scoreStep(context)
  const steps: readonly (readonly [StepName, Step | undefined])[] = [
    ['intake', intakeStep(context)],
    ['process', processStep(context)],
    ['score', score],
    ['judge', judgeStep(context)],
    ['digest', digestStep(context, () => score.isBusy)],
    ['units', unitsStep(context)],
    ['jobs', jobsStep(context)],
    ['upkeep', upkeepStep(context)],
    ['verdicts', new VerdictKeeper(context.deps)],
    ['incidents', new IncidentWatch(context.deps)],
    ['verify', verifyStep(context)],
  ]
  return new Map(steps.flatMap(([name, step]) => (step ? [[name, step] as const] : [])))
}

function intakeStep({ deps, limits, ingest }: StepContext): Step | undefined {
  const { stream, storage, logger } = deps
  if (!stream) return undefined
  const { spans, counters } = stream
  return new StreamIntake({ stream: spans, ingest, storage, counters, logger }, limits.intake)
}

function processStep({ deps, wake }: StepContext): Step {
  return new Loop({
    name: 'processing',
    step: () => deps.processSetups(() => wake('score', 'judge')),
    pauseMs: PROCESSING_LOOK_MS,
    logger: deps.logger,
  })
}

function scoreStep({ deps, limits }: StepContext): ScoringWorker {
  const { storage, scoring, clock, logger, counters } = deps
  return new ScoringWorker({
    storage: storage.work,
    pool: scoring,
    logger,
    batchesMax: limits.scoringThreads * BATCHES_PER_THREAD,
    contentWaitMs: limits.contentWaitMs,
    nowMs: () => clock.nowMs(),
    onRecorded: (count) => counters.countEvaluations(count),
  })
}

function judgeStep({ deps: { storage, judging, clock, logger, counters }, limits }: StepContext): Step {
  return new JudgingWorker({
    storage,
    pool: judging,
    logger,
    contentWaitMs: limits.contentWaitMs,
    nowMs: () => clock.nowMs(),
    onRecorded: (count) => counters.countEvaluations(count),
  })
}

function digestStep({ deps, limits, ingest, wake }: StepContext, isScoring: () => boolean): Step {
  const { storage, clock, logger } = deps
  return new Digest({
    storage: storage.digest,
    read: (batch) => ingest.digest(batch),
    isBusy: () => ingest.isBusy || isScoring(),
    clock,
    logger,
    quietMsMin: limits.traces.quietMsMin,
    onDigested: () => wake('units'),
  })
}

function unitsStep({ deps, limits }: StepContext): Step {
  const { storage, judging, scoring, clock, logger, counters } = deps
  return new UnitWorker({
    ...{ storage, judging, scoring, clock, logger },
    limits: limits.traces,
    onRecorded: (count) => counters.countEvaluations(count),
  })
}

function jobsStep({ deps: { storage, logger }, ingest, wake }: StepContext): Step {
  return new Jobs({
    storage: storage.jobs,
    match: (setup, batch) => ingest.match(setup, batch),
    logger,
    onWork: () => wake('process', 'score', 'judge'),
  })
}

function upkeepStep({ deps: { storage, clock, logger, counters }, limits, wake }: StepContext): Step {
  return new Upkeep({
    storage: storage.work,
    erasure: storage.erasure,
    rollups: storage.rollups,
    clock,
    logger,
    retentionHoursMax: limits.retentionHoursMax,
    onWork: () => wake('score', 'judge'),
    onMended: (findings) => counters.countMended(findings),
    onClockChecked: (isDoubted) => counters.showClock(isDoubted),
  })
}

function verifyStep({ deps: { storage, clock, logger, counters }, limits, ingest }: StepContext) {
  const { verifyHour, retentionHoursMax } = limits
  if (verifyHour === undefined) return undefined
  return new NightlyVerification({
    ...{ storage, retentionHoursMax, clock, logger },
    hour: verifyHour,
    read: (batch) => ingest.inspect(batch),
    onVerified: (report, endedAtMs) => counters.countVerified(report, endedAtMs),
  })
}
