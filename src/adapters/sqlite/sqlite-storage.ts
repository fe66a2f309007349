import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Storage } from '../../ports/storage.ts'
import type { StartThread } from '../../ports/threads.ts'
import { startThread } from '../system/start-thread.ts'
import type { ArgumentsOf, maintenance, reads, writes } from './operations.ts'
import type { Search } from './search-deleted.ts'
import { ThreadClient } from './thread-client.ts'

/** Name of the database file in the data directory. */
export const DATABASE_FILE = 'assay.db'

/** Where the store lives and how many threads may read at the same time. */
export interface SqliteOptions {
  readonly dataDir: string
  readonly readerThreads: number
  /** Pages at which the file is full, as on a disk without room; for tests. Absent: what the disk can hold. */
  readonly pagesMax?: number
}

/** How the threads of a store are started. */
export interface ConnectOptions extends Omit<SqliteOptions, 'dataDir' | 'pagesMax'> {
  readonly pagesMax?: number | undefined
  readonly startThread: StartThread
}

type Reads = typeof reads
type Writes = typeof writes
type Maintenance = typeof maintenance

/**
 * The embedded store: one SQLite file, one thread that writes with group commit, a few that only read. No statement
 * ever runs on the main thread, so that a slow query does not hold up requests.
 */
export async function openSqliteStorage({
  dataDir,
  readerThreads,
  pagesMax,
}: SqliteOptions): Promise<Storage> {
  makeDirectory(dataDir)
  return connectSqliteStorage(path.join(dataDir, DATABASE_FILE), { readerThreads, startThread, pagesMax })
}

/** The store over the threads that are started for a file. Tests start threads of their own kind, which fail on purpose. */
export async function connectSqliteStorage(
  file: string,
  { readerThreads, pagesMax, startThread }: ConnectOptions,
): Promise<Storage> {
  const [writer, reader] = await startThreads(file, pagesMax, startThread)
  const readers = new Readers(reader, file, readerThreads, startThread)

  const write =
    <Name extends keyof Writes>(name: Name) =>
    (...args: ArgumentsOf<Writes[Name]>) =>
      writer.call(name, args) as Promise<ReturnType<Writes[Name]>>
  const read =
    <Name extends keyof Reads>(name: Name) =>
    (...args: ArgumentsOf<Reads[Name]>) =>
      readers.leastBusy().call(name, args) as Promise<ReturnType<Reads[Name]>>

  const maintain = (name: keyof Maintenance) =>
    writer.call(name, []) as Promise<ReturnType<Maintenance[typeof name]>>

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
    units: {
      claimUnits: write('claimUnits'),
      readUnit: read('readUnit'),
      recordUnit: write('recordUnit'),
      postponeUnit: write('postponeUnit'),
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
      recordDigests: write('recordDigests'),
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
      retryWork: write('retryWork'),
      sweep: write('sweep'),
      dropExpired: write('dropExpired'),
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
    system: {
      findPrincipal: read('findPrincipal'),
      isEmpty: read('isEmpty'),
      createOrganization: write('createOrganization'),
      listOrganizations: read('listOrganizations'),
      readBacklog: read('readBacklog'),
      async ping() {
        await Promise.all([write('ping')(), read('ping')()])
      },
    },
    // One process has the file for itself.
    onHint() {},
    async close() {
      await readers.close()
      // Last, so that its connection is the one that folds the WAL back into the file.
      await writer.close()
    },
  }
}

/** Both at once, which is what most of a start waits for; when one fails the other is ended too. */
async function startThreads(
  file: string,
  pagesMax: number | undefined,
  startThread: StartThread,
): Promise<[writer: ThreadClient, reader: ThreadClient]> {
  const writer = ThreadClient.start({ role: 'writer', file, ...(pagesMax ? { pagesMax } : {}) }, startThread)
  const reader = ThreadClient.start({ role: 'reader', file }, startThread)
  try {
    return await Promise.all([writer, reader])
  } catch (error) {
    for (const start of [writer, reader]) void start.then((thread) => thread.close()).catch(() => {})
    throw error
  }
}

/** The threads that read: one from the start, the others when those that are there have something to do already. */
class Readers {
  readonly #file: string
  readonly #threadsMax: number
  readonly #threads: ThreadClient[]
  readonly #startThread: StartThread
  readonly #starting = new Set<Promise<void>>()
  #isClosed = false

  constructor(first: ThreadClient, file: string, threadsMax: number, startThread: StartThread) {
    this.#threads = [first]
    this.#file = file
    this.#threadsMax = threadsMax
    this.#startThread = startThread
  }

  leastBusy(): ThreadClient {
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
    const start = ThreadClient.start({ role: 'reader', file: this.#file }, this.#startThread)
      .then((thread) => void this.#threads.push(thread))
      // Those that are there go on reading, and the next call tries again.
      .catch(() => {})
      .finally(() => this.#starting.delete(start))
    this.#starting.add(start)
  }
}

// A directory that is made here is open to its owner only: it holds what users send and the first key.
function makeDirectory(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new Error(`the data directory ${dataDir} cannot be used: ${(error as Error).message}`)
  }
}
