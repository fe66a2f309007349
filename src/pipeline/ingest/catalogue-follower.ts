import type { ProjectTenant } from '../../domain/tenant.ts'
import type { SpanStorage } from '../../ports/span-storage.ts'
import type { IngestThreadClient } from './ingest-thread-client.ts'

/** How much the thread may keep; the projects that were not used for longest are dropped, and read again when they are. */
export interface CatalogueLimits {
  readonly projectsMax: number
  /** Setups of all projects together. One project is kept whatever it has. */
  readonly setupsMax: number
}

interface Known {
  readonly revision: number
  readonly setupCount: number
  /** When the reading of it began, in milliseconds of a clock that never goes back. */
  readonly readAt: number
}

/** Keeps the thread's setups in step with the store's: all of a project's at its first span, then what has changed. */
export class CatalogueFollower {
  readonly #storage: Pick<SpanStorage, 'readCatalogue'>
  readonly #thread: IngestThreadClient
  readonly #limits: CatalogueLimits
  // In the order of use, the longest unused first.
  readonly #known = new Map<string, Known>()
  readonly #loading = new Map<string, Promise<void>>()
  #setupCount = 0

  constructor(
    storage: Pick<SpanStorage, 'readCatalogue'>,
    thread: IngestThreadClient,
    limits: CatalogueLimits,
  ) {
    this.#storage = storage
    this.#thread = thread
    this.#limits = limits
  }

  /** Makes a call that needs the project's setups, at whatever revision, once the thread has them. */
  async call<Answer>(tenant: ProjectTenant, call: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      const known = this.#known.get(tenant.projectId)
      if (known) {
        this.#keep(tenant.projectId, known)
        // At once: while this waited for anything, the setups could be dropped.
        return call()
      }
      await this.#load(tenant)
    }
  }

  /** Sees to it that the thread has the project's setups as they were read after a moment, told by `performance.now`. */
  async refresh(tenant: ProjectTenant, moment: number): Promise<void> {
    // A reading that is under way may have begun too early; the next one does not.
    while ((this.#known.get(tenant.projectId)?.readAt ?? 0) <= moment) await this.#load(tenant)
  }

  /** Requests that need the same project at the same time share one reading of it. */
  #load(tenant: ProjectTenant): Promise<void> {
    const { projectId } = tenant
    const underWay = this.#loading.get(projectId)
    if (underWay) return underWay
    const loading = this.#read(tenant).finally(() => this.#loading.delete(projectId))
    this.#loading.set(projectId, loading)
    return loading
  }

  async #read(tenant: ProjectTenant): Promise<void> {
    const { projectId } = tenant
    const known = this.#known.get(projectId)
    const readAt = performance.now()
    const change = await this.#storage.readCatalogue(tenant, known?.revision)
    const setupCount = await this.#thread.call(projectId, 'follow', [projectId, change, known === undefined])
    this.#keep(projectId, { revision: change.revision, setupCount, readAt })
    this.#dropUnused(projectId)
  }

  #keep(projectId: string, known: Known): void {
    this.#forget(projectId)
    this.#known.set(projectId, known)
    this.#setupCount += known.setupCount
  }

  #forget(projectId: string): void {
    this.#setupCount -= this.#known.get(projectId)?.setupCount ?? 0
    this.#known.delete(projectId)
  }

  #dropUnused(inUse: string): void {
    for (const projectId of this.#known.keys()) {
      if (this.#known.size <= this.#limits.projectsMax && this.#setupCount <= this.#limits.setupsMax) return
      // A project that is being loaded is read as a change to the setups that the thread has, so the thread must keep
      // them.
      if (projectId === inUse || this.#loading.has(projectId)) continue
      this.#forget(projectId)
      void this.#thread.call(projectId, 'forget', [projectId]).catch(() => {})
    }
  }
}
