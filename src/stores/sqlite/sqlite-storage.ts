import { statfs } from 'node:fs/promises'
import path from 'node:path'
import { makeDirectory, makePrivate } from '../../lib/private-files.ts'
import type { StartThread } from '../../lib/threads/start-thread.ts'
import { startThread } from '../../lib/threads/start-thread.ts'
import type { Storage } from '../../ports/storage.ts'
import { type Facade, facadeOf } from '../shared/methods.ts'
import { Persistence } from '../shared/persistence.ts'
import { DISK_FULL, storeUnavailable } from '../shared/store-outage.ts'
import { sharedVerification } from '../shared/verification.ts'
import { ownDataDirectory } from './data-owner.ts'
import { recordInParts } from './digest-parts.ts'
import type { Search } from './search-deleted.ts'
import { StorageThreads, type ThreadOptions } from './storage-threads.ts'
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
export async function connectSqliteStorage(file: string, options: ThreadOptions): Promise<Storage> {
  const threads = await StorageThreads.start(file, options)
  const persistence = new Persistence()
  const facade = facadeOf((name, { kind }) =>
    kind === 'write'
      ? (...args: unknown[]) => threads.write(name, args)
      : (...args: unknown[]) => threads.read(name, args),
  )
  const { units, digest, work, jobs, ledger, verdicts, incidents, rollups, system } = facade
  return {
    ...facade.tenant,
    admitSpans: threads.writing('admitSpans'),
    listEvaluations: threads.reading('listEvaluations'),
    async readCachedAnswer(tenant, key) {
      const found = await threads.reading('findCachedAnswer')(tenant, key)
      if (!found) return undefined
      const { isAging, ...cached } = found
      if (isAging) await threads.writing('useCachedAnswer')(tenant, key)
      return cached
    },
    units: {
      ...units,
      claimUnits: threads.writing('claimUnits'),
      postponeUnit: (...args) => persistence.do(() => threads.writing('postponeUnit')(...args)),
    },
    erasure: erasureOf(threads),
    digest: {
      ...digest,
      readUndigested: threads.reading('readUndigested'),
      recordDigests: (...args) =>
        recordInParts(
          {
            recordDigests: threads.writing('recordDigests'),
            recordDigestPart: threads.writing('recordDigestPart'),
          },
          ...args,
        ),
      recordOverdue: threads.writing('recordOverdue'),
    },
    work: { ...work, ...queueOf(threads, persistence) },
    jobs: { ...jobs, takeTurn: threads.writing('takeTurn') },
    ledger,
    verdicts,
    incidents,
    rollups,
    verification: verificationOf(threads),
    system: {
      ...system,
      // There is no other process to exchange anything with.
      exchangeRateUse: async () => [],
      async ping() {
        threads.health.check()
        await Promise.all([threads.probeDisk(), threads.reading('ping')(), checkRoom(path.dirname(file))])
      },
    },
    // One process has the file for itself.
    onHint() {},
    async close() {
      await persistence.close()
      await threads.close()
    },
  }
}

function queueOf(
  threads: StorageThreads,
  persistence: Persistence,
): Omit<Storage['work'], keyof Facade['work']> {
  return {
    resume: threads.writing('resume'),
    rebind: threads.writing('rebind'),
    claimSetups: threads.writing('claimSetups'),
    finishSetup: threads.writing('finishSetup'),
    claimWork: threads.writing('claimWork'),
    retryWork: (...args) => persistence.do(() => threads.writing('retryWork')(...args)),
    sweep: threads.writing('sweep'),
    dropExpired: threads.writing('dropExpired'),
    checkClock: threads.writing('checkClock'),
  }
}

function erasureOf(threads: StorageThreads): Storage['erasure'] {
  let search: Search | undefined
  return {
    async eraseDeleted(nowMs) {
      const hidden = await threads.reading('findHiddenDeletions')()
      search ??= await threads.reading('findSearch')()
      if (search) {
        const step = await threads.reading('searchSome')(search)
        await threads.writing('recordSearch')(step)
        search = step.isEnded ? undefined : step.search
        return true
      }
      const prepared = await threads.reading('prepareErasure')()
      if (prepared) await threads.writing('recordErasure')(prepared)
      if (prepared || !(await threads.reading('hasErasures')(nowMs))) return prepared !== undefined
      if (await threads.writing('eraseRows')(nowMs)) return true
      // Nothing is left of what was hidden when this step began, except where a reader needs an older state of the file.
      if ((await threads.maintain('truncateLog')) && hidden.length > 0)
        await threads.writing('finishDeletions')(hidden, nowMs)
      return false
    },
  }
}

function verificationOf(threads: StorageThreads): Storage['verification'] {
  return {
    ...sharedVerification({
      ...SQLITE_DIALECT,
      read: (...queries) => threads.verifying('runQueries')(queries),
      write: (...statements) => threads.writing('runStatements')(statements),
    }),
    checkPages: threads.verifying('checkPages'),
    rebuildTrace: threads.writing('rebuildTrace'),
    rebuildRollups: threads.writing('rebuildRollups'),
    begin: threads.writing('beginVerification'),
  }
}

/** Throws when the disk has next to no room; a file system that does not count its blocks has room. */
async function checkRoom(dataDir: string): Promise<void> {
  const { bsize, blocks, bavail, bfree } = await statfs(dataDir)
  // Some blocks are kept for the superuser.
  const free = (process.getuid?.() === 0 ? bfree : bavail) * bsize
  if (blocks > 0 && free < DISK_BYTES_MIN) throw storeUnavailable(DISK_FULL, undefined)
}
