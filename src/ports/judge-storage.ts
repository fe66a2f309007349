import type { ModelRef } from '../domain/judgement.ts'
import type { OrgTenant, ProjectTenant } from '../domain/tenant.ts'

/** A verdict that was paid for once and may be used again. */
export interface CachedAnswer {
  /** JSON text that has the shape that was asked for. */
  readonly answer: string
  readonly promptTokens: number
  readonly completionTokens: number
}

/** A new entry of the cache. `key` is a hash over model, prompt version, shape and input. */
export interface NewCachedAnswer extends CachedAnswer {
  readonly orgId: string
  readonly key: string
}

/** One answered call of a provider, for what was spent. */
export interface JudgeSpend {
  readonly projectId: string
  /** Of the setup it was for; absent for an execute call. */
  readonly setupId?: string
  readonly atMs: number
  readonly model: string
  readonly calls: number
  readonly promptTokens: number
  readonly completionTokens: number
  /** In millionths of a US dollar; calls of unknown price count as 0 here and are counted apart. */
  readonly costMicros: number
  readonly unpricedCalls: number
}

/** A ceiling on what judges may cost, in millionths of a US dollar. Of a whole project, or of one setup of it. */
export interface Budget {
  /** Absent: of the whole project. */
  readonly externalId?: string
  readonly dayMicros?: number
  readonly monthMicros?: number
  readonly updatedAtMs: number
}

/** Spend of a project or setup, by UTC day and month. */
export interface SpendTotals {
  readonly dayMicros: number
  readonly monthMicros: number
}

/** A budget and how much of it is used. */
export interface BudgetState {
  readonly budget: Budget
  readonly spent: SpendTotals
}

/** The spend of one project, or one setup of it, on one model in one UTC day. */
export interface SpendLine extends Omit<JudgeSpend, 'projectId' | 'setupId' | 'atMs'> {
  /** When the day begins. */
  readonly dayAtMs: number
  /** Of the setup it was for, also when that is deleted by now; absent for execute calls. */
  readonly externalId?: string
}

/** An organization's key at a provider, encrypted. */
export interface StoredProviderKey {
  readonly provider: string
  readonly baseUrl?: string
  /** Base64 of the encrypted key; only the process that has the key of the environment can open it. */
  readonly sealed: string
  /** The last characters, for people. */
  readonly hint: string
  readonly updatedAtMs: number
}

/**
 * The data that judging keeps. The cache and the spend of calls are written behind, in groups: after a crash a call may be
 * paid once more. A budget is checked against what is stored and what is reserved in the process; what other processes have
 * spent counts as soon as it is stored.
 */
export interface JudgeStorage {
  /** Also moves the entry's age, to the hour: entries are dropped by when they were last used. */
  readCachedAnswer(tenant: OrgTenant, key: string): Promise<CachedAnswer | undefined>

  listProviderKeys(tenant: OrgTenant): Promise<StoredProviderKey[]>
  putProviderKey(tenant: OrgTenant, key: StoredProviderKey): Promise<void>
  /** False when there was none. */
  deleteProviderKey(tenant: OrgTenant, provider: string): Promise<boolean>

  /** The model that the organization chose to judge by default; undefined: it chose none. */
  getDefaultJudge(tenant: OrgTenant): Promise<ModelRef | undefined>
  putDefaultJudge(tenant: OrgTenant, model: ModelRef, atMs: number): Promise<void>
  /** False when there was none. */
  deleteDefaultJudge(tenant: OrgTenant): Promise<boolean>

  /** The project's own first, then those of its setups. */
  listBudgets(tenant: ProjectTenant): Promise<Budget[]>
  /** Replaces the budget of the project or of the setup; false when the project has no such setup. */
  putBudget(tenant: ProjectTenant, budget: Budget): Promise<boolean>
  deleteBudget(tenant: ProjectTenant, externalId: string | undefined): Promise<boolean>
  /** The spend of the project, or of one setup of it, in the UTC day and month of that time. */
  readSpend(tenant: ProjectTenant, externalId: string | undefined, atMs: number): Promise<SpendTotals>
  /** All lines of the days from one time to another, both days included, in order of days. */
  listSpend(tenant: ProjectTenant, fromMs: number, untilMs: number): Promise<SpendLine[]>
}

/** The judging data that the process keeps for all tenants at once; each row names its tenant. */
export interface JudgeLedger {
  /** Cache entries and spend of answered calls, in one transaction. */
  recordCalls(answers: readonly NewCachedAnswer[], spends: readonly JudgeSpend[]): Promise<void>
  /** Drops entries that were not used since, and the least recently used beyond `entriesMax`; true when there is more. */
  dropCachedAnswers(usedBeforeMs: number, entriesMax: number): Promise<boolean>
}
