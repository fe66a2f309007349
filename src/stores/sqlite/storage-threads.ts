import type { StartThread } from '../../lib/threads/start-thread.ts'
import { StoreHealth } from '../shared/store-health.ts'
import { isUnavailable } from '../shared/store-outage.ts'
import type { ArgumentsOf, maintenance, ReadingSteps, WritingSteps } from './operations.ts'
import { StorageThread } from './storage-thread.ts'

/** How the threads of a store are started. */
export interface ThreadOptions {
  /** Threads that may read at the same time. */
  readonly readerThreads: number
  readonly startThread: StartThread
  /** Pages at which the file is full, as on a disk without room; for tests. Absent: what the disk can hold. */
  readonly pagesMax?: number
}

/** The thread that looks through the store ends when it was not asked for so long. */
const VERIFIER_IDLE_MS = 30_000

type Maintenance = typeof maintenance
type AnswerOf<Step extends (...args: never[]) => unknown> = Promise<Awaited<ReturnType<Step>>>

/** The threads of an embedded store: one that writes, a few that only read, and now and then one that looks through all of it. */
export class StorageThreads {
  /** The outages that writes have met. */
  readonly health = new StoreHealth()
  readonly #start: StartStorageThread
  readonly #writer: StorageThread
  readonly #readers: Readers
  #verifier: Promise<StorageThread> | undefined
  #verifierTimer: NodeJS.Timeout | undefined

  private constructor(
    start: StartStorageThread,
    [writer, reader]: readonly [StorageThread, StorageThread],
    readerThreads: number,
  ) {
    this.#start = start
    this.#writer = writer
    this.#readers = new Readers(reader, start, readerThreads)
  }

  static async start(file: string, options: ThreadOptions): Promise<StorageThreads> {
    const { readerThreads, pagesMax, startThread } = options
    const start: StartStorageThread = (role) =>
      StorageThread.start(startThread, {
        role,
        file,
        ...(role === 'writer' && pagesMax ? { pagesMax } : {}),
      })
    return new StorageThreads(start, await startThreads(start), readerThreads)
  }

  /** A method or a step that writes, by its name. */
  async write(name: string, args: readonly unknown[]): Promise<unknown> {
    try {
      return await this.#writer.call(name, args)
    } catch (error) {
      if (isUnavailable(error)) this.health.failed(error)
      throw error
    }
  }

  /** A method or a step that only reads, by its name. */
  read(name: string, args: readonly unknown[]): Promise<unknown> {
    return this.#readers.leastBusy().call(name, args)
  }

  writing<Name extends keyof WritingSteps>(name: Name) {
    return (...args: ArgumentsOf<WritingSteps[Name]>) =>
      this.write(name, args) as AnswerOf<WritingSteps[Name]>
  }

  reading<Name extends keyof ReadingSteps>(name: Name) {
    return (...args: ArgumentsOf<ReadingSteps[Name]>) => this.read(name, args) as AnswerOf<ReadingSteps[Name]>
  }

  /** Between two transactions. */
  maintain<Name extends keyof Maintenance>(name: Name) {
    return this.#writer.call(name, []) as AnswerOf<Maintenance[Name]>
  }

  /** Not as a write of a client: what the probe finds counts for this look only. */
  async probeDisk(): Promise<void> {
    await this.#writer.call('probeDisk', [])
  }

  /** In a thread of its own, so that no call waits for a reader that goes over the whole store. It is there while it is used. */
  verifying<Name extends keyof ReadingSteps>(name: Name) {
    return async (...args: ArgumentsOf<ReadingSteps[Name]>) => {
      clearTimeout(this.#verifierTimer)
      this.#verifier ??= this.#start('reader')
      const thread = await this.#verifier
      try {
        return (await thread.call(name, args)) as Awaited<AnswerOf<ReadingSteps[Name]>>
      } finally {
        this.#verifierTimer = setTimeout(() => this.#endVerifier(), VERIFIER_IDLE_MS).unref()
      }
    }
  }

  async close(): Promise<void> {
    await this.#endVerifier()
    await this.#readers.close()
    // Last, so that its connection is the one that folds the WAL back into the file.
    await this.#writer.close()
  }

  async #endVerifier(): Promise<void> {
    clearTimeout(this.#verifierTimer)
    const thread = await this.#verifier?.catch(() => undefined)
    this.#verifier = undefined
    await thread?.close()
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
