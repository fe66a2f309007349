import type { Worker } from 'node:worker_threads'
import type { Setup } from '../../domain/setup.ts'
import type { EnvironmentTenant } from '../../domain/tenant.ts'
import { defined } from '../../lib/defined.ts'
import { PublicError } from '../../lib/public-error.ts'
import type { StartThread } from '../../lib/threads/start-thread.ts'
import { callThread } from '../../lib/threads/thread-call.ts'
import type { Clock } from '../../ports/clock.ts'
import type { BatchRef } from '../../ports/explain-storage.ts'
import type { Storage } from '../../ports/storage.ts'
import { type EntryEvaluatorDeps, readEntryEvaluators } from '../entry-evaluators.ts'
import type { DryRunPlan, DryRunResult } from './dry-run-count.ts'
import type { DryRunCall } from './dry-run-thread.ts'
import { estimateJudging, type JudgeEstimate, type ModelCosts } from './estimate-judging.ts'
import { tryTraceEntries } from './try-traces.ts'

/** Dry runs at the same time; each has a thread. */
const RUNS_MAX = 2
/** Batches that are found at a time. */
const BATCHES_AT_ONCE = 200
/** Bytes, before compression, of all batches that one dry run looks at. */
const BYTES_MAX = 268_435_456
/** After so long no further batch is looked at. */
const LOOKING_MS_MAX = 10_000
/** A thread that has not answered for so long is ended. */
const SILENT_MS_MAX = 180_000
/** Memory of the thread. */
const HEAP_MB_MAX = 512
const DAY_MS = 86_400_000

/** The setup to try, and the spans to try it on. */
export interface DryRunRequest {
  /** The setup as it would be stored. */
  readonly proposed: Setup
  /** The setup of the same external id as it is stored. */
  readonly current?: Setup
  /** By arrival. */
  readonly fromMs: number
  /** Not included. */
  readonly toMs: number
  readonly spansMax: number
}

/** The limit that ended the look at spans before all of the window was seen. */
export type StoppedBy = 'spans' | 'bytes' | 'time'

/** The expected effect of a setup. */
export interface DryRunReport extends Omit<DryRunResult, 'traceSamples'> {
  readonly batches: number
  /** Spans that arrived from then on were looked at; the beginning of the window where all were. */
  readonly lookedFromMs: number
  /** Absent when the whole window was looked at. */
  readonly stoppedBy?: StoppedBy
  /** Matching spans in a day, if every time is like the one that was looked at; absent when that is no time at all. */
  readonly matchedPerDay?: number
  /** By slug, for entries that would ask a provider. */
  readonly judging: ReadonlyMap<string, JudgeEstimate>
}

type Looked = Pick<DryRunReport, 'batches' | 'lookedFromMs' | 'stoppedBy'> & {
  /** The last batch that was looked at, in the order of their arrival. */
  readonly newestBatch: number
}

/** The dependencies of dry runs. */
export interface DryRunDeps extends EntryEvaluatorDeps {
  readonly storage: Storage
  readonly clock: Clock
  readonly startThread: StartThread
  readonly costs: ModelCosts
  /** How long one looks at spans before it tells what it has seen; 10 seconds unless told otherwise. */
  readonly lookingMsMax?: number
}

/** Tries setups on stored spans, newest first and within limits. Nothing is written. */
export class DryRuns {
  readonly #deps: DryRunDeps
  #running = 0

  constructor(deps: DryRunDeps) {
    this.#deps = deps
  }

  /** `overloaded` when too many are under way. Ends early when the signal says so. */
  async run(tenant: EnvironmentTenant, request: DryRunRequest, signal?: AbortSignal): Promise<DryRunReport> {
    if (this.#running >= RUNS_MAX) {
      throw new PublicError('overloaded', `at most ${RUNS_MAX} dry runs at the same time; try again`)
    }
    this.#running++
    try {
      return await this.#run(tenant, request, signal)
    } finally {
      this.#running--
    }
  }

  async #run(tenant: EnvironmentTenant, request: DryRunRequest, signal?: AbortSignal): Promise<DryRunReport> {
    const { proposed, current } = request
    const plan: DryRunPlan = {
      selector: proposed.selector,
      ...(current ? { currentSelector: current.selector } : {}),
      entries: proposed.entries,
      evaluators: await readEntryEvaluators(this.#deps, tenant, proposed.entries),
    }
    const thread = new DryRunThread(
      this.#deps.startThread(import.meta.url, 'dry-run-thread', plan, { heapMbMax: HEAP_MB_MAX }),
    )
    try {
      const { newestBatch, ...looked } = await this.#look(tenant, request, thread, signal)
      const counted = (await thread.call('finish')) as DryRunResult
      const entries = await tryTraceEntries(this.#deps.storage, tenant, plan, counted, newestBatch)
      const perDay = matchedPerDay(request, looked.lookedFromMs, counted.matched)
      const result = { ...counted, entries, ...defined({ matchedPerDay: perDay }) }
      return { ...result, ...looked, judging: await estimateJudging(this.#deps, tenant, result) }
    } finally {
      await thread.close()
    }
  }

  async #look(
    tenant: EnvironmentTenant,
    { proposed: { envProjectId }, fromMs, toMs, spansMax }: DryRunRequest,
    thread: DryRunThread,
    signal: AbortSignal | undefined,
  ): Promise<Looked> {
    const { storage, clock, lookingMsMax = LOOKING_MS_MAX } = this.#deps
    const untilMs = clock.nowMs() + lookingMsMax
    const total = { batches: 0, spans: 0, bytes: 0 }
    let after: BatchRef | undefined
    let newestBatch = 0
    for (;;) {
      const range = { envProjectId, fromMs, toMs, limit: BATCHES_AT_ONCE, ...(after ? { after } : {}) }
      const refs = await storage.listBatches(tenant, range)
      for (const ref of refs) {
        const stoppedBy = total.batches > 0 && limitReached(total, ref, spansMax, clock.nowMs() > untilMs)
        if (stoppedBy) {
          return { batches: total.batches, newestBatch, lookedFromMs: after?.receivedAtMs ?? toMs, stoppedBy }
        }
        if (signal?.aborted) throw new PublicError('unavailable', 'the client has gone away')
        await this.#count(tenant, ref, thread)
        total.batches++
        newestBatch = Math.max(newestBatch, ref.batchId)
        total.spans += ref.spanCount
        total.bytes += ref.byteLength
        after = ref
      }
      if (refs.length < BATCHES_AT_ONCE) return { batches: total.batches, newestBatch, lookedFromMs: fromMs }
    }
  }

  async #count(tenant: EnvironmentTenant, ref: BatchRef, thread: DryRunThread): Promise<void> {
    const [batch] = await this.#deps.storage.readBatches(tenant, [ref.batchId])
    // Gone since it was listed.
    if (!batch) return
    const { bytes, byteLength, knownFaults } = batch
    await thread.call({ bytes, byteLength, knownFaults, repeated: ref.repeated })
  }
}

function limitReached(
  total: { readonly spans: number; readonly bytes: number },
  next: BatchRef,
  spansMax: number,
  isLate: boolean,
): StoppedBy | undefined {
  if (isLate) return 'time'
  if (total.spans + next.spanCount > spansMax) return 'spans'
  return total.bytes + next.byteLength > BYTES_MAX ? 'bytes' : undefined
}

function matchedPerDay({ toMs }: DryRunRequest, lookedFromMs: number, matched: number): number | undefined {
  const ms = toMs - lookedFromMs
  return ms > 0 ? (matched * DAY_MS) / ms : undefined
}

/** The outside of the thread: one call at a time. */
class DryRunThread {
  readonly #worker: Worker
  /** Why it ended before it was asked. */
  #fault: unknown

  constructor(worker: Worker) {
    this.#worker = worker
    worker.on('error', (error) => {
      this.#fault = error
    })
  }

  async call(call: DryRunCall): Promise<unknown> {
    const end = await callThread({ worker: this.#worker, isLoaded: true }, call, SILENT_MS_MAX)
    if ('answer' in end) return end.answer
    if ('lateMs' in end)
      throw new PublicError('deadline', `the dry run was silent for more than ${end.lateMs} ms`)
    throw this.#fault ?? new Error('the thread of a dry run has ended')
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }
}
