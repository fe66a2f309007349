import { statfs } from 'node:fs/promises'
import path from 'node:path'
import { makeDirectory, makePrivate } from '../../lib/private-files.ts'
import type { StartThread } from '../../lib/threads/start-thread.ts'
import { startThread } from '../../lib/threads/start-thread.ts'
import type { Storage } from '../../ports/storage.ts'
import { Persistence } from '../shared/persistence.ts'
import { StoreHealth } from '../shared/store-health.ts'
import { DISK_FULL, isUnavailable, storeUnavailable } from '../shared/store-outage.ts'
import { sharedVerification } from '../shared/verification.ts'
import { ownDataDirectory } from './data-owner.ts'
import { recordInParts } from './digest-parts.ts'
import type { ArgumentsOf, maintenance, reads, writes } from './operations.ts'
import type { Search } from './search-deleted.ts'
import { StorageThread } from './storage-thread.ts'
import { SQLITE_DIALECT } from './verify-operations.ts'

/** Name of the database file in the data directory. */
export const DATABASE_FILE = 'assay.db'

/** Where the store lives and how many threads may read at the same time. */
export interface SqliteOptions {
  readonly dataDir: string
  readonly readerThreads: number
  /** A service owns its data directory; commands that work on the store beside it do not. */
  readonly isOwner?: boolean
  /** Instead of the real threads, for tests that need a store that fails. */
  readonly startThread?: StartThread
  /** Pages at which the file is full, as on a disk without room; for tests. Absent: what the disk can hold. */
  readonly pagesMax?: number
}

/** A disk with less room than this counts as full: one large request needs more. */
const DISK_BYTES_MIN = 1_048_576
/** The thread that looks through the store ends when it was not asked for so long. */
const VERIFIER_IDLE_MS = 30_000

/** How the threads of a store are started. */
export interface ConnectOptions extends Pick<SqliteOptions, 'readerThreads' | 'pagesMax'> {
  readonly startThread: StartThread
}

type Reads = typeof reads
type Writes = typeof writes
type Maintenance = typeof maintenance

/**
 * The embedded store: one SQLite file, one thread that writes with group commit, a few that only read. No statement
 * ever runs on the main thread, so that a slow query does not hold up requests.
 */
export async function openSqliteStorage(options: SqliteOptions): Promise<Storage> {
  const { dataDir } = options
  makeDirectory(dataDir)
  const file = path.join(dataDir, DATABASE_FILE)
  const owner = options.isOwner ? ownDataDirectory(dataDir) : undefined
  try {
    makePrivate(file)
    const storage = await connectSqliteStorage(file, { startThread, ...options })
    const close = async () => {
      await storage.close()
      owner?.release()
    }
    return { ...storage, close }
  } catch (error) {
    owner?.release()
    throw error
  }
}

/** The store over the threads that are started for a file. Tests start threads of their own kind, which fail on purpose. */
export async function connectSqliteStorage(file: string, options: ConnectOptions): Promise<Storage> {
  const { readerThreads, pagesMax, startThread } = options
  const start: StartStorageThread = (role) =>
    StorageThread.start(startThread, {
      role,
      file,
      ...(role === 'writer' && pagesMax ? { pagesMax } : {}),
    })
  const [writer, reader] = await startThreads(start)
  const readers = new Readers(reader, start, readerThreads)
  const health = new StoreHealth()
  const persistence = new Persistence()

  const write =
    <Name extends keyof Writes>(name: Name) =>
    (...args: ArgumentsOf<Writes[Name]>) =>
      writer.call(name, args).catch((error) => {
        if (isUnavailable(error)) health.failed(error)
        throw error
      }) as Promise<Awaited<ReturnType<Writes[Name]>>>
  const read =
    <Name extends keyof Reads>(name: Name) =>
    (...args: ArgumentsOf<Reads[Name]>) =>
      readers.leastBusy().call(name, args) as Promise<Awaited<ReturnType<Reads[Name]>>>

  const maintain = (name: keyof Maintenance) =>
    writer.call(name, []) as Promise<Awaited<ReturnType<Maintenance[typeof name]>>>

  /** A thread of its own, so that nobody waits for a reader that goes over the whole store. It is there while it is used. */
  let verifying: Promise<StorageThread> | undefined
  let verifyingTimer: NodeJS.Timeout | undefined
  const verifier =
    <Name extends keyof Reads>(name: Name) =>
    async (...args: ArgumentsOf<Reads[Name]>) => {
      clearTimeout(verifyingTimer)
      verifying ??= start('reader')
      const thread = await verifying
      try {
        return (await thread.call(name, args)) as Awaited<ReturnType<Reads[Name]>>
      } finally {
        verifyingTimer = setTimeout(endVerifying, VERIFIER_IDLE_MS).unref()
      }
    }
  const endVerifying = async () => {
    clearTimeout(verifyingTimer)
    const thread = await verifying?.catch(() => undefined)
    verifying = undefined
    await thread?.close()
  }
  let search: Search | undefined

  return {
    createSetup: write('createSetup'),
    updateSetup: write('updateSetup'),
    deleteSetup: write('deleteSetup'),
    upsertSetups: write('upsertSetups'),
    getSetup: read('getSetup'),
    listSetups: read('listSetups'),
    createCustomEvaluator: write('createCustomEvaluator'),
    changeCustomEvaluator: write('changeCustomEvaluator'),
    listCustomEvaluators: read('listCustomEvaluators'),
    findCustomEvaluator: read('findCustomEvaluator'),
    listCustomVersions: read('listCustomVersions'),
    createExecution: write('createExecution'),
    getExecution: read('getExecution'),
    finishExecution: write('finishExecution'),
    createProject: write('createProject'),
    listProjects: read('listProjects'),
    createEnvironment: write('createEnvironment'),
    nameCaller: read('nameCaller'),
    createApiKey: write('createApiKey'),
    listApiKeys: read('listApiKeys'),
    revokeApiKey: write('revokeApiKey'),
    readCatalogue: read('readCatalogue'),
    admitSpans: write('admitSpans'),
    listSpanRefs: read('listSpanRefs'),
    readBatches: read('readBatches'),
    listEvaluations: read('listEvaluations'),
    getEvaluation: read('getEvaluation'),
    createJob: write('createJob'),
    getJob: read('getJob'),
    listJobs: read('listJobs'),
    cancelJob: write('cancelJob'),
    listMonitors: read('listMonitors'),
    getMonitor: read('getMonitor'),
    readSeries: read('readSeries'),
    readDistribution: read('readDistribution'),
    readProgress: read('readProgress'),
    readVolume: read('readVolume'),
    readTrends: read('readTrends'),
    async readCachedAnswer(scope, key) {
      const found = await read('findCachedAnswer')(scope, key)
      if (!found) return undefined
      const { isAging, ...cached } = found
      if (isAging) await write('useCachedAnswer')(scope, key)
      return cached
    },
    listProviderKeys: read('listProviderKeys'),
    putProviderKey: write('putProviderKey'),
    deleteProviderKey: write('deleteProviderKey'),
    listBudgets: read('listBudgets'),
    putBudget: write('putBudget'),
    deleteBudget: write('deleteBudget'),
    readSpend: read('readSpend'),
    listSpend: read('listSpend'),
    listTraces: read('listTraces'),
    getTrace: read('getTrace'),
    listTracePlaces: read('listTracePlaces'),
    listSessions: read('listSessions'),
    listTraceEvaluations: read('listTraceEvaluations'),
    listSessionEvaluations: read('listSessionEvaluations'),
    readUsage: read('readUsage'),
    readSessionUsage: read('readSessionUsage'),
    addScores: write('addScores'),
    listScores: read('listScores'),
    listScoresOf: read('listScoresOf'),
    listVerdictPairs: read('listVerdictPairs'),
    readDecisions: read('readDecisions'),
    listUndigestedBatches: read('listUndigestedBatches'),
    listPassedOver: read('listPassedOver'),
    listBatches: read('listBatches'),
    readLimits: read('readLimits'),
    readResourceUse: read('readResourceUse'),
    units: {
      claimUnits: write('claimUnits'),
      readUnit: read('readUnit'),
      recordUnit: write('recordUnit'),
      postponeUnit: (...args) => persistence.do(() => write('postponeUnit')(...args)),
      skipUnit: write('skipUnit'),
    },
    deleteTrace: write('deleteTrace'),
    deleteSession: write('deleteSession'),
    deleteProjectData: write('deleteProjectData'),
    countProjectData: read('countProjectData'),
    getDeletion: read('getDeletion'),
    erasure: {
      async eraseDeleted(nowMs) {
        const hidden = await read('findHiddenDeletions')()
        search ??= await read('findSearch')()
        if (search) {
          const step = await read('searchSome')(search)
          await write('recordSearch')(step)
          search = step.isEnded ? undefined : step.search
          return true
        }
        const prepared = await read('prepareErasure')()
        if (prepared) await write('recordErasure')(prepared)
        if (prepared || !(await read('hasErasures')(nowMs))) return prepared !== undefined
        if (await write('eraseRows')(nowMs)) return true
        // Nothing is left of what was hidden when this step began, except where a reader needs an older state of the file.
        if ((await maintain('truncateLog')) && hidden.length > 0)
          await write('finishDeletions')(hidden, nowMs)
        return false
      },
    },
    digest: {
      readUndigested: read('readUndigested'),
      isDigested: read('isDigested'),
      recordDigests: (...args) =>
        recordInParts(
          { recordDigests: write('recordDigests'), recordDigestPart: write('recordDigestPart') },
          ...args,
        ),
      readOverdue: read('readOverdue'),
      recordOverdue: write('recordOverdue'),
      retryGivenUp: write('retryGivenUp'),
    },
    work: {
      resume: write('resume'),
      rebind: write('rebind'),
      claimSetups: write('claimSetups'),
      sampleMatches: read('sampleMatches'),
      finishSetup: write('finishSetup'),
      fillWork: write('fillWork'),
      claimWork: write('claimWork'),
      readMonitorVersions: read('readMonitorVersions'),
      readWorkBatches: read('readWorkBatches'),
      readMonitorOwners: read('readMonitorOwners'),
      recordWork: write('recordWork'),
      retryWork: (...args) => persistence.do(() => write('retryWork')(...args)),
      sweep: write('sweep'),
      dropExpired: write('dropExpired'),
      checkClock: write('checkClock'),
    },
    jobs: {
      takeTurn: write('takeTurn'),
      readBackfillBatches: read('readBackfillBatches'),
      recordBackfill: write('recordBackfill'),
    },
    ledger: {
      recordCalls: write('recordCalls'),
      dropCachedAnswers: write('dropCachedAnswers'),
    },
    verification: {
      ...sharedVerification({
        ...SQLITE_DIALECT,
        read: (...queries) => verifier('runQueries')(queries),
        write: (...statements) => write('runStatements')(statements),
      }),
      checkPages: (part) => verifier('checkPages')(part),
      rebuildTrace: write('rebuildTrace'),
      rebuildRollups: write('rebuildRollups'),
      begin: write('beginVerification'),
    },
    system: {
      findPrincipal: read('findPrincipal'),
      isEmpty: read('isEmpty'),
      createOrganization: write('createOrganization'),
      listOrganizations: read('listOrganizations'),
      readBacklog: read('readBacklog'),
      putLimits: write('putLimits'),
      listResourceUse: read('listResourceUse'),
      // There is no other process to exchange anything with.
      exchangeRateUse: async () => [],
      async ping() {
        health.check()
        // Not as a write of a client: what the probe finds counts for this look only.
        await Promise.all([writer.call('probeDisk', []), read('ping')(), checkRoom(path.dirname(file))])
      },
    },
    // One process has the file for itself.
    onHint() {},
    async close() {
      await persistence.close()
      await endVerifying()
      await readers.close()
      // Last, so that its connection is the one that folds the WAL back into the file.
      await writer.close()
    },
  }
}

type StartStorageThread = (role: 'writer' | 'reader') => Promise<StorageThread>

/** Both at once, which is what most of a start waits for; when one fails the other is ended too. */
async function startThreads(
  start: StartStorageThread,
): Promise<[writer: StorageThread, reader: StorageThread]> {
  const writer = start('writer')
  const reader = start('reader')
  try {
    return await Promise.all([writer, reader])
  } catch (error) {
    for (const start of [writer, reader]) void start.then((thread) => thread.close()).catch(() => {})
    throw error
  }
}

/** The threads that read: one from the start, the others when those that are there have something to do already. */
class Readers {
  readonly #start: StartStorageThread
  readonly #threadsMax: number
  readonly #threads: StorageThread[]
  readonly #starting = new Set<Promise<void>>()
  #isClosed = false

  constructor(first: StorageThread, start: StartStorageThread, threadsMax: number) {
    this.#threads = [first]
    this.#start = start
    this.#threadsMax = threadsMax
  }

  leastBusy(): StorageThread {
    const thread = this.#threads.reduce((best, next) => (next.pending < best.pending ? next : best))
    if (thread.pending > 0) this.#grow()
    return thread
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#starting)
    await Promise.all(this.#threads.map((thread) => thread.close()))
  }

  #grow(): void {
    if (this.#isClosed || this.#threads.length + this.#starting.size >= this.#threadsMax) return
    const start = this.#start('reader')
      .then((thread) => void this.#threads.push(thread))
      // Those that are there go on reading, and the next call tries again.
      .catch(() => {})
      .finally(() => this.#starting.delete(start))
    this.#starting.add(start)
  }
}

/** Throws when the disk has next to no room; a file system that does not count its blocks has room. */
async function checkRoom(dataDir: string): Promise<void> {
  const { bsize, blocks, bavail, bfree } = await statfs(dataDir)
  // Some blocks are kept for the superuser.
  const free = (process.getuid?.() === 0 ? bfree : bavail) * bsize
  if (blocks > 0 && free < DISK_BYTES_MIN) throw storeUnavailable(DISK_FULL, undefined)
}
