import type { StartThread } from '../../lib/threads/start-thread.ts'
import type { Logger } from '../../ports/logger.ts'
import type { SpanStorage } from '../../ports/span-storage.ts'
import { CatalogueFollower, type CatalogueLimits } from './catalogue-follower.ts'
import { IngestThreadClient, type ThreadLimits } from './ingest-thread-client.ts'

/** A request that may take longer than this goes to the thread for large ones. */
const QUICK_MS_MAX = 20
/** The assumed time per byte of an unknown project, in milliseconds: ten for a megabyte. */
const MS_PER_BYTE = 1e-5
/**
 * Smaller requests count as large as this. The fixed cost of every request would otherwise make each byte of a tiny one look
 * slow, and the next requests of the project would wait behind large ones.
 */
const BYTES_MIN = 16_000
/** How much of what was known of a project the last request leaves. */
const MEMORY = 0.7
/** Projects whose speed is remembered; the least recently used are forgotten. */
const PROJECTS_MAX = 1_000

/** A thread that reads spans, and what keeps its setups in step. */
export interface IngestLane {
  readonly client: IngestThreadClient
  readonly catalogues: CatalogueFollower
}

/** Dependencies of the lanes. */
export interface IngestLanesDeps {
  readonly startThread: StartThread
  readonly logger: Logger
  readonly readCatalogue: SpanStorage['readCatalogue']
  readonly limits: CatalogueLimits & ThreadLimits
}

/**
 * Two threads that read spans: one for requests that take a moment, one for those that take longer. Within a thread projects
 * take turns slice by slice; but what cannot be sliced, such as reading the framing of a large request, compressing it, or
 * matching one very long text, holds up only other large requests. Each thread starts when it is first needed, and again after
 * it was lost.
 */
export class IngestLanes {
  readonly #deps: IngestLanesDeps
  #quick: IngestLane | undefined
  #bulk: IngestLane | undefined
  readonly #msPerByte = new Map<string, number>()

  constructor(deps: IngestLanesDeps) {
    this.#deps = deps
  }

  /** The thread for so many bytes of a project, by what its bytes took before. */
  laneFor(projectId: string, bytes: number): IngestLane {
    return Math.max(bytes, BYTES_MIN) * (this.#msPerByte.get(projectId) ?? MS_PER_BYTE) > QUICK_MS_MAX
      ? this.bulk
      : this.quick
  }

  get quick(): IngestLane {
    this.#quick ??= this.#open((lane) => {
      if (this.#quick === lane) this.#quick = undefined
    })
    return this.#quick
  }

  get bulk(): IngestLane {
    this.#bulk ??= this.#open((lane) => {
      if (this.#bulk === lane) this.#bulk = undefined
    })
    return this.#bulk
  }

  /** Remembers the processor time that bytes of a project took. Small requests say little about the speed of large ones. */
  learn(projectId: string, bytes: number, usedMs: number): void {
    const known = this.#msPerByte.get(projectId) ?? MS_PER_BYTE
    this.#msPerByte.delete(projectId)
    const isTelling = usedMs > 1 || known > MS_PER_BYTE
    if (!isTelling || bytes === 0) return
    this.#msPerByte.set(projectId, MEMORY * known + (1 - MEMORY) * (usedMs / Math.max(bytes, BYTES_MIN)))
    if (this.#msPerByte.size > PROJECTS_MAX)
      this.#msPerByte.delete(this.#msPerByte.keys().next().value as string)
  }

  /** Ends the threads. */
  async close(): Promise<void> {
    await Promise.all([this.#quick?.client.close(), this.#bulk?.client.close()])
  }

  #open(onLost: (lane: IngestLane) => void): IngestLane {
    const { startThread, logger, readCatalogue, limits } = this.#deps
    const client = new IngestThreadClient(startThread, limits, logger, () => onLost(lane))
    const lane: IngestLane = { client, catalogues: new CatalogueFollower({ readCatalogue }, client, limits) }
    return lane
  }
}
