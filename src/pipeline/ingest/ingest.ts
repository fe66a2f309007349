import { PublicError } from '../../domain/errors.ts'
import type { OtlpEncoding } from '../../domain/otlp/scan-request.ts'
import { releaseBytes } from '../../domain/release-bytes.ts'
import type { EnvironmentScope } from '../../domain/tenant.ts'
import type { BatchDigest } from '../../domain/trace-digest.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Logger } from '../../ports/logger.ts'
import type {
  Admission,
  CatalogueSetup,
  PackedBatch,
  SpanStorage,
  StoredBatch,
} from '../../ports/span-storage.ts'
import type { QueuedRequest, SpanStream } from '../../ports/span-stream.ts'
import type { StartThread } from '../../ports/threads.ts'
import type { UndigestedBatch } from '../../ports/trace-storage.ts'
import type { PackedRequest, SetupMatch } from './batch-packer.ts'
import { CatalogueFollower, type CatalogueLimits } from './catalogue-follower.ts'
import { IngestThreadClient, type ThreadLimits } from './ingest-thread-client.ts'
import { ownedBytes } from './owned-bytes.ts'

/** What the receiving of spans counts. */
export interface IngestCounters {
  countSpans(accepted: number, rejected: number): void
  /** A batch that was stored. */
  countBatch(): void
  /** A batch that had to be matched again because setups changed meanwhile. */
  countStale(): void
}

/** What the receiving of spans needs. */
export interface IngestDeps {
  readonly storage: Pick<SpanStorage, 'readCatalogue' | 'admitSpans'>
  readonly clock: Clock
  readonly logger: Logger
  readonly startThread: StartThread
  readonly counters: IngestCounters
  /** Where there is a stream: takes what was read and checked, to be matched and stored by others. */
  readonly publish?: SpanStream['publish']
  /** Told about every batch that was stored; must not throw. */
  readonly onAdmitted?: (admission: Stored) => void
}

/** How much may be received and not yet be stored, and how many setups may wait for spans in memory. */
export interface IngestLimits extends CatalogueLimits, ThreadLimits {
  readonly requestsMax: number
  /** Of all requests together, after decompression. One request is taken whatever its size. */
  readonly bytesMax: number
}

/** What became of a request. */
export interface IngestAnswer {
  readonly acceptedSpans: number
  readonly rejectedSpans: number
  /** Why spans were rejected; absent when none were. */
  readonly errorMessage?: string
}

/** A batch that was stored. */
export type Stored = Exclude<Admission, 'stale'>

/**
 * Takes spans in: a thread reads, matches and packs them, the store keeps them and what was decided. The answer comes after
 * the commit.
 *
 * Spans are matched with the setups that the thread has, and the store refuses the batch if they have changed. Then they
 * are read anew and the batch is matched again. What changes after that reading has changed after the spans arrived, so
 * that the batch can be stored as it is: no span is missed by a setup that was there when it came, or matched by one that
 * was gone, and however fast setups change, spans are matched at most twice.
 */
export class Ingest {
  readonly #deps: IngestDeps
  readonly #limits: IngestLimits
  readonly #underWay = new Set<Promise<unknown>>()
  #bytes = 0
  #thread: { readonly client: IngestThreadClient; readonly catalogues: CatalogueFollower } | undefined
  #isClosed = false

  constructor(deps: IngestDeps, limits: IngestLimits) {
    this.#deps = deps
    this.#limits = limits
  }

  /** Whether requests are under way. */
  get isBusy(): boolean {
    return this.#underWay.size > 0
  }

  /** Resolves when the spans of the request are on disk, or in the stream where there is one. The bytes of the body must not be used by the caller any more. */
  async receive(scope: EnvironmentScope, body: Uint8Array, encoding: OtlpEncoding): Promise<IngestAnswer> {
    if (this.#isClosed) throw new PublicError('unavailable', 'the service is shutting down; try again')
    this.#requireRoom(body.length)
    const { publish } = this.#deps
    const { orgId, projectId, envProjectId } = scope
    const owner = { orgId, projectId, envProjectId }
    return this.#count(body.length, () =>
      publish ? this.#queue(owner, body, encoding, publish) : this.#take(owner, body, encoding),
    )
  }

  /**
   * Stores what another process has received and checked. What counts as its arrival is this moment: whatever setups there
   * were when the sender heard that his spans are queued, there are now. The bytes stay the caller's.
   */
  async admit({ scope, receivedAtMs, bytes, byteLength, knownFaults }: QueuedRequest): Promise<Stored> {
    if (this.#isClosed) throw new PublicError('unavailable', 'the service is shutting down')
    const packed = { bytes, byteLength, knownFaults }
    return this.#count(byteLength, async () => {
      const arrivedAt = performance.now()
      const decided = await this.#inThread(scope, (client) => client.call('decide', [scope, packed]))
      return this.#store(scope, { ...packed, ...decided, receivedAtMs, isQueued: true }, arrivedAt)
    })
  }

  /** Sums up a stored batch in the thread, which can read spans already. Its bytes must not be used any more. */
  digest({ batchId, bytes, byteLength, knownFaults, repeated }: UndigestedBatch): Promise<BatchDigest> {
    if (this.#isClosed) return Promise.reject(new PublicError('unavailable', 'the service is shutting down'))
    const owned = ownedBytes(bytes)
    const packed = { bytes: owned, byteLength, knownFaults }
    return this.#currentThread().client.call('digest', [batchId, packed, repeated], [owned.buffer])
  }

  /** Which spans of a stored batch a setup matches, found out in the thread. The bytes of the batch must not be used any more. */
  match(setup: CatalogueSetup, { bytes, byteLength, knownFaults }: StoredBatch): Promise<SetupMatch> {
    if (this.#isClosed) return Promise.reject(new PublicError('unavailable', 'the service is shutting down'))
    const owned = ownedBytes(bytes)
    const packed = { bytes: owned, byteLength, knownFaults }
    return this.#currentThread().client.call('matchSetup', [setup, packed], [owned.buffer])
  }

  /** Takes nothing more, waits for what is under way, then ends the thread. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.allSettled(this.#underWay)
    await this.#thread?.client.close()
  }

  #requireRoom(bytes: number): void {
    const { requestsMax, bytesMax } = this.#limits
    const isFull = this.#underWay.size >= requestsMax || this.#bytes + bytes > bytesMax
    if (isFull && this.#underWay.size > 0)
      throw new PublicError('overloaded', 'too many spans are waiting to be stored; try again')
  }

  /** Keeps count of what is under way until it is done. */
  #count<Answer>(bytes: number, act: () => Promise<Answer>): Promise<Answer> {
    this.#bytes += bytes
    const work = act().finally(() => {
      this.#bytes -= bytes
      this.#underWay.delete(work)
    })
    this.#underWay.add(work)
    return work
  }

  async #take(scope: EnvironmentScope, body: Uint8Array, encoding: OtlpEncoding): Promise<IngestAnswer> {
    const arrivedAt = performance.now()
    const bytes = ownedBytes(body)
    const packed = await this.#inThread(scope, (client) =>
      client.call('pack', [scope, bytes, encoding], [bytes.buffer]),
    )
    const answer = this.#answer(packed)
    if (packed.batch) {
      const batch = { ...packed.batch, receivedAtMs: this.#deps.clock.nowMs() }
      await this.#store(scope, batch, arrivedAt)
      releaseBytes(batch.bytes)
    }
    return answer
  }

  /** Needs neither the store nor the setups: spans are taken in while the store is away. */
  async #queue(
    scope: EnvironmentScope,
    body: Uint8Array,
    encoding: OtlpEncoding,
    publish: SpanStream['publish'],
  ): Promise<IngestAnswer> {
    const bytes = ownedBytes(body)
    const { client } = this.#currentThread()
    const checked = await client.call('check', [bytes, encoding], [bytes.buffer])
    const answer = this.#answer(checked)
    if (checked.packed) {
      await publish({ scope, receivedAtMs: this.#deps.clock.nowMs(), ...checked.packed })
    }
    return answer
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

  async #store(scope: EnvironmentScope, batch: PackedBatch, arrivedAt: number): Promise<Stored> {
    const { storage, counters, onAdmitted } = this.#deps
    let admission = await this.#fromStore(storage.admitSpans(scope, batch))
    if (admission === 'stale') {
      counters.countStale()
      const decided = await this.#decideAfter(arrivedAt, scope, batch)
      admission = await this.#fromStore(storage.admitSpans(scope, { ...batch, ...decided }))
    }
    if (admission === 'stale') throw new Error('the store refused a batch that was decided after its arrival')
    counters.countBatch()
    onAdmitted?.(admission)
    return admission
  }

  async #decideAfter(arrivedAt: number, scope: EnvironmentScope, batch: PackedBatch) {
    const { bytes, byteLength, knownFaults } = batch
    await this.#currentThread().catalogues.refresh(scope, arrivedAt)
    const decision = await this.#inThread(scope, (client) =>
      client.call('match', [scope, { bytes, byteLength, knownFaults }]),
    )
    return { ...decision, isDecidedAfterArrival: true }
  }

  #inThread<Answer>(
    scope: EnvironmentScope,
    call: (client: IngestThreadClient) => Promise<Answer>,
  ): Promise<Answer> {
    const { client, catalogues } = this.#currentThread()
    return catalogues.call(scope, () => call(client))
  }

  /** Started with the first request, and again after it was lost. */
  #currentThread() {
    if (this.#thread) return this.#thread
    const { startThread, logger, storage } = this.#deps
    const client = new IngestThreadClient(startThread, this.#limits, logger, () => {
      if (this.#thread?.client === client) this.#thread = undefined
    })
    const readCatalogue: SpanStorage['readCatalogue'] = (scope, since) =>
      this.#fromStore(storage.readCatalogue(scope, since))
    this.#thread = { client, catalogues: new CatalogueFollower({ readCatalogue }, client, this.#limits) }
    return this.#thread
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
