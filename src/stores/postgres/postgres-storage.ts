import type { Storage } from '../../ports/storage.ts'
import type { ClaimedUnit } from '../../ports/unit-storage.ts'
import type { ClaimedSetup, ClaimedWork } from '../../ports/work-storage.ts'
import { readBacklog } from '../shared/backlog-operations.ts'
import * as customEvaluators from '../shared/custom-evaluator-operations.ts'
import * as deletedData from '../shared/deleted-data-operations.ts'
import * as executions from '../shared/execution-operations.ts'
import * as explanations from '../shared/explain-operations.ts'
import * as jobs from '../shared/job-operations.ts'
import * as judges from '../shared/judge-operations.ts'
import * as limits from '../shared/limit-operations.ts'
import * as monitorResults from '../shared/monitor-result-operations.ts'
import { Persistence } from '../shared/persistence.ts'
import * as scores from '../shared/score-operations.ts'
import * as series from '../shared/series-operations.ts'
import * as setups from '../shared/setup-operations.ts'
import type { Sql } from '../shared/sql.ts'
import * as tenants from '../shared/tenant-operations.ts'
import * as traceEvaluations from '../shared/trace-evaluation-operations.ts'
import * as traces from '../shared/trace-operations.ts'
import * as usage from '../shared/usage-operations.ts'
import { AdmissionDesk } from './admission-desk.ts'
import * as backfills from './backfill-operations.ts'
import { Claims } from './claims.ts'
import { checkClock } from './clock-operations.ts'
import * as deletions from './deletion-operations.ts'
import * as digests from './digest-operations.ts'
import * as erasures from './erasure-operations.ts'
import * as evaluations from './evaluation-operations.ts'
import * as jobTurns from './job-turn-operations.ts'
import { migrate } from './migrate.ts'
import * as monitors from './monitor-operations.ts'
import * as overviews from './overview-sums.ts'
import { ensurePartitions } from './partitions.ts'
import { PostgresDatabase, type PostgresOptions } from './postgres-database.ts'
import * as processing from './processing-operations.ts'
import { exchangeRateUse } from './rate-use.ts'
import * as records from './record-operations.ts'
import { settledThrough } from './recording-order.ts'
import { refusable } from './refused-data.ts'
import { releaseSetupsAfter, releaseUnitsAfter, releaseWorkAfter } from './release-orphans.ts'
import * as retention from './retention-operations.ts'
import { PostgresSession } from './session.ts'
import * as setupChanges from './setup-changes.ts'
import * as spans from './span-operations.ts'
import { ping, probeDisk } from './store-probe.ts'
import * as sweeping from './sweep-operations.ts'
import { listTraces } from './trace-search.ts'
import { refuseUnfinishedMove } from './unfinished-move.ts'
import * as units from './unit-operations.ts'
import { openVerification } from './verify-operations.ts'
import { readProgress } from './waiting-spans.ts'
import * as work from './work-operations.ts'

/**
 * The store of several processes: one PostgreSQL database. Any number of processes may have it open; what one of them has
 * written when its promise resolves, every other sees.
 */
export async function openPostgresStorage(options: PostgresOptions): Promise<Storage> {
  const db = new PostgresDatabase(options)
  const session = await openSession(db, options).catch(async (error) => {
    await db.close()
    throw error
  })
  const { holder } = session
  const persistence = new Persistence()
  const claims = {
    local: new Claims<ClaimedWork>(db, (tx, lease) => releaseWorkAfter(tx, holder, 'local', lease)),
    judged: new Claims<ClaimedWork>(db, (tx, lease) => releaseWorkAfter(tx, holder, 'judged', lease)),
    units: new Claims<ClaimedUnit>(db, (tx, lease) => releaseUnitsAfter(tx, holder, lease)),
    setups: new Claims<ClaimedSetup>(db, (tx, lease) => releaseSetupsAfter(tx, holder, lease)),
  }
  const admissions = new AdmissionDesk(db)

  type Operation<Args extends unknown[], Result> = (tx: Sql, ...args: Args) => Promise<Result>
  /** In a transaction of its own. */
  const write =
    <Args extends unknown[], Result>(operation: Operation<Args, Result>) =>
    (...args: Args) =>
      db.transaction((tx) => operation(tx, ...args))
  /** Several statements on one state of the store. */
  const read =
    <Args extends unknown[], Result>(operation: Operation<Args, Result>) =>
    (...args: Args) =>
      db.snapshot((tx) => operation(tx, ...args))
  /** One statement, besides that which looks the project up. */
  const look =
    <Args extends unknown[], Result>(operation: Operation<Args, Result>) =>
    (...args: Args) =>
      operation(db, ...args)
  /** As `write`, and tells the other processes. */
  const change =
    <Args extends unknown[], Result>(operation: Operation<Args, Result>, hint: 'setups' | 'jobs') =>
    async (...args: Args) => {
      const result = await db.transaction((tx) => operation(tx, ...args))
      session.hint(hint)
      return result
    }

  return {
    createSetup: change(setups.createSetup, 'setups'),
    updateSetup: change(setupChanges.updateSetup, 'setups'),
    deleteSetup: change(setupChanges.deleteSetup, 'setups'),
    upsertSetups: change(setupChanges.upsertSetups, 'setups'),
    getSetup: read(setups.getSetup),
    listSetups: read(setups.listSetups),
    createCustomEvaluator: write(customEvaluators.createCustomEvaluator),
    changeCustomEvaluator: write(customEvaluators.changeCustomEvaluator),
    listCustomEvaluators: look(customEvaluators.listCustomEvaluators),
    findCustomEvaluator: read(customEvaluators.findCustomEvaluator),
    listCustomVersions: look(customEvaluators.listCustomVersions),
    createExecution: write(executions.createExecution),
    getExecution: look(executions.getExecution),
    finishExecution: look(executions.finishExecution),
    createProject: write(tenants.createProject),
    listProjects: read(tenants.listProjects),
    createEnvironment: write(tenants.createEnvironment),
    nameCaller: look(tenants.nameCaller),
    createApiKey: write(tenants.createApiKey),
    listApiKeys: look(tenants.listApiKeys),
    revokeApiKey: write(tenants.revokeApiKey),
    readCatalogue: read(spans.readCatalogue),
    async admitSpans(scope, batch) {
      const admission = await admissions.admit(scope, batch)
      if (admission !== 'stale' && admission.newSpans > 0) session.hint('spans')
      return admission
    },
    listSpanRefs: read(spans.listSpanRefs),
    readBatches: read(spans.readBatches),
    async listEvaluations(scope, filter, range) {
      const isSettled = range.isSettled || range.order === 'oldest'
      // Asked for before the snapshot is taken, which has to see everything up to there.
      const settled = isSettled ? await settledThrough(db) : undefined
      return db.snapshot((tx) => evaluations.listEvaluations(tx, scope, filter, range, settled))
    },
    getEvaluation: read(evaluations.getEvaluation),
    createJob: change(jobs.createJob, 'jobs'),
    getJob: read(jobs.getJob),
    listJobs: read(jobs.listJobs),
    cancelJob: write(jobs.cancelJob),
    listMonitors: read(monitorResults.listMonitors),
    getMonitor: read(monitorResults.getMonitor),
    readSeries: read(series.readSeries),
    readDistribution: read(series.readDistribution),
    readProgress: read(readProgress),
    readVolume: read(overviews.readVolume),
    readTrends: read(overviews.readTrends),
    async readCachedAnswer(scope, key) {
      const found = await judges.findCachedAnswer(db, scope, key)
      if (!found) return undefined
      const { isAging, ...cached } = found
      if (isAging) await judges.useCachedAnswer(db, scope, key)
      return cached
    },
    listProviderKeys: look(judges.listProviderKeys),
    putProviderKey: look(judges.putProviderKey),
    deleteProviderKey: look(judges.deleteProviderKey),
    listBudgets: look(judges.listBudgets),
    putBudget: look(judges.putBudget),
    deleteBudget: look(judges.deleteBudget),
    readSpend: look(judges.readSpend),
    listSpend: look(judges.listSpend),
    listTraces: read(listTraces),
    getTrace: look(traces.getTrace),
    listTracePlaces: look(traces.listTracePlaces),
    listSessions: read(traces.listSessions),
    listTraceEvaluations: read(traceEvaluations.listTraceEvaluations),
    listSessionEvaluations: read(traceEvaluations.listSessionEvaluations),
    readUsage: look(usage.readUsage),
    readSessionUsage: look(usage.readSessionUsage),
    addScores: write(scores.addScores),
    listScores: read(scores.listScores),
    listScoresOf: read(scores.listScoresOf),
    listVerdictPairs: read(scores.listVerdictPairs),
    readDecisions: read(explanations.readDecisions),
    listUndigestedBatches: look(explanations.listUndigestedBatches),
    listPassedOver: look(explanations.listPassedOver),
    listBatches: look(explanations.listBatches),
    readLimits: look(limits.readLimits),
    readResourceUse: look(limits.readResourceUse),
    units: {
      claimUnits: (limit, leaseMs, turns) =>
        claims.units.take((tx) => units.claimUnits(tx, holder, limit, leaseMs, turns)),
      readUnit: read(units.readUnit),
      recordUnit: write(units.recordUnit),
      postponeUnit: (...args) => persistence.do(() => write(units.postponeUnit)(...args)),
      skipUnit: write(units.skipUnit),
    },
    deleteTrace: write(deletions.deleteTrace),
    deleteSession: write(deletions.deleteSession),
    deleteProjectData: write(deletions.deleteProjectData),
    countProjectData: read(deletedData.countProjectData),
    getDeletion: look(deletedData.getDeletion),
    erasure: { eraseDeleted: (nowMs) => erasures.eraseDeleted(db, nowMs) },
    digest: {
      readUndigested: (limit, bytesMax) => digests.readUndigested(db, holder, limit, bytesMax),
      isDigested: read(digests.isDigested),
      recordDigests: refusable(write(digests.recordDigests)),
      readOverdue: look(digests.readOverdue),
      recordOverdue: refusable(write(digests.recordOverdue)),
      retryGivenUp: look(digests.retryGivenUp),
    },
    work: {
      resume: (current) => sweeping.resume(db, current),
      async rebind(current) {
        await sweeping.rebind(db, current)
        session.hint('setups')
      },
      claimSetups: (limit, leaseMs, writtenBeforeMs) =>
        claims.setups.take((tx) => processing.claimSetups(tx, holder, limit, leaseMs, writtenBeforeMs)),
      sampleMatches: read(processing.sampleMatches),
      async finishSetup(claim, outcome) {
        const isDone = await db.transaction((tx) => processing.finishSetup(tx, claim, outcome))
        session.hint('spans')
        return isDone
      },
      fillWork: write(monitors.fillWork),
      claimWork: (kind, limit, leaseMs, turns) =>
        claims[kind].take((tx) => work.claimWork(tx, holder, kind, limit, leaseMs, turns)),
      readMonitorVersions: look(work.readMonitorVersions),
      readWorkBatches: look(work.readWorkBatches),
      readMonitorOwners: look(work.readMonitorOwners),
      recordWork: write(records.recordWork),
      retryWork: (...args) => persistence.do(() => write(work.retryWork)(...args)),
      sweep: () => sweeping.sweep(db),
      dropExpired: (nowMs, hoursMax) => retention.dropExpired(db, nowMs, hoursMax),
      checkClock: (_nowMs, elapsedMs) => db.transaction((tx) => checkClock(tx, elapsedMs)),
    },
    jobs: {
      takeTurn: () => db.transaction((tx) => jobTurns.takeTurn(tx, holder)),
      readBackfillBatches: read(backfills.readBackfillBatches),
      recordBackfill: write(backfills.recordBackfill),
    },
    ledger: {
      recordCalls: write(judges.recordCalls),
      dropCachedAnswers: write(judges.dropCachedAnswers),
    },
    verification: openVerification(db),
    system: {
      findPrincipal: look(tenants.findPrincipal),
      isEmpty: look(tenants.isEmpty),
      createOrganization: write(tenants.createOrganization),
      listOrganizations: look(tenants.listOrganizations),
      readBacklog: read(readBacklog),
      putLimits: write(limits.putLimits),
      listResourceUse: look(limits.listResourceUse),
      exchangeRateUse: look(exchangeRateUse),
      async ping() {
        db.health.check()
        await ping(db)
        await db.transaction(probeDisk)
      },
    },
    onHint: (listener) => session.onHint(listener),
    async close() {
      await persistence.close()
      await session.close()
      await db.close()
    },
  }
}

async function openSession(db: PostgresDatabase, { logger }: PostgresOptions): Promise<PostgresSession> {
  await migrate(db)
  await refuseUnfinishedMove(db)
  await ensurePartitions(db, Date.now())
  return PostgresSession.open(db, logger)
}
