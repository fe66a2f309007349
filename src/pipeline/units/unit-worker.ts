import { createHash } from 'node:crypto'
import { serviceApplication } from '../../domain/application.ts'
import type { UnitOutcome } from '../../domain/evaluation.ts'
import { parseModelName } from '../../domain/judgement.ts'
import { asksProvider, type MonitorVersion } from '../../domain/monitor.ts'
import { quietMs } from '../../domain/quiet-time.ts'
import { samplingNumber } from '../../domain/sampling.ts'
import { listUnits } from '../../domain/unit-set.ts'
import { defined } from '../../lib/defined.ts'
import { oneLine } from '../../lib/one-line.ts'
import { ThreadLost } from '../../lib/threads/thread-call.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Logger } from '../../ports/logger.ts'
import type { Storage } from '../../ports/storage.ts'
import type { StoredTrace } from '../../ports/trace-storage.ts'
import type { ClaimedUnit, UnitContent } from '../../ports/unit-storage.ts'
import type { UnitPart } from '../judging/judging-message.ts'
import type { JudgingPool, WholeEnding } from '../judging/judging-pool.ts'
import type { TraceLimits } from '../pipeline.ts'
import type { ScoringPool } from '../scoring/scoring-pool.ts'
import { TaskLoop } from '../task-loop.ts'

/** Longer than one evaluation may take with all it needs. */
const LEASE_MS = 300_000
/** How often it looks for units whose time has come. */
const LOOK_MS = 500
/** Units that are evaluated at the same time. */
const UNITS_MAX = 4
/** How often a trace that is not complete is looked at again. */
const NOT_READY_MS = 5_000
const RETRY_MS_MIN = 1_000
const RETRY_MS_MAX = 60_000
/** A provider that is away and does not say for how long is asked again after this. */
const AWAY_MS = 15_000
/** A unit that ends its thread, or whose judge takes too long, so often is given up. */
const ATTEMPTS_MAX = 3
/** Traces of a session and pieces of a trace that are read; the newest of more. */
const TRACES_MAX = 200
const PLACES_MAX = 2_000
/** Bytes of all batches of a unit together, before compression. Of a larger unit the beginning and the end are read. */
const UNIT_BYTES_MAX = 134_217_728
const MESSAGE_CHARS_MAX = 500
/** A unit whose spans are gone waits for retention to take it away. */
const GONE_MS = 3_600_000

/** The dependencies of evaluating units. */
export interface UnitWorkerDeps {
  readonly storage: Storage
  /** For units that wait for a provider. */
  readonly judging: Pick<JudgingPool, 'scoreWhole'>
  /** For all others: one that keeps a thread busy does not hold up those that wait for a provider. */
  readonly scoring: Pick<ScoringPool, 'scoreWhole'>
  readonly clock: Clock
  readonly logger: Logger
  readonly limits: TraceLimits
  readonly onRecorded?: (count: number) => void
}

/**
 * Evaluates traces and sessions as a whole, when they are ready: quiet for as long as their service pauses, with their root
 * and without a missing parent, or marked as complete, or waited for long enough. A span that comes later opens its unit
 * again, and the new evaluation supersedes the old one.
 */
export class UnitWorker {
  readonly #deps: UnitWorkerDeps
  readonly #loop: TaskLoop<ClaimedUnit>
  readonly #stopping = new AbortController()

  constructor(deps: UnitWorkerDeps) {
    this.#deps = deps
    this.#loop = new TaskLoop({
      name: 'units',
      pauseMs: LOOK_MS,
      tasksMax: UNITS_MAX,
      logger: deps.logger,
      projectOf: ({ project }) => project,
      claim: (free, turns) => deps.storage.units.claimUnits(free, LEASE_MS, turns),
      run: (unit) => this.#process(unit),
    })
  }

  start(): void {
    this.#loop.start()
  }

  wake(): void {
    this.#loop.wake()
  }

  /** Takes nothing new, stops asking, and gives back what is not finished. */
  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#loop.close()
  }

  async #process(unit: ClaimedUnit): Promise<void> {
    const { storage, logger } = this.#deps
    try {
      await this.#evaluate(unit)
    } catch (error) {
      const isStopping = this.#stopping.signal.aborted
      if (!isStopping)
        logger.error({ err: error, scope: unit.scope, unit: unit.key }, 'a unit could not be evaluated')
      // When even this fails the lease runs out and the unit is taken again.
      // Only a unit that has ended its thread may be to blame; a store that fails says nothing about it.
      const isAttempt = !isStopping && error instanceof ThreadLost
      await storage.units.postponeUnit(unit, isStopping ? 0 : backoffMs(unit), isAttempt).catch(() => {})
    }
  }

  async #evaluate(unit: ClaimedUnit): Promise<void> {
    const { storage, limits, clock } = this.#deps
    const content = await storage.units.readUnit(unit, TRACES_MAX, PLACES_MAX)
    const newest = content.traces.at(-1)
    if (!newest) return storage.units.postponeUnit(unit, GONE_MS, false)
    const sinceMs = clock.nowMs() - unit.changedAtMs
    const waitMs = newest.isComplete ? 0 : quietMs(content.longestPauseMs, limits.quietMsMin)
    if (sinceMs < waitMs) return storage.units.postponeUnit(unit, waitMs - sinceMs, false)
    const [version] = await storage.work.readMonitorVersions([unit.monitorVersion])
    if (!version) throw new Error(`monitor version ${unit.monitorVersion} does not exist`)
    const mustBeComplete = !newest.isComplete && sinceMs < limits.waitMsMax
    const ending = isSampledOut(version, unit, newest)
      ? { sampledOut: true as const }
      : await this.#score(unit, version, content, mustBeComplete)
    await this.#settle(unit, ending, idsOf(unit, content), limits.waitMsMax - sinceMs)
  }

  async #score(
    unit: ClaimedUnit,
    version: MonitorVersion,
    content: UnitContent,
    mustBeComplete: boolean,
  ): Promise<WholeEnding> {
    const { storage, judging, scoring } = this.#deps
    const { owner, project } = unit
    const custom = await storage.findCustomEvaluator(
      owner,
      version.evaluatorId,
      String(version.evaluatorVersion),
    )
    const whole = {
      version,
      evaluator: custom ? { custom } : { slug: version.slug },
      parts: await this.#partsOf(content),
      contents: await storage.work.readWorkContents(
        project,
        content.traces.map(({ traceId }) => ({ traceId })),
      ),
      spanCount: content.traces.reduce((sum, trace) => sum + trace.spanCount, 0),
      ids: idsOf(unit, content),
      // A session goes on by itself; only the traces in it are complete or not.
      mustBeComplete,
    }
    try {
      if (!asksProvider(version)) return await scoring.scoreWhole(project, whole)
      const model = parseModelName(version.judge ?? '')
      return await judging.scoreWhole(whole, { payer: owner, model }, this.#stopping.signal)
    } catch (error) {
      if (!(error instanceof ThreadLost) || unit.attempt < ATTEMPTS_MAX) throw error
      const errorMessage = `the evaluation ended its thread: ${error.message}`
      return { outcome: { ...whole.ids, ordinal: 0, status: 'error', errorMessage, durationUs: 0 } }
    }
  }

  /** The batches of the unit; of too many bytes the first and the last. */
  async #partsOf({ places }: UnitContent): Promise<UnitPart[]> {
    const byBatch = new Map<number, number[]>()
    for (const { batchId, units } of places) {
      byBatch.set(batchId, [...(byBatch.get(batchId) ?? []), ...listUnits(units)])
    }
    const ids = [...byBatch.keys()].toSorted((left, right) => left - right)
    const parts: UnitPart[] = []
    let bytes = 0
    for (const id of fromBothEnds(ids)) {
      const [batch] = await this.#deps.storage.work.readWorkBatches([id])
      if (!batch) continue
      bytes += batch.byteLength
      if (bytes > UNIT_BYTES_MAX && parts.length > 0) break
      parts.push({ batch, ordinals: (byBatch.get(id) ?? []).toSorted((left, right) => left - right) })
    }
    return parts.toSorted((left, right) => left.batch.batchId - right.batch.batchId)
  }

  async #settle(
    unit: ClaimedUnit,
    ending: WholeEnding,
    ids: Omit<UnitOutcome, 'ordinal' | 'status' | 'durationUs'>,
    waitLeftMs: number,
  ): Promise<void> {
    const { units } = this.#deps.storage
    if ('outcome' in ending) await this.#record(unit, ending.outcome)
    else if ('notReady' in ending) {
      await units.postponeUnit(unit, Math.max(0, Math.min(NOT_READY_MS, waitLeftMs)), false)
    } else if ('sampledOut' in ending) await units.skipUnit(unit, ids.unitAtMs)
    else if ('lost' in ending) {
      await this.#record(unit, {
        ...ids,
        ordinal: 0,
        status: 'error',
        errorMessage: ending.lost,
        durationUs: 0,
      })
    } else if (ending.putOff.reason === 'deadline' && unit.attempt >= ATTEMPTS_MAX) {
      const message = `given up after ${unit.attempt} attempts: ${ending.putOff.message}`
      const errorMessage = oneLine(message, MESSAGE_CHARS_MAX)
      await this.#record(unit, { ...ids, ordinal: 0, status: 'error', errorMessage, durationUs: 0 })
    } else {
      // A provider that is away, however often, is no fault of the unit.
      const { reason, retryAfterMs } = ending.putOff
      const isAttempt = reason === 'deadline'
      await units.postponeUnit(unit, retryAfterMs ?? (isAttempt ? backoffMs(unit) : AWAY_MS), isAttempt)
    }
  }

  async #record(unit: ClaimedUnit, outcome: UnitOutcome): Promise<void> {
    if (await this.#deps.storage.units.recordUnit(unit, outcome)) this.#deps.onRecorded?.(1)
  }
}

/** A session has no id of its own kind: its place among evaluations is a hash of its name, as long as no span's id is. */
function idsOf({ scope, key }: ClaimedUnit, { traces }: UnitContent) {
  const newest = traces.at(-1) as StoredTrace
  const sessionId = scope === 'session' ? key : newest.sessionId
  return {
    traceId: newest.traceId,
    spanId: scope === 'session' ? createHash('sha256').update(key).digest('hex').slice(0, 32) : '',
    ...defined({ sessionId, application: serviceApplication(newest.service) }),
    unitAtMs: Math.min(...traces.map(({ firstMs }) => firstMs)),
  }
}

/** By the trace, or by what stands for the session, so that a unit is always in or always out. */
function isSampledOut(
  { samplingRate }: MonitorVersion,
  { scope, key }: ClaimedUnit,
  { traceId }: StoredTrace,
): boolean {
  if (samplingRate >= 1) return false
  const bytes =
    scope === 'trace'
      ? Buffer.from(traceId, 'hex')
      : createHash('sha256').update(key).digest().subarray(0, 16)
  return samplingNumber(bytes) >= samplingRate
}

function backoffMs({ attempt }: ClaimedUnit): number {
  return Math.min(RETRY_MS_MIN * 2 ** (attempt - 1), RETRY_MS_MAX)
}

/** The first, the last, the second, the one before the last and so on: what is left out lies in the middle. */
function* fromBothEnds<T>(list: readonly T[]): Generator<T> {
  for (let low = 0, high = list.length - 1; low <= high; low++, high--) {
    yield list[low] as T
    if (high > low) yield list[high] as T
  }
}
