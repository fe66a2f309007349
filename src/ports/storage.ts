import type {
  CustomDefinition,
  CustomEvaluator,
  CustomEvaluatorChange,
  CustomEvaluatorVersion,
} from '../domain/custom-evaluator.ts'
import type { Setup, SetupChange, SetupDraft } from '../domain/setup.ts'
import type {
  ApiKey,
  Environment,
  EnvironmentTenant,
  KeyPermission,
  Organization,
  OrgTenant,
  Principal,
  Project,
  ProjectTenant,
} from '../domain/tenant.ts'
import type { VerdictRule } from '../domain/verdict.ts'
import type { AnnotationStorage } from './annotation-storage.ts'
import type { ApplicationStorage } from './application-storage.ts'
import type { ContentStorage } from './content-storage.ts'
import type { DeletionStorage, ErasureStorage } from './deletion-storage.ts'
import type { ExecutionStorage } from './execution-storage.ts'
import type { ExplainStorage } from './explain-storage.ts'
import type { ImageStorage } from './image-storage.ts'
import type { IncidentStorage, IncidentWatchStorage } from './incident-storage.ts'
import type { JobQueue, JobStorage } from './job-storage.ts'
import type { JudgeLedger, JudgeStorage } from './judge-storage.ts'
import type { LimitAdministration, LimitStorage } from './limit-storage.ts'
import type { OverviewStorage } from './overview-storage.ts'
import type { ResultStorage } from './result-storage.ts'
import type { ReviewStorage } from './review-storage.ts'
import type { RollupStorage } from './rollup-storage.ts'
import type { SavedViewStorage } from './saved-view-storage.ts'
import type { SpanStorage } from './span-storage.ts'
import type { DigestStorage, TraceStorage } from './trace-storage.ts'
import type { UnitStorage } from './unit-storage.ts'
import type { VerdictStorage } from './verdict-storage.ts'
import type { VerificationStorage } from './verification-storage.ts'
import type { WorkKind, WorkStorage } from './work-storage.ts'

/** Which setups a list shows. Filters are ANDed; a status that does not exist matches nothing. */
export interface SetupFilter {
  readonly status?: string
  readonly externalId?: string
  /** Only setups after this id in list order; how a client pages. */
  readonly afterId?: string
  readonly limit?: number
}

/** A key about to be stored: what people see of it, and the hash of its secret. */
export interface NewApiKey {
  readonly id: string
  readonly name: string
  readonly hint: string
  readonly secretHash: string
  readonly projectId: string
  readonly environment: string
  readonly permissions: readonly KeyPermission[]
  readonly atMs: number
}

/** A whole new organization with its first project, that project's environments and one key for each. */
export interface NewOrganization {
  readonly organization: Organization
  readonly project: Project
  readonly keys: readonly NewApiKey[]
}

/** A new version of a custom evaluator, about to be stored. */
export interface NewCustomVersion {
  readonly versionId: string
  readonly definition: CustomDefinition
}

/** A custom evaluator about to be stored, with its first version. */
export interface NewCustomEvaluator extends NewCustomVersion {
  readonly evaluatorId: string
  readonly slug: string
  readonly name: string
  readonly description: string
  readonly verdict?: VerdictRule
}

/** One key in its environment. */
export interface CallerTenant extends EnvironmentTenant {
  readonly keyId: string
}

/** The names in a caller's tenancy, and how long its organization keeps spans. */
export interface CallerNames {
  readonly organization: string
  readonly retentionHours: number
  readonly project: string
  readonly projectSlug: string
  readonly key: string
}

/** How many custom evaluators an organization without a limit of its own may have (0: any number), and how many versions one of them. */
export interface CustomEvaluatorLimits {
  readonly evaluatorsMax: number
  readonly versionsMax: number
}

/**
 * Everything a tenant can reach. The first argument of every method is the tenant it is confined to: there is no way
 * to ask without saying for whom (the type at the end of this file refuses a method that forgets it), and what lies
 * outside the tenant does not exist.
 *
 * Promises of every method: it is atomic; when its promise resolves, what it wrote is on disk and visible to every
 * later call from anywhere; when it rejects, it wrote nothing.
 */
export interface TenantStorage
  extends SpanStorage,
    TraceStorage,
    ExplainStorage,
    ResultStorage,
    OverviewStorage,
    ApplicationStorage,
    AnnotationStorage,
    ContentStorage,
    ImageStorage,
    IncidentStorage,
    DeletionStorage,
    JudgeStorage,
    JobStorage,
    ExecutionStorage,
    SavedViewStorage,
    LimitStorage,
    ReviewStorage {
  /**
   * Stores a new setup of the tenant's environment. `exists` when the project has one of that external id. `full`, here and
   * below, when the organization has as many as it may: as its own limit says, or else the one that is given, of which 0
   * is none. Without one that is given nothing is limited. However many create at once, no limit is exceeded.
   */
  createSetup(
    tenant: EnvironmentTenant,
    draft: SetupDraft,
    atMs: number,
    setupsMax?: number,
  ): Promise<Setup | 'exists' | 'full'>
  /** In order of creation. Without a limit: all. */
  listSetups(tenant: ProjectTenant, filter: SetupFilter): Promise<Setup[]>
  getSetup(tenant: ProjectTenant, externalId: string): Promise<Setup | undefined>
  /** Applies the change to what is stored at that moment; two at once are applied one after the other. */
  updateSetup(
    tenant: ProjectTenant,
    externalId: string,
    change: SetupChange,
    atMs: number,
  ): Promise<Setup | undefined>
  /** False when there was none. Its versions stay, so that old decisions can be explained. */
  deleteSetup(tenant: ProjectTenant, externalId: string, atMs: number): Promise<boolean>
  /**
   * Brings back the setup of that external id that was deleted last, unless that was before `deletedFromMs`: with its id, its
   * entries and its monitors, which take in spans from now on. It gets a new version with the same definition, because it decided
   * nothing in between; work that was cancelled stays cancelled. `exists` when the project has a setup of that external id
   * again; undefined when there is nothing to bring back.
   */
  restoreSetup(
    tenant: ProjectTenant,
    externalId: string,
    options: { readonly deletedFromMs: number; readonly atMs: number; readonly setupsMax?: number },
  ): Promise<Setup | 'exists' | 'full' | undefined>
  /** Creates or replaces all of them or none; the answer is in the order of the drafts. */
  upsertSetups(
    tenant: EnvironmentTenant,
    drafts: readonly SetupDraft[],
    atMs: number,
    setupsMax?: number,
  ): Promise<Setup[] | 'full'>

  /** `exists` when the organization has one of that slug. */
  createCustomEvaluator(
    tenant: OrgTenant,
    draft: NewCustomEvaluator,
    atMs: number,
    limits: CustomEvaluatorLimits,
  ): Promise<CustomEvaluator | 'exists' | 'full'>
  /** In order of creation, each in its newest version. */
  listCustomEvaluators(tenant: OrgTenant): Promise<CustomEvaluator[]>
  /** By id or else by slug; the newest version, or the one of that number or id. */
  findCustomEvaluator(tenant: OrgTenant, name: string, version?: string): Promise<CustomEvaluator | undefined>
  /** The oldest first; they stay as long as the evaluator, because results were made with them. */
  listCustomVersions(tenant: OrgTenant, evaluatorId: string): Promise<CustomEvaluatorVersion[]>
  /**
   * Changes the name and description, and adds a version when there is a new one. `stale` when the evaluator is no longer
   * at the version that the change was made from; undefined when there is no such evaluator.
   */
  changeCustomEvaluator(
    tenant: OrgTenant,
    from: Pick<CustomEvaluator, 'evaluatorId' | 'version'>,
    change: Omit<CustomEvaluatorChange, 'definition'> & { readonly newVersion?: NewCustomVersion },
    atMs: number,
    limits: CustomEvaluatorLimits,
  ): Promise<CustomEvaluator | 'stale' | 'full' | undefined>

  /** `exists` when the organization has a project of that slug. */
  createProject(
    tenant: OrgTenant,
    project: Project,
    projectsMax?: number,
  ): Promise<'created' | 'exists' | 'full'>
  /** In order of creation, environments by slug. */
  listProjects(tenant: OrgTenant): Promise<Project[]>
  createEnvironment(
    tenant: ProjectTenant,
    environment: Environment,
    atMs: number,
  ): Promise<'created' | 'exists' | 'no_project'>

  /** The names of a caller's organization, project and key; undefined when the key is not the tenant's. */
  nameCaller(tenant: CallerTenant): Promise<CallerNames | undefined>

  /** The key's project and environment must be the tenant's own; otherwise `no_environment`. */
  createApiKey(
    tenant: OrgTenant,
    key: NewApiKey,
    keysMax?: number,
  ): Promise<ApiKey | 'no_environment' | 'full'>
  /** In order of creation, revoked ones too. */
  listApiKeys(tenant: OrgTenant): Promise<ApiKey[]>
  /** Ends a key at once. `last_admin` refuses to lock an organization out of its own administration. */
  revokeApiKey(
    tenant: OrgTenant,
    keyId: string,
    atMs: number,
  ): Promise<'revoked' | 'not_found' | 'last_admin'>
}

/** The amount of waiting work, and the arrival of its oldest part. */
export interface Waiting {
  /** Pieces of work, or batches. */
  readonly pieces: number
  readonly spans: number
  /** When the oldest of them arrived; absent when nothing waits. */
  readonly oldestAtMs?: number
}

/** The work that is not done yet. */
export interface Backlog {
  /** Matched spans that wait to be evaluated, or are being evaluated, by kind of work. */
  readonly work: Readonly<Record<WorkKind, Waiting>>
  /** Batches that are not summed up, without those that were given up. */
  readonly digest: Waiting
  /** Batches that are kept and cannot be summed up, so that their spans are in no trace. */
  readonly givenUpBatches: number
  /** Traces and sessions that should be looked at now. */
  readonly unitsDue: number
}

/** The few queries that belong to no tenant. Each says why it may look across all of them. */
export interface SystemStorage extends LimitAdministration {
  /** Authentication: the tenant is what the key tells. Undefined when unknown or revoked. */
  findPrincipal(secretHash: string): Promise<{ principal: Principal; secretHash: string } | undefined>
  /** First start: true as long as no organization was ever made. */
  isEmpty(): Promise<boolean>
  /**
   * An organization is made by nobody inside it. `exists` when a key of that secret is already stored, and for the
   * operator's when there is any organization: it is the first one or none.
   */
  createOrganization(draft: NewOrganization): Promise<'created' | 'exists'>
  /** The command line works on the store itself and may name any organization; in order of creation. */
  listOrganizations(): Promise<Organization[]>
  /** Scaling: how much of all tenants waits. Work queued by jobs is left out, because it waits by design. */
  readBacklog(): Promise<Backlog>
  /** Readiness: resolves when the store takes reads and writes. */
  ping(): Promise<void>
}

/** A possible action of another process on the same store: brought spans, changed setups, made a job. */
export type Hint = 'spans' | 'setups' | 'jobs'

/** The store of the service. */
export interface Storage extends TenantStorage {
  readonly system: SystemStorage
  readonly work: WorkStorage
  readonly digest: DigestStorage
  readonly units: UnitStorage
  readonly jobs: JobQueue
  readonly ledger: JudgeLedger
  readonly erasure: ErasureStorage
  readonly verdicts: VerdictStorage
  readonly incidents: IncidentWatchStorage
  readonly rollups: RollupStorage
  readonly verification: VerificationStorage
  /** Has the listener told when another process has done something. Hints may get lost; looking finds everything. */
  onHint(listener: (hint: Hint) => void): void
  /** Finishes what is under way, then lets go of files and threads. */
  close(): Promise<void>
}

// Compile-time check that every method of TenantStorage is confined to a tenant.
type TakesTenant<Method> = Method extends (...args: infer Args) => unknown
  ? Args extends [infer Tenant, ...unknown[]]
    ? Tenant extends OrgTenant
      ? true
      : false
    : false
  : false
type TenantlessMethods = {
  [Name in keyof TenantStorage]: TakesTenant<TenantStorage[Name]> extends true ? never : Name
}[keyof TenantStorage]
const noTenantlessMethods: [TenantlessMethods] extends [never] ? true : TenantlessMethods = true
void noTenantlessMethods
