import type { Worker } from 'node:worker_threads'

/** A thread of a pool, and the memory that it shares with its user. */
export interface PooledThread<Shared = unknown> {
  readonly worker: Worker
  readonly shared: Shared
  /** It has said that it is ready. */
  isLoaded: boolean
}

/** Options of a pool. */
export interface ThreadPoolOptions<Shared> {
  /** Threads at the same time, idle ones too; only what keeps one ready asks. */
  readonly threadsMax: number
  /** A thread has failed, with or without something to do. */
  readonly onFailed: (error: unknown) => void
  start(): { readonly worker: Worker; readonly shared: Shared }
}

/** Threads that run one task at a time, for lanes that choose the task. They start when they are first needed. */
export class ThreadPool<Shared = unknown> {
  readonly #options: ThreadPoolOptions<Shared>
  readonly #threads = new Set<PooledThread<Shared>>()
  readonly #idle: PooledThread<Shared>[] = []
  #isClosed = false

  constructor(options: ThreadPoolOptions<Shared>) {
    this.#options = options
  }

  /** A thread that is idle, or else a new one. Throws when none can be started. */
  take(): PooledThread<Shared> {
    return this.#idle.pop() ?? this.#start()
  }

  /** The thread can do something else. */
  free(thread: PooledThread<Shared>): void {
    if (this.#threads.has(thread)) this.#idle.push(thread)
  }

  /** The thread gets nothing more to do. */
  retire(thread: PooledThread<Shared>): void {
    this.#forget(thread)
    void thread.worker.terminate()
  }

  /** Keeps a thread ready for tasks that come while all others are busy: loading one takes longer than a task should wait. */
  keepSpare(): void {
    if (this.#idle.length > 0 || this.#threads.size >= this.#options.threadsMax || this.#isClosed) return
    try {
      this.#idle.push(this.#start())
    } catch {
      // The next task that needs a thread reports the failure.
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()))
  }

  #start(): PooledThread<Shared> {
    const thread: PooledThread<Shared> = { ...this.#options.start(), isLoaded: false }
    this.#threads.add(thread)
    thread.worker.on('message', (message) => {
      if (message === 'ready') thread.isLoaded = true
    })
    // Also one that has nothing to do at the moment may fail; without a listener that would end the whole service.
    thread.worker.on('error', (error) => {
      this.#forget(thread)
      this.#options.onFailed(error)
    })
    thread.worker.once('exit', () => this.#forget(thread))
    return thread
  }

  #forget(thread: PooledThread<Shared>): void {
    this.#threads.delete(thread)
    const at = this.#idle.indexOf(thread)
    if (at >= 0) this.#idle.splice(at, 1)
  }
}
