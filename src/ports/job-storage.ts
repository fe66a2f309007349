import type { BackfillRequest, Job, JobRequest } from '../domain/job.ts'
import type { SkippedSpans } from '../domain/span-role.ts'
import type { ProjectTenant } from '../domain/tenant.ts'
import type { UnitSet } from '../domain/unit-set.ts'
import type { CatalogueSetup, StoredBatch } from './span-storage.ts'

/** A job about to be stored. */
export interface NewJob {
  readonly id: string
  readonly request: JobRequest
  readonly atMs: number
  /** Most jobs of the project that may be under way at the same time. */
  readonly activeMax: number
}

/** Jobs, confined to its tenant like everything else. */
export interface JobStorage {
  /** `full` when too many are under way; `no_setup` when a backfill names a setup that the project does not have. */
  createJob(tenant: ProjectTenant, job: NewJob): Promise<Job | 'full' | 'no_setup'>
  getJob(tenant: ProjectTenant, id: string): Promise<Job | undefined>
  /** The newest first, behind the job `beforeNumber`. */
  listJobs(
    tenant: ProjectTenant,
    range: { readonly beforeNumber?: number; readonly limit: number },
  ): Promise<Job[]>
  /** Ends a job and the work it has queued, and answers what it is then; a job that has ended stays as it is. */
  cancelJob(tenant: ProjectTenant, id: string, atMs: number): Promise<Job | undefined>
}

/** A place in the history of batches, which a backfill goes back in. */
export interface BatchPlace {
  readonly receivedAtMs: number
  readonly batchId: number
}

/** A backfill whose turn it is. */
export interface BackfillTurn {
  readonly jobNumber: number
  readonly setup: CatalogueSetup
  readonly request: Pick<BackfillRequest, 'fromMs' | 'samplingRate' | 'traceId'>
  /** Only batches before this place are still to be looked at. */
  readonly before: BatchPlace
}

/** The work to do for jobs now. */
export interface JobTurn {
  /** Its next batches have to be matched. */
  readonly backfill?: BackfillTurn
  /** Whether work was made that a worker should begin with. */
  readonly hasWork: boolean
  /** Whether another turn should follow at once. */
  readonly hasMore: boolean
}

/** A batch that a backfill has to look at. */
export interface BackfillBatch extends StoredBatch {
  /** Places of spans that an earlier batch had brought already. */
  readonly repeated: readonly number[]
}

/** The matched spans of a batch that monitors skip which leave these kinds of spans out. */
export interface SkippedUnits {
  readonly by: SkippedSpans
  readonly units: UnitSet
}

/** A batch that a backfill has looked at. */
export interface DecidedBatch extends BatchPlace {
  readonly spanCount: number
  /** The spans that the setup matches and the job samples; those that an earlier batch had brought are not among them. */
  readonly units: UnitSet
  /** Spans that are no work for the setup's monitors, but for those that were bound to skip others. */
  readonly skipped?: SkippedUnits
  /** For each span 16 bytes of the trace id and 8 of the span id. */
  readonly ids: Uint8Array
}

/** The steps of jobs. Like the rest of the queue it serves all tenants; each row it touches carries its project. */
export interface JobQueue {
  /**
   * Ends jobs that have nothing left to do and makes the next step of one of the others: a rerun is carried on at once, for
   * a backfill there are batches to be matched. No job has a turn while spans that came in wait to be evaluated, or while
   * much of what jobs have queued waits.
   */
  takeTurn(): Promise<JobTurn>
  /** The next batches of a backfill, the newest first; none when it has looked at all. */
  readBackfillBatches(turn: BackfillTurn, limit: number): Promise<BackfillBatch[]>
  /**
   * Makes matches and work for the spans that have no evaluation of the setup's monitors and no work for one, and moves the
   * job on, in one transaction; an empty list ends its looking. It may stop early so that it holds up no other call. Spans that
   * a monitor skips are no work for it and take nothing of the limit; that they match is kept.
   * False and nothing written when the job is no longer at the place of the turn.
   */
  recordBackfill(turn: BackfillTurn, batches: readonly DecidedBatch[]): Promise<boolean>
}
