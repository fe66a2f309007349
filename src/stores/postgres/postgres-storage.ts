import type { Storage } from '../../ports/storage.ts'
import type { ClaimedUnit } from '../../ports/unit-storage.ts'
import type { ClaimedSetup, ClaimedWork } from '../../ports/work-storage.ts'
import { findCachedAnswer, useCachedAnswer } from '../shared/judge-operations.ts'
import { type Facade, facadeOf, type OwnOperations } from '../shared/methods.ts'
import { Persistence } from '../shared/persistence.ts'
import type { Sql } from '../shared/sql.ts'
import { AdmissionDesk } from './admission-desk.ts'
import * as backfills from './backfill-operations.ts'
import { Claims } from './claims.ts'
import { checkClock } from './clock-operations.ts'
import * as deletions from './deletion-operations.ts'
import * as digests from './digest-operations.ts'
import * as erasures from './erasure-operations.ts'
import * as evaluations from './evaluation-operations.ts'
import { HeldConnection } from './held-connection.ts'
import * as jobTurns from './job-turn-operations.ts'
import { migrate } from './migrate.ts'
import * as monitors from './monitor-operations.ts'
import { ensurePartitions } from './partitions.ts'
import { PostgresDatabase, type PostgresOptions } from './postgres-database.ts'
import * as processing from './processing-operations.ts'
import { exchangeRateUse } from './rate-use.ts'
import * as records from './record-operations.ts'
import { settledThrough } from './recording-order.ts'
import { refusable } from './refused-data.ts'
import { releaseSetupsAfter, releaseUnitsAfter, releaseWorkAfter } from './release-orphans.ts'
import * as retention from './retention-operations.ts'
import * as setupChanges from './setup-changes.ts'
import * as spans from './span-operations.ts'
import { ping, probeDisk } from './store-probe.ts'
import * as sweeping from './sweep-operations.ts'
import { listTraces } from './trace-search.ts'
import { refuseUnfinishedMove } from './unfinished-move.ts'
import * as units from './unit-operations.ts'
import { deriveVerdicts } from './verdict-operations.ts'
import { openVerification } from './verify-operations.ts'
import { readProgress } from './waiting-spans.ts'
import * as work from './work-operations.ts'

/** The operations that this store has of its own. */
const OWN: OwnOperations<Sql> = {
  updateSetup: setupChanges.updateSetup,
  deleteSetup: setupChanges.deleteSetup,
  upsertSetups: setupChanges.upsertSetups,
  readCatalogue: spans.readCatalogue,
  listSpanRefs: spans.listSpanRefs,
  readBatches: spans.readBatches,
  getEvaluation: evaluations.getEvaluation,
  readProgress,
  listTraces,
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
  deriveVerdicts,
}

/**
 * The store of several processes: one PostgreSQL database. Any number of processes may have it open; what one of them has
 * written when its promise resolves, every other sees.
 */
export async function openPostgresStorage(options: PostgresOptions): Promise<Storage> {
  const db = new PostgresDatabase(options)
  const held = await holdConnection(db, options).catch(async (error) => {
    await db.close()
    throw error
  })
  const persistence = new Persistence()
  const admissions = new AdmissionDesk(db)
  const facade = openFacade(db, held)
  const { holder } = held
  return {
    ...facade.tenant,
    async admitSpans(tenant, batch) {
      const admission = await admissions.admit(tenant, batch)
      if (admission !== 'stale' && admission.newSpans > 0) held.hint('spans')
      return admission
    },
    async listEvaluations(tenant, filter, range) {
      const isSettled = range.isSettled || range.order === 'oldest'
      // Asked for before the snapshot is taken, which has to see everything up to there.
      const settled = isSettled ? await settledThrough(db) : undefined
      return db.snapshot((tx) => evaluations.listEvaluations(tx, tenant, filter, range, settled))
    },
    async readCachedAnswer(tenant, key) {
      const found = await findCachedAnswer(db, tenant, key)
      if (!found) return undefined
      const { isAging, ...cached } = found
      if (isAging) await useCachedAnswer(db, tenant, key)
      return cached
    },
    erasure: { eraseDeleted: (nowMs) => erasures.eraseDeleted(db, nowMs) },
    digest: {
      ...facade.digest,
      readUndigested: (limit, bytesMax) => digests.readUndigested(db, holder, limit, bytesMax),
      recordDigests: refusable((...args) => db.transaction((tx) => digests.recordDigests(tx, ...args))),
      recordOverdue: refusable((...args) => db.transaction((tx) => digests.recordOverdue(tx, ...args))),
    },
    ...openQueues(db, held, persistence, facade),
    jobs: { ...facade.jobs, takeTurn: () => db.transaction((tx) => jobTurns.takeTurn(tx, holder)) },
    ledger: facade.ledger,
    verdicts: facade.verdicts,
    incidents: facade.incidents,
    rollups: facade.rollups,
    verification: openVerification(db),
    system: {
      ...facade.system,
      exchangeRateUse: (...args) => exchangeRateUse(db, ...args),
      async ping() {
        db.health.check()
        await ping(db)
        await db.transaction(probeDisk)
      },
    },
    onHint: (listener) => held.onHint(listener),
    async close() {
      await persistence.close()
      await held.close()
      await db.close()
    },
  }
}

function openFacade(db: PostgresDatabase, held: HeldConnection): Facade {
  const own: Record<string, unknown> = { ...OWN }
  return facadeOf((name, { kind, hint, operation = own[name] }) => {
    const run = operation as (sql: Sql, ...args: unknown[]) => Promise<unknown>
    if (kind === 'look') return (...args: unknown[]) => run(db, ...args)
    if (kind === 'read') return (...args: unknown[]) => db.snapshot((tx) => run(tx, ...args))
    return async (...args: unknown[]) => {
      const result = await db.transaction((tx) => run(tx, ...args))
      if (hint) held.hint(hint)
      return result
    }
  })
}

/** The queues of work and of units, whose claims are held by this process. */
function openQueues(
  db: PostgresDatabase,
  held: HeldConnection,
  persistence: Persistence,
  facade: Facade,
): Pick<Storage, 'units' | 'work'> {
  const { holder } = held
  const claims = {
    local: new Claims<ClaimedWork>(db, (tx, lease) => releaseWorkAfter(tx, holder, 'local', lease)),
    judged: new Claims<ClaimedWork>(db, (tx, lease) => releaseWorkAfter(tx, holder, 'judged', lease)),
    units: new Claims<ClaimedUnit>(db, (tx, lease) => releaseUnitsAfter(tx, holder, lease)),
    setups: new Claims<ClaimedSetup>(db, (tx, lease) => releaseSetupsAfter(tx, holder, lease)),
  }
  return {
    units: {
      ...facade.units,
      claimUnits: (limit, leaseMs, turns) =>
        claims.units.take((tx) => units.claimUnits(tx, holder, limit, leaseMs, turns)),
      postponeUnit: (...args) =>
        persistence.do(() => db.transaction((tx) => units.postponeUnit(tx, ...args))),
    },
    work: {
      ...facade.work,
      resume: (current) => sweeping.resume(db, current),
      async rebind(current) {
        await sweeping.rebind(db, current)
        held.hint('setups')
      },
      claimSetups: (limit, leaseMs, writtenBeforeMs) =>
        claims.setups.take((tx) => processing.claimSetups(tx, holder, limit, leaseMs, writtenBeforeMs)),
      async finishSetup(claim, outcome) {
        const isDone = await db.transaction((tx) => processing.finishSetup(tx, claim, outcome))
        held.hint('spans')
        return isDone
      },
      claimWork: (kind, limit, leaseMs, turns) =>
        claims[kind].take((tx) => work.claimWork(tx, holder, kind, limit, leaseMs, turns)),
      retryWork: (...args) => persistence.do(() => db.transaction((tx) => work.retryWork(tx, ...args))),
      sweep: () => sweeping.sweep(db),
      dropExpired: (nowMs, hoursMax) => retention.dropExpired(db, nowMs, hoursMax),
      checkClock: (_nowMs, elapsedMs) => db.transaction((tx) => checkClock(tx, elapsedMs)),
    },
  }
}

async function holdConnection(db: PostgresDatabase, { logger }: PostgresOptions): Promise<HeldConnection> {
  await migrate(db)
  await refuseUnfinishedMove(db)
  await ensurePartitions(db, Date.now())
  return HeldConnection.open(db, logger)
}
