import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Storage } from '../../ports/storage.ts'
import type { ArgumentsOf, reads, writes } from './operations.ts'
import { ThreadClient } from './thread-client.ts'

/** Name of the database file in the data directory. */
export const DATABASE_FILE = 'assay.db'

/** Where the store lives and how many threads may read at the same time. */
export interface SqliteOptions {
  readonly dataDir: string
  readonly readerThreads: number
}

type Reads = typeof reads
type Writes = typeof writes

/**
 * The embedded store: one SQLite file, one thread that writes with group commit, a few that only read. No statement
 * ever runs on the main thread, so that a slow query does not hold up requests.
 */
export async function openSqliteStorage({ dataDir, readerThreads }: SqliteOptions): Promise<Storage> {
  makeDirectory(dataDir)
  const file = path.join(dataDir, DATABASE_FILE)
  const [writer, ...readers] = await startThreads(file, readerThreads)

  const write =
    <Name extends keyof Writes>(name: Name) =>
    (...args: ArgumentsOf<Writes[Name]>) =>
      writer.call(name, args) as Promise<ReturnType<Writes[Name]>>
  const read =
    <Name extends keyof Reads>(name: Name) =>
    (...args: ArgumentsOf<Reads[Name]>) =>
      leastBusy(readers).call(name, args) as Promise<ReturnType<Reads[Name]>>

  return {
    createSetup: write('createSetup'),
    updateSetup: write('updateSetup'),
    deleteSetup: write('deleteSetup'),
    upsertSetups: write('upsertSetups'),
    getSetup: read('getSetup'),
    listSetups: read('listSetups'),
    createCustomEvaluator: write('createCustomEvaluator'),
    listCustomEvaluators: read('listCustomEvaluators'),
    createProject: write('createProject'),
    listProjects: read('listProjects'),
    createEnvironment: write('createEnvironment'),
    createApiKey: write('createApiKey'),
    listApiKeys: read('listApiKeys'),
    revokeApiKey: write('revokeApiKey'),
    readCatalogue: read('readCatalogue'),
    admitSpans: write('admitSpans'),
    listSpanRefs: read('listSpanRefs'),
    readBatches: read('readBatches'),
    listEvaluations: read('listEvaluations'),
    getEvaluation: read('getEvaluation'),
    listMonitors: read('listMonitors'),
    getMonitor: read('getMonitor'),
    readSeries: read('readSeries'),
    readProgress: read('readProgress'),
    work: {
      resume: write('resume'),
      claimSetups: write('claimSetups'),
      sampleMatches: read('sampleMatches'),
      finishSetup: write('finishSetup'),
      fillWork: write('fillWork'),
      claimWork: write('claimWork'),
      readMonitorVersions: read('readMonitorVersions'),
      readWorkBatches: read('readWorkBatches'),
      recordWork: write('recordWork'),
      retryWork: write('retryWork'),
      sweep: write('sweep'),
      dropExpired: write('dropExpired'),
    },
    system: {
      findPrincipal: read('findPrincipal'),
      isEmpty: read('isEmpty'),
      createOrganization: write('createOrganization'),
      listOrganizations: read('listOrganizations'),
      async ping() {
        await Promise.all([write('ping')(), read('ping')()])
      },
    },
    async close() {
      await Promise.all(readers.map((reader) => reader.close()))
      // Last, so that its connection is the one that folds the WAL back into the file.
      await writer.close()
    },
  }
}

/** All threads at once, which is what most of a start waits for; when one fails the others are ended too. */
async function startThreads(file: string, readerThreads: number): Promise<[ThreadClient, ...ThreadClient[]]> {
  const starting = [
    ThreadClient.start({ role: 'writer', file }),
    ...Array.from({ length: readerThreads }, () => ThreadClient.start({ role: 'reader', file })),
  ] as [Promise<ThreadClient>, ...Promise<ThreadClient>[]]
  try {
    return await Promise.all(starting)
  } catch (error) {
    for (const start of starting) void start.then((thread) => thread.close()).catch(() => {})
    throw error
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

function leastBusy(threads: readonly ThreadClient[]): ThreadClient {
  return threads.reduce((best, thread) => (thread.pending < best.pending ? thread : best))
}
