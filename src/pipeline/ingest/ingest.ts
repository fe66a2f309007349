import type { EnvironmentTenant } from '../../domain/tenant.ts'
import type { BatchDigest } from '../../domain/trace-digest.ts'
import { FairRoom } from '../../lib/fair-room.ts'
import type { OtlpEncoding } from '../../lib/otlp/scan-request.ts'
import { PublicError } from '../../lib/public-error.ts'
import { releaseBytes } from '../../lib/release-bytes.ts'
import type { StartThread } from '../../lib/threads/start-thread.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ContentBatch, ContentStorage } from '../../ports/content-storage.ts'
import type { Logger } from '../../ports/logger.ts'
import type {
  Admission,
  CatalogueSetup,
  PackedBatch,
  SpanStorage,
  StoredBatch,
} from '../../ports/span-storage.ts'
import type { QueuedRequest, SpanStream } from '../../ports/span-stream.ts'
import type { UndigestedBatch } from '../../ports/trace-storage.ts'
import type { BatchFacts } from '../verify/check-batch.ts'
import type { PackedRequest, SetupMatch } from './batch-packer.ts'
import type { CatalogueLimits } from './catalogue-follower.ts'
import { type IngestLane, IngestLanes } from './ingest-lanes.ts'
import type { IngestThreadClient, ThreadLimits } from './ingest-thread-client.ts'
import { ownedBytes } from './owned-bytes.ts'
import type { CheckedLogs } from './pack-logs.ts'

/** The counters of receiving spans. */
export interface IngestCounters {
  countSpans(accepted: number, rejected: number): void
  /** A batch that was stored. */
  countBatch(): void
  /** Log records of one request: kept as content of spans, of no use, and not keepable. */
  countLogs(kept: number, dropped: number, rejected: number): void
  /** A batch that had to be matched again because setups changed meanwhile. */
  countStale(): void
}

/** The dependencies of receiving spans. */
export interface IngestDeps {
  readonly storage: Pick<SpanStorage, 'readCatalogue' | 'admitSpans'> & Pick<ContentStorage, 'addContents'>
  readonly clock: Clock
  readonly logger: Logger
  readonly startThread: StartThread
  readonly counters: IngestCounters
  /** Where there is a stream: takes what was read and checked, to be matched and stored by others. */
  readonly publish?: SpanStream['publish']
  /** Told about every batch that was stored; must not throw. */
  readonly onAdmitted?: (admission: Stored) => void
}

/**
 * How much of one project may be received and not yet be stored, of all projects together twice as much; and how many setups
 * may wait for spans in memory.
 */
export interface IngestLimits extends CatalogueLimits, ThreadLimits {
  readonly requestsMax: number
  /** Of all requests together, after decompression. One request is taken whatever its size. */
  readonly bytesMax: number
}

/** The outcome of a request. */
export interface IngestAnswer {
  readonly acceptedSpans: number
  readonly rejectedSpans: number
  /** Why spans were rejected; absent when none were. */
  readonly errorMessage?: string
}

/** How a request with logs was received. */
export type LogsAnswer = Omit<CheckedLogs, 'packed'>

/** Keys of background work in the thread's fair queue. */
const DIGEST = 'digest'
const JOBS = 'jobs'
const VERIFICATION = 'verification'

/** Something that a thread does, once it has the setups. */
type ThreadCall<Answer> = (client: IngestThreadClient, onUsed: (usedMs: number) => void) => Promise<Answer>

/** A batch that was stored. */
export type Stored = Exclude<Admission, 'stale'>

/**
 * Takes spans in: a thread reads, matches and packs them, the store keeps them and what was decided. The answer comes after
 * the commit.
 *
 * Spans are matched with the setups that the thread has, and the store refuses the batch if they have changed. Then they
 * are read anew and the batch is matched again. A setup that changes after that reading has changed after the spans
 * arrived, so that the batch can be stored as it is: no span is missed by a setup that was there when it came, or matched
 * by one that was gone, and however fast setups change, spans are matched at most twice.
 */
export class Ingest {
  readonly #deps: IngestDeps
  readonly #underWay = new Set<Promise<unknown>>()
  readonly #room: FairRoom<string>
  readonly #byteRoom: FairRoom<string>
  readonly #lanes: IngestLanes
  #isClosed = false

  constructor(deps: IngestDeps, limits: IngestLimits) {
    this.#deps = deps
    this.#room = new FairRoom(limits.requestsMax)
    this.#byteRoom = new FairRoom(limits.bytesMax)
    const { startThread, logger, storage } = deps
    const readCatalogue: SpanStorage['readCatalogue'] = (tenant, since) =>
      this.#fromStore(storage.readCatalogue(tenant, since))
    this.#lanes = new IngestLanes({ startThread, logger, readCatalogue, limits })
  }

  /** Whether requests are under way. */
  get isBusy(): boolean {
    return this.#underWay.size > 0
  }

  /** Resolves when the spans of the request are on disk, or in the stream where there is one. The bytes of the body must not be used by the caller any more. */
  async receive(tenant: EnvironmentTenant, body: Uint8Array, encoding: OtlpEncoding): Promise<IngestAnswer> {
    if (this.#isClosed) throw new PublicError('unavailable', 'the service is shutting down; try again')
    this.#requireRoom(tenant.projectId, body.length)
    const { publish } = this.#deps
    const { orgId, projectId, envProjectId } = tenant
    const owner = { orgId, projectId, envProjectId }
    return this.#count(projectId, body.length, () =>
      publish ? this.#queue(owner, body, encoding, publish) : this.#take(owner, body, encoding),
    )
  }

  /**
   * Resolves when those log records of the request that are content of spans are on disk, or in the stream where there is one.
   * The caller must not use the bytes of the body any more.
   */
  async receiveLogs(
    tenant: EnvironmentTenant,
    body: Uint8Array,
    encoding: OtlpEncoding,
  ): Promise<LogsAnswer> {
    if (this.#isClosed) throw new PublicError('unavailable', 'the service is shutting down; try again')
    this.#requireRoom(tenant.projectId, body.length)
    const { orgId, projectId, envProjectId } = tenant
    const owner = { orgId, projectId, envProjectId }
    const answer = await this.#count(projectId, body.length, () => this.#takeLogs(owner, body, encoding))
    this.#deps.counters.countLogs(answer.acceptedRecords, answer.droppedRecords, answer.rejectedRecords)
    return answer
  }

  /** Stores log records that another process has received and checked; tells how many were new. */
  async admitContents({
    tenant,
    receivedAtMs,
    bytes,
    byteLength,
    knownFaults,
  }: QueuedRequest): Promise<number> {
    if (this.#isClosed) throw new PublicError('unavailable', 'the service is shutting down')
    return this.#count(tenant.projectId, byteLength, async () => {
      const { client } = this.#lanes.laneFor(tenant.projectId, byteLength)
      const packed = { bytes, byteLength, knownFaults }
      const contents = await client.call(tenant.projectId, 'unpackLogs', [packed])
      return this.#storeContents(tenant, { receivedAtMs, isQueued: true, contents })
    })
  }

  /**
   * Stores what another process has received and checked. This moment counts as its arrival: every setup that existed when
   * the sender heard that the spans are queued exists now. The bytes stay the caller's.
   */
  async admit({ tenant, receivedAtMs, bytes, byteLength, knownFaults }: QueuedRequest): Promise<Stored> {
    if (this.#isClosed) throw new PublicError('unavailable', 'the service is shutting down')
    const packed = { bytes, byteLength, knownFaults }
    return this.#count(tenant.projectId, byteLength, async () => {
      const arrivedAt = performance.now()
      const decided = await this.#inThread(tenant, byteLength, (client, onUsed) =>
        client.call(tenant.projectId, 'decide', [tenant, packed], [], onUsed),
      )
      return this.#store(tenant, { ...packed, ...decided, receivedAtMs, isQueued: true }, arrivedAt)
    })
  }

  /** Sums up a stored batch in the thread, which can read spans already. Its bytes must not be used any more. */
  digest({ batchId, bytes, byteLength, knownFaults, repeated }: UndigestedBatch): Promise<BatchDigest> {
    if (this.#isClosed) return Promise.reject(new PublicError('unavailable', 'the service is shutting down'))
    const owned = ownedBytes(bytes)
    const packed = { bytes: owned, byteLength, knownFaults }
    const { client } = this.#lanes.laneFor(DIGEST, byteLength)
    return client.call(DIGEST, 'digest', [batchId, packed, repeated], [owned.buffer])
  }

  /** Reads a stored batch in the thread, to be compared with what was derived from it. */
  inspect({ batchId, bytes, byteLength, knownFaults, repeated }: UndigestedBatch): Promise<BatchFacts> {
    if (this.#isClosed) return Promise.reject(new PublicError('unavailable', 'the service is shutting down'))
    const { client } = this.#lanes.laneFor(VERIFICATION, byteLength)
    return client.call(VERIFICATION, 'inspect', [batchId, { bytes, byteLength, knownFaults }, repeated])
  }

  /** Which spans of a stored batch a setup matches, found out in the thread. The bytes of the batch must not be used any more. */
  match(setup: CatalogueSetup, { bytes, byteLength, knownFaults }: StoredBatch): Promise<SetupMatch> {
    if (this.#isClosed) return Promise.reject(new PublicError('unavailable', 'the service is shutting down'))
    const owned = ownedBytes(bytes)
    const packed = { bytes: owned, byteLength, knownFaults }
    const { client } = this.#lanes.laneFor(JOBS, byteLength)
    return client.call(JOBS, 'matchSetup', [setup, packed], [owned.buffer])
  }

  /** Takes nothing more, waits for what is under way, then ends the thread. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.allSettled(this.#underWay)
    await this.#lanes.close()
  }

  #requireRoom(projectId: string, bytes: number): void {
    if (!this.#room.has(projectId, 1) || !this.#byteRoom.has(projectId, bytes))
      throw new PublicError('overloaded', 'too many spans are waiting to be stored; try again')
  }

  /** Keeps count of what is under way until it is done. */
  #count<Answer>(projectId: string, bytes: number, act: () => Promise<Answer>): Promise<Answer> {
    this.#room.take(projectId, 1)
    this.#byteRoom.take(projectId, bytes)
    const work = act().finally(() => {
      this.#room.leave(projectId, 1)
      this.#byteRoom.leave(projectId, bytes)
      this.#underWay.delete(work)
    })
    this.#underWay.add(work)
    return work
  }

  async #take(tenant: EnvironmentTenant, body: Uint8Array, encoding: OtlpEncoding): Promise<IngestAnswer> {
    const arrivedAt = performance.now()
    const bytes = ownedBytes(body)
    const packed = await this.#inThread(tenant, body.length, (client, onUsed) =>
      client.call(tenant.projectId, 'pack', [tenant, bytes, encoding], [bytes.buffer], onUsed),
    )
    const answer = this.#answer(packed)
    if (packed.batch) {
      const batch = { ...packed.batch, receivedAtMs: this.#deps.clock.nowMs() }
      await this.#store(tenant, batch, arrivedAt)
      releaseBytes(batch.bytes)
    }
    return answer
  }

  /** Needs neither the store nor the setups: spans are taken in while the store is away. */
  async #queue(
    tenant: EnvironmentTenant,
    body: Uint8Array,
    encoding: OtlpEncoding,
    publish: SpanStream['publish'],
  ): Promise<IngestAnswer> {
    const bytes = ownedBytes(body)
    const { client } = this.#lanes.laneFor(tenant.projectId, body.length)
    const checked = await client.call(tenant.projectId, 'check', [bytes, encoding], [bytes.buffer])
    const answer = this.#answer(checked)
    if (checked.packed) {
      await publish({ tenant, receivedAtMs: this.#deps.clock.nowMs(), ...checked.packed })
    }
    return answer
  }

  async #takeLogs(tenant: EnvironmentTenant, body: Uint8Array, encoding: OtlpEncoding): Promise<LogsAnswer> {
    const { publish, clock } = this.#deps
    const bytes = ownedBytes(body)
    const { client } = this.#lanes.laneFor(tenant.projectId, body.length)
    if (publish) {
      const { packed, ...answer } = await client.call(
        tenant.projectId,
        'checkLogs',
        [bytes, encoding],
        [bytes.buffer],
      )
      if (packed) await publish({ tenant, receivedAtMs: clock.nowMs(), isContent: true, ...packed })
      return answer
    }
    const { contents, ...answer } = await client.call(
      tenant.projectId,
      'readLogs',
      [bytes, encoding],
      [bytes.buffer],
    )
    if (contents.length > 0) await this.#storeContents(tenant, { receivedAtMs: clock.nowMs(), contents })
    return answer
  }

  #storeContents(tenant: EnvironmentTenant, batch: ContentBatch): Promise<number> {
    return this.#fromStore(this.#deps.storage.addContents(tenant, batch))
  }

  #answer({ acceptedSpans, partialSuccess }: Omit<PackedRequest, 'batch'>): IngestAnswer {
    const rejectedSpans = partialSuccess?.rejectedSpans ?? 0
    this.#deps.counters.countSpans(acceptedSpans, rejectedSpans)
    return {
      acceptedSpans,
      rejectedSpans,
      ...(partialSuccess ? { errorMessage: partialSuccess.errorMessage } : {}),
    }
  }

  async #store(tenant: EnvironmentTenant, batch: PackedBatch, arrivedAt: number): Promise<Stored> {
    const { storage, counters, onAdmitted } = this.#deps
    let admission = await this.#fromStore(storage.admitSpans(tenant, batch))
    if (admission === 'stale') {
      counters.countStale()
      const decided = await this.#decideAfter(arrivedAt, tenant, batch)
      admission = await this.#fromStore(storage.admitSpans(tenant, { ...batch, ...decided }))
    }
    if (admission === 'stale') throw new Error('the store refused a batch that was decided after its arrival')
    counters.countBatch()
    onAdmitted?.(admission)
    return admission
  }

  async #decideAfter(arrivedAt: number, tenant: EnvironmentTenant, batch: PackedBatch) {
    const { bytes, byteLength, knownFaults } = batch
    const lane = this.#lanes.laneFor(tenant.projectId, byteLength)
    await lane.catalogues.refresh(tenant, arrivedAt)
    const decision = await this.#inLane(lane, tenant, byteLength, (client, onUsed) =>
      client.call(tenant.projectId, 'match', [tenant, { bytes, byteLength, knownFaults }], [], onUsed),
    )
    return { ...decision, isDecidedAfterArrival: true }
  }

  #inThread<Answer>(
    tenant: EnvironmentTenant,
    byteLength: number,
    call: ThreadCall<Answer>,
  ): Promise<Answer> {
    return this.#inLane(this.#lanes.laneFor(tenant.projectId, byteLength), tenant, byteLength, call)
  }

  #inLane<Answer>(
    { client, catalogues }: IngestLane,
    tenant: EnvironmentTenant,
    byteLength: number,
    call: ThreadCall<Answer>,
  ): Promise<Answer> {
    const onUsed = (usedMs: number) => this.#lanes.learn(tenant.projectId, byteLength, usedMs)
    return catalogues.call(tenant, () => call(client, onUsed))
  }

  /** An outage of the store is no fault of the sender, who should try again. */
  async #fromStore<Answer>(answer: Promise<Answer>): Promise<Answer> {
    try {
      return await answer
    } catch (error) {
      this.#deps.logger.error({ err: error }, 'spans could not be stored')
      const unavailable = new PublicError('unavailable', 'spans cannot be stored at the moment; try again')
      unavailable.cause = error
      throw unavailable
    }
  }
}
