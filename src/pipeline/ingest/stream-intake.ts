import { PublicError } from '../../lib/public-error.ts'
import type { Logger } from '../../ports/logger.ts'
import type {
  ConsumeLimits,
  Handled,
  QueuedRequest,
  SpanStream,
  StopConsuming,
  StreamCounters,
} from '../../ports/span-stream.ts'
import type { Storage } from '../../ports/storage.ts'
import type { Ingest } from './ingest.ts'

/** The counters of the intake. */
export interface IntakeCounters extends StreamCounters {
  /** A message all of whose spans were stored before: it came again, or its sender repeated it. */
  countRepeated(): void
  /** A message whose project no longer exists. */
  countDropped(): void
}

/** The dependencies of the intake. */
export interface StreamIntakeDeps {
  readonly stream: Pick<SpanStream, 'consume'>
  readonly ingest: Pick<Ingest, 'admit' | 'admitContents'>
  readonly storage: Pick<Storage, 'listProjects' | 'system'>
  readonly counters: IntakeCounters
  readonly logger: Logger
}

/** Takes requests out of the stream, has them matched and stored, and says of each what became of it. */
export class StreamIntake {
  readonly #deps: StreamIntakeDeps
  readonly #limits: ConsumeLimits
  #stop: StopConsuming | undefined

  constructor(deps: StreamIntakeDeps, limits: ConsumeLimits) {
    this.#deps = deps
    this.#limits = limits
  }

  start(): void {
    const { stream, counters } = this.#deps
    this.#stop ??= stream.consume((request) => this.handle(request), this.#limits, counters)
  }

  /** The stream tells by itself what there is. */
  wake(): void {}

  /** Takes nothing more and waits for what is under way. */
  async close(): Promise<void> {
    await this.#stop?.()
  }

  /** One message, stored or not; throws when it failed for a reason of its own. */
  async handle(request: QueuedRequest): Promise<Handled> {
    try {
      const { ingest, counters } = this.#deps
      const added = request.isContent
        ? await ingest.admitContents(request)
        : (await ingest.admit(request)).newSpans
      if (added === 0) counters.countRepeated()
      return 'done'
    } catch (error) {
      return this.#judge(request, error)
    }
  }

  /**
   * A store that is away is no fault of the message. Whether it is away is asked of the store, because what it says
   * when something is wrong with it has no end; only when it works and still does not take the message, the message failed.
   */
  async #judge({ tenant }: QueuedRequest, error: unknown): Promise<Handled> {
    const fault = error instanceof PublicError && error.kind === 'unavailable' ? error.cause : error
    // Ours: the thread has ended, or the service is about to.
    if (fault === undefined) return 'unavailable'
    if (fault instanceof PublicError && fault.kind === 'unavailable') return 'unavailable'
    if (fault instanceof PublicError && fault.kind === 'invalid_input') return { unreadable: fault.message }
    const { storage, counters, logger } = this.#deps
    try {
      await storage.system.ping()
      const projects = await storage.listProjects(tenant)
      if (!projects.some(({ id }) => id === tenant.projectId)) {
        logger.warn({ projectId: tenant.projectId }, 'spans of a project that no longer exists were dropped')
        counters.countDropped()
        return 'done'
      }
    } catch {
      return 'unavailable'
    }
    throw fault
  }
}
