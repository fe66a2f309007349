import { findCachedAnswer, useCachedAnswer } from '../shared/judge-operations.ts'
import { type AnyMethod, METHODS, type OwnOperations } from '../shared/methods.ts'
import * as backfills from './backfill-operations.ts'
import * as clocks from './clock-operations.ts'
import * as deletions from './deletion-operations.ts'
import * as digests from './digest-operations.ts'
import * as erasures from './erasure-operations.ts'
import * as evaluations from './evaluation-operations.ts'
import * as jobTurns from './job-turn-operations.ts'
import * as monitors from './monitor-operations.ts'
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
import { deriveVerdicts } from './verdict-operations.ts'
import * as verifying from './verify-operations.ts'
import { readProgress } from './waiting-spans.ts'
import * as work from './work-operations.ts'

/** An operation that is written for both stores, on the connection of a thread. */
const onSql =
  <Args extends unknown[], Result>(operation: (sql: SqliteSql, ...args: Args) => Promise<Result>) =>
  (db: SqliteDatabase, ...args: Args) =>
    operation(new SqliteSql(db), ...args)

/** The operations that this store has of its own. */
const OWN: OwnOperations<SqliteDatabase> = {
  updateSetup: onSql(setupChanges.updateSetup),
  deleteSetup: onSql(setupChanges.deleteSetup),
  upsertSetups: onSql(setupChanges.upsertSetups),
  readCatalogue: spans.readCatalogue,
  listSpanRefs: spans.listSpanRefs,
  readBatches: spans.readBatches,
  getEvaluation: evaluations.getEvaluation,
  readProgress: onSql(readProgress),
  listTraces: onSql(listTraces),
  deleteTrace: deletions.deleteTrace,
  deleteSession: deletions.deleteSession,
  deleteProjectData: deletions.deleteProjectData,
  readUnit: units.readUnit,
  recordUnit: units.recordUnit,
  skipUnit: units.skipUnit,
  isDigested: digests.isDigested,
  readOverdue: digests.readOverdue,
  retryGivenUp: digests.retryGivenUp,
  sampleMatches: processing.sampleMatches,
  fillWork: monitors.fillWork,
  readMonitorVersions: work.readMonitorVersions,
  readWorkBatches: work.readWorkBatches,
  readMonitorOwners: work.readMonitorOwners,
  recordWork: records.recordWork,
  readBackfillBatches: backfills.readBackfillBatches,
  recordBackfill: backfills.recordBackfill,
  deriveVerdicts: onSql(deriveVerdicts),
}

/** Writing steps of methods that the store puts together by hand. */
const WRITING_STEPS = {
  admitSpans: spans.admitSpans,
  resume: sweeping.resume,
  rebind: sweeping.rebind,
  claimSetups: processing.claimSetups,
  finishSetup: processing.finishSetup,
  claimWork: work.claimWork,
  retryWork: work.retryWork,
  sweep: sweeping.sweep,
  takeTurn: jobTurns.takeTurn,
  recordDigests: digests.recordDigests,
  recordDigestPart: digests.recordDigestPart,
  recordOverdue: digests.recordOverdue,
  claimUnits: units.claimUnits,
  postponeUnit: units.postponeUnit,
  dropExpired: retention.dropExpired,
  checkClock: clocks.checkClock,
  recordErasure: erasures.recordErasure,
  eraseRows: erasures.eraseRows,
  recordSearch: searches.recordSearch,
  finishDeletions: searches.finishDeletions,
  runStatements: verifying.runStatements,
  rebuildTrace: verifying.rebuildTrace,
  rebuildRollups: verifying.rebuildRollups,
  beginVerification: verifying.beginVerification,
  useCachedAnswer: onSql(useCachedAnswer),
  probeDisk: probes.probeDisk,
} satisfies OperationTable

/** Reading steps of such methods. */
const READING_STEPS = {
  listEvaluations: evaluations.listEvaluations,
  readUndigested: digests.readUndigested,
  findCachedAnswer: onSql(findCachedAnswer),
  prepareErasure: erasures.prepareErasure,
  hasErasures: erasures.hasErasures,
  findSearch: searches.findSearch,
  searchSome: searches.searchSome,
  findHiddenDeletions: searches.findHiddenDeletions,
  runQueries: verifying.runQueries,
  checkPages: verifying.checkPages,
  ping: probes.ping,
} satisfies OperationTable

/** The operations of the writer thread. Each runs inside a transaction and either finishes or leaves nothing. */
export const writes: OperationTable = { ...fromTable(({ kind }) => kind === 'write'), ...WRITING_STEPS }

/** The operations of the reader threads. */
export const reads: OperationTable = { ...fromTable(({ kind }) => kind !== 'write'), ...READING_STEPS }

/** The operations that the writer thread runs only between two transactions. */
export const maintenance = { truncateLog: erasures.truncateLog } satisfies OperationTable

export type WritingSteps = typeof WRITING_STEPS
export type ReadingSteps = typeof READING_STEPS

function fromTable(isWanted: (method: AnyMethod) => boolean): OperationTable {
  const own: OperationTable = { ...OWN }
  const methods: [string, AnyMethod][] = Object.values(METHODS).flatMap((port) => Object.entries(port))
  return Object.fromEntries(
    methods
      .filter(([, method]) => isWanted(method))
      .map(([name, { operation }]) => [name, operation ? onSql(operation) : own[name]] as const)
      .filter((entry): entry is [string, OperationTable[string]] => entry[1] !== undefined),
  )
}

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

/** The outcome of a call. */
export type Outcome = { readonly id: number; readonly value: unknown } | FailedOutcome
