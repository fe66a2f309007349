import { FairQueue } from '../fair-queue.ts'
import type { PooledThread, ThreadPool } from './thread-pool.ts'

/** The state of a thread after a task: free, or no longer usable. */
export interface RunEnd {
  readonly thread: 'free' | 'lost'
  /** The task is not finished and goes on at the next turn of its key. */
  readonly isUnfinished?: boolean
}

/** A task for a thread of the pool. */
export interface LaneTask<Key, Shared> {
  /** The key whose turn it takes. */
  readonly key: Key
  /** Runs the task and reports the result to its caller; never rejects. */
  run(thread: PooledThread<Shared>): Promise<RunEnd>
  /** No thread can be started, or the lane is closed before the task has its turn. */
  refuse(error: Error): void
  /** The task has a thread from now on. */
  onTurn?(): void
}

/** Options of a lane. */
export interface FairLaneOptions<Shared> {
  /** Threads at the same time. */
  readonly threadsMax: number
  /** The same while a key waits that has no thread and none has become free for `reliefMs`. */
  readonly reliefThreadsMax: number
  /** A task that runs for so long has a thread started for relief. */
  readonly reliefMs: number
  /** The cost of a turn before its time is known, in milliseconds. */
  readonly startCost: number
  /** Tells a thread whether another key waits for it. */
  readonly want?: (thread: PooledThread<Shared>, isWanted: boolean) => void
}

/**
 * Tasks that wait for threads of a pool. Keys take turns by the time that their tasks have run. When no thread has become free
 * for a while, all of them are busy with long tasks: then a key that runs nothing gets one more.
 */
export class FairLane<Key, Shared> {
  readonly #pool: ThreadPool<Shared>
  readonly #options: FairLaneOptions<Shared>
  readonly #waiting = new FairQueue<Key, LaneTask<Key, Shared>>()
  readonly #running = new Map<LaneTask<Key, Shared>, PooledThread<Shared>>()
  #relief: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(pool: ThreadPool<Shared>, options: FairLaneOptions<Shared>) {
    this.#pool = pool
    this.#options = options
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Tasks that wait for their turn. */
  get waitingCount(): number {
    return this.#waiting.size
  }

  push(task: LaneTask<Key, Shared>): void {
    this.#waiting.push(task.key, task)
    this.#dispatch()
  }

  /** Removes a task that is no longer wanted; false when it has had its turn. */
  remove(task: LaneTask<Key, Shared>): boolean {
    return this.#waiting.remove(task.key, task)
  }

  /** Refuses what waits, and what runs. The threads are the pool's. */
  close(error: Error): void {
    this.#isClosed = true
    clearTimeout(this.#relief)
    for (const task of [...this.#waiting.drain(), ...this.#running.keys()]) task.refuse(error)
  }

  #dispatch(): void {
    while (this.#give(this.#options.threadsMax, () => true));
    for (const [{ key }, thread] of this.#running) this.#options.want?.(thread, this.#isOtherWaiting(key))
    if (this.#waiting.size > 0 && !this.#isClosed)
      this.#relief ??= setTimeout(this.#onRelief, this.#options.reliefMs)
  }

  readonly #onRelief = (): void => {
    this.#relief = undefined
    const busy = new Set([...this.#running.keys()].map(({ key }) => key))
    this.#give(this.#options.reliefThreadsMax, (key) => !busy.has(key))
    this.#dispatch()
  }

  /** Gives a thread to the next task, where fewer than so many are in use; false when there is none to give. */
  #give(threadsMax: number, mayServe: (key: Key) => boolean): boolean {
    if (this.#running.size >= threadsMax || this.#isClosed) return false
    const task = this.#waiting.shift(mayServe)?.item
    if (!task) return false
    task.onTurn?.()
    try {
      void this.#run(this.#pool.take(), task)
    } catch (error) {
      task.refuse(error as Error)
    }
    return true
  }

  async #run(thread: PooledThread<Shared>, task: LaneTask<Key, Shared>): Promise<void> {
    const { reliefMs, startCost, want } = this.#options
    const begunMs = performance.now()
    this.#running.set(task, thread)
    want?.(thread, this.#isOtherWaiting(task.key))
    this.#waiting.charge(task.key, startCost)
    // Loading does not count: on a busy machine it takes longer than most tasks, and says nothing about this one.
    let spare: NodeJS.Timeout | undefined
    const watch = () => {
      spare ??= setTimeout(() => this.#pool.keepSpare(), reliefMs)
    }
    if (thread.isLoaded) watch()
    else thread.worker.once('message', watch)
    const end = await task.run(thread)
    this.#running.delete(task)
    thread.worker.off('message', watch)
    clearTimeout(spare)
    clearTimeout(this.#relief)
    this.#relief = undefined
    this.#waiting.charge(task.key, performance.now() - begunMs - startCost)
    if (end.thread === 'free') this.#pool.free(thread)
    else this.#pool.retire(thread)
    if (end.isUnfinished && !this.#isClosed) this.#waiting.unshift(task.key, task)
    this.#dispatch()
  }

  #isOtherWaiting(key: Key): boolean {
    for (const each of this.#waiting.keys) if (each !== key) return true
    return false
  }
}
