import type { WatchedProject } from '../../ports/incident-storage.ts'
import type { Logger } from '../../ports/logger.ts'
import { Loop } from '../loop.ts'
import { type LookDeps, lookForIncidents } from './look-for-incidents.ts'

/** Projects are gone over this often; one without new evaluations is not looked at. */
const LOOK_MS = 5_000
/** Stored verdicts may change without a new evaluation, so a project is looked at this often at least. */
const LOOK_MS_MAX = 3_600_000
/** Looking at a project may take this share of the time, so that a large one is looked at less often. */
const BUSY_SHARE_MAX = 0.05
/** Projects that are listed at once. */
const PROJECTS = 50

/** The dependencies of watching for incidents. */
export interface IncidentWatchDeps extends LookDeps {
  readonly logger: Logger
}

/**
 * Looks for falls of pass rates in every project that has new evaluations. It reads rollups and waits for nothing that scoring waits
 * for. Of several processes, the one that notes the look does it.
 */
export class IncidentWatch {
  readonly #deps: IncidentWatchDeps
  readonly #loop: Loop
  #afterNumber = 0
  /** When the next look may begin, by how long the last ones took. */
  readonly #restUntilMs = new Map<number, number>()

  constructor(deps: IncidentWatchDeps) {
    this.#deps = deps
    this.#loop = new Loop({
      ...{ name: 'incidents', step: () => this.#step(), pauseMs: LOOK_MS, logger: deps.logger },
    })
  }

  start(): void {
    this.#loop.start()
  }

  wake(): void {
    this.#loop.wake()
  }

  close(): Promise<void> {
    return this.#loop.close()
  }

  async #step(): Promise<boolean> {
    const { storage, clock } = this.#deps
    const query = { afterNumber: this.#afterNumber, limit: PROJECTS }
    const projects = await storage.incidents.listWatchedProjects(query)
    for (const project of projects) {
      const nowMs = clock.nowMs()
      if (!this.#isDue(project, nowMs) || !(await storage.incidents.claimLook(project, nowMs))) continue
      const startedAt = performance.now()
      await lookForIncidents(this.#deps, project.tenant)
      const tookMs = performance.now() - startedAt
      this.#restUntilMs.set(project.number, clock.nowMs() + tookMs / BUSY_SHARE_MAX)
    }
    for (const [number, untilMs] of this.#restUntilMs)
      if (untilMs <= clock.nowMs()) this.#restUntilMs.delete(number)
    this.#afterNumber = projects.length === PROJECTS ? (projects.at(-1)?.number ?? 0) : 0
    return projects.length === PROJECTS
  }

  #isDue({ number, newestEvaluation, lookedThrough, lookedAtMs }: WatchedProject, nowMs: number): boolean {
    if (newestEvaluation === 0 || (this.#restUntilMs.get(number) ?? 0) > nowMs) return false
    const hasNews = newestEvaluation !== lookedThrough && nowMs - lookedAtMs >= LOOK_MS
    // A clock that was set back must not keep a project from being looked at.
    return hasNews || nowMs - lookedAtMs >= LOOK_MS_MAX || lookedAtMs > nowMs
  }
}
