import * as backlogs from '../shared/backlog-operations.ts'
import * as customEvaluators from '../shared/custom-evaluator-operations.ts'
import * as deletedData from '../shared/deleted-data-operations.ts'
import * as executions from '../shared/execution-operations.ts'
import * as explanations from '../shared/explain-operations.ts'
import * as jobs from '../shared/job-operations.ts'
import * as judges from '../shared/judge-operations.ts'
import * as limits from '../shared/limit-operations.ts'
import * as monitorResults from '../shared/monitor-result-operations.ts'
import * as scores from '../shared/score-operations.ts'
import * as series from '../shared/series-operations.ts'
import * as setups from '../shared/setup-operations.ts'
import * as tenants from '../shared/tenant-operations.ts'
import * as traceEvaluations from '../shared/trace-evaluation-operations.ts'
import * as traces from '../shared/trace-operations.ts'
import * as usage from '../shared/usage-operations.ts'
import * as backfills from './backfill-operations.ts'
import * as clocks from './clock-operations.ts'
import * as deletions from './deletion-operations.ts'
import * as digests from './digest-operations.ts'
import * as erasures from './erasure-operations.ts'
import * as evaluations from './evaluation-operations.ts'
import * as jobTurns from './job-turn-operations.ts'
import * as monitors from './monitor-operations.ts'
import * as overviews from './overview-sums.ts'
import * as processing from './processing-operations.ts'
import * as records from './record-operations.ts'
import * as retention from './retention-operations.ts'
import * as searches from './search-deleted.ts'
import * as setupChanges from './setup-changes.ts'
import * as spans from './span-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { SqliteSql } from './sqlite-sql.ts'
import * as probes from './store-probe.ts'
import * as sweeping from './sweep-operations.ts'
import { listTraces } from './trace-search.ts'
import * as units from './unit-operations.ts'
import * as verifying from './verify-operations.ts'
import { readProgress } from './waiting-spans.ts'
import * as work from './work-operations.ts'

/** An operation of both stores, on the connection of a thread. */
const shared =
  <Args extends unknown[], Result>(operation: (sql: SqliteSql, ...args: Args) => Promise<Result>) =>
  (db: SqliteDatabase, ...args: Args) =>
    operation(new SqliteSql(db), ...args)

/** What the writer thread can do. Each runs inside a transaction and either finishes or leaves nothing. */
export const writes = {
  createSetup: shared(setups.createSetup),
  updateSetup: shared(setupChanges.updateSetup),
  deleteSetup: shared(setupChanges.deleteSetup),
  upsertSetups: shared(setupChanges.upsertSetups),
  createOrganization: shared(tenants.createOrganization),
  createProject: shared(tenants.createProject),
  createEnvironment: shared(tenants.createEnvironment),
  createApiKey: shared(tenants.createApiKey),
  revokeApiKey: shared(tenants.revokeApiKey),
  createCustomEvaluator: shared(customEvaluators.createCustomEvaluator),
  changeCustomEvaluator: shared(customEvaluators.changeCustomEvaluator),
  createExecution: shared(executions.createExecution),
  finishExecution: shared(executions.finishExecution),
  admitSpans: spans.admitSpans,
  resume: sweeping.resume,
  rebind: sweeping.rebind,
  claimSetups: processing.claimSetups,
  finishSetup: processing.finishSetup,
  fillWork: monitors.fillWork,
  claimWork: work.claimWork,
  retryWork: work.retryWork,
  recordWork: records.recordWork,
  sweep: sweeping.sweep,
  createJob: shared(jobs.createJob),
  cancelJob: shared(jobs.cancelJob),
  takeTurn: jobTurns.takeTurn,
  recordBackfill: backfills.recordBackfill,
  recordDigests: digests.recordDigests,
  recordDigestPart: digests.recordDigestPart,
  recordOverdue: digests.recordOverdue,
  retryGivenUp: digests.retryGivenUp,
  claimUnits: units.claimUnits,
  recordUnit: units.recordUnit,
  postponeUnit: units.postponeUnit,
  skipUnit: units.skipUnit,
  addScores: shared(scores.addScores),
  dropExpired: retention.dropExpired,
  checkClock: clocks.checkClock,
  deleteTrace: deletions.deleteTrace,
  deleteSession: deletions.deleteSession,
  deleteProjectData: deletions.deleteProjectData,
  recordErasure: erasures.recordErasure,
  eraseRows: erasures.eraseRows,
  recordSearch: searches.recordSearch,
  finishDeletions: searches.finishDeletions,
  runStatements: verifying.runStatements,
  rebuildTrace: verifying.rebuildTrace,
  rebuildRollups: verifying.rebuildRollups,
  beginVerification: verifying.beginVerification,
  useCachedAnswer: shared(judges.useCachedAnswer),
  recordCalls: shared(judges.recordCalls),
  dropCachedAnswers: shared(judges.dropCachedAnswers),
  putProviderKey: shared(judges.putProviderKey),
  deleteProviderKey: shared(judges.deleteProviderKey),
  putBudget: shared(judges.putBudget),
  deleteBudget: shared(judges.deleteBudget),
  probeDisk: probes.probeDisk,
  putLimits: shared(limits.putLimits),
} satisfies OperationTable

/** What the writer thread can do only between two transactions. */
export const maintenance = { truncateLog: erasures.truncateLog } satisfies OperationTable

/** What the reader threads can do. */
export const reads = {
  getSetup: shared(setups.getSetup),
  listSetups: shared(setups.listSetups),
  findPrincipal: shared(tenants.findPrincipal),
  isEmpty: shared(tenants.isEmpty),
  listOrganizations: shared(tenants.listOrganizations),
  readBacklog: shared(backlogs.readBacklog),
  listProjects: shared(tenants.listProjects),
  nameCaller: shared(tenants.nameCaller),
  listApiKeys: shared(tenants.listApiKeys),
  listCustomEvaluators: shared(customEvaluators.listCustomEvaluators),
  findCustomEvaluator: shared(customEvaluators.findCustomEvaluator),
  listCustomVersions: shared(customEvaluators.listCustomVersions),
  getExecution: shared(executions.getExecution),
  readCatalogue: spans.readCatalogue,
  listSpanRefs: spans.listSpanRefs,
  readBatches: spans.readBatches,
  sampleMatches: processing.sampleMatches,
  readMonitorVersions: work.readMonitorVersions,
  readWorkBatches: work.readWorkBatches,
  readMonitorOwners: work.readMonitorOwners,
  listEvaluations: evaluations.listEvaluations,
  getEvaluation: evaluations.getEvaluation,
  getJob: shared(jobs.getJob),
  listJobs: shared(jobs.listJobs),
  readBackfillBatches: backfills.readBackfillBatches,
  listMonitors: shared(monitorResults.listMonitors),
  getMonitor: shared(monitorResults.getMonitor),
  readSeries: shared(series.readSeries),
  readDistribution: shared(series.readDistribution),
  readProgress: shared(readProgress),
  readVolume: shared(overviews.readVolume),
  readTrends: shared(overviews.readTrends),
  readUndigested: digests.readUndigested,
  readOverdue: digests.readOverdue,
  isDigested: digests.isDigested,
  readUnit: units.readUnit,
  listTraces: shared(listTraces),
  getTrace: shared(traces.getTrace),
  listTracePlaces: shared(traces.listTracePlaces),
  listSessions: shared(traces.listSessions),
  listTraceEvaluations: shared(traceEvaluations.listTraceEvaluations),
  listSessionEvaluations: shared(traceEvaluations.listSessionEvaluations),
  readUsage: shared(usage.readUsage),
  readSessionUsage: shared(usage.readSessionUsage),
  listScores: shared(scores.listScores),
  listScoresOf: shared(scores.listScoresOf),
  listVerdictPairs: shared(scores.listVerdictPairs),
  readDecisions: shared(explanations.readDecisions),
  listUndigestedBatches: shared(explanations.listUndigestedBatches),
  listPassedOver: shared(explanations.listPassedOver),
  listBatches: shared(explanations.listBatches),
  findCachedAnswer: shared(judges.findCachedAnswer),
  listProviderKeys: shared(judges.listProviderKeys),
  listBudgets: shared(judges.listBudgets),
  readSpend: shared(judges.readSpend),
  listSpend: shared(judges.listSpend),
  prepareErasure: erasures.prepareErasure,
  hasErasures: erasures.hasErasures,
  findSearch: searches.findSearch,
  searchSome: searches.searchSome,
  findHiddenDeletions: searches.findHiddenDeletions,
  runQueries: verifying.runQueries,
  checkPages: verifying.checkPages,
  getDeletion: shared(deletedData.getDeletion),
  countProjectData: shared(deletedData.countProjectData),
  readLimits: shared(limits.readLimits),
  readResourceUse: shared(limits.readResourceUse),
  listResourceUse: shared(limits.listResourceUse),
  ping: probes.ping,
} satisfies OperationTable

// biome-ignore lint/suspicious/noExplicitAny: each operation has its own arguments; the typed tables above keep them.
export type OperationTable = Record<string, (db: SqliteDatabase, ...args: any[]) => unknown>

/** The arguments of an operation without the connection, which only its thread has. */
export type ArgumentsOf<Operation> = Operation extends (db: SqliteDatabase, ...args: infer Args) => unknown
  ? Args
  : never

/** One call on its way to a thread. */
export interface Call {
  readonly id: number
  readonly operation: string
  readonly args: readonly unknown[]
}

/** A call that failed. An error loses its codes on its way out of a thread, so the thread says whether the store is to blame. */
export interface FailedOutcome {
  readonly id: number
  readonly error: Error
  /** The reason of an outage of the store; absent when the fault is a bug. */
  readonly outage?: string
  /** The store refuses what it was given, whenever it is given it. */
  readonly isRefused?: boolean
}

/** What came of a call. */
export type Outcome = { readonly id: number; readonly value: unknown } | FailedOutcome
