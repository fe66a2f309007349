import { EventEmitter } from 'node:events'
import type { MessagePort, Worker } from 'node:worker_threads'
import { findBuiltIn } from '../../src/evaluators/catalogue.ts'
import type { AnyEvaluator } from '../../src/evaluators/kit/define-evaluator.ts'
import type { StartThread } from '../../src/lib/threads/start-thread.ts'
import type { IngestThreadData } from '../../src/pipeline/ingest/ingest-thread-client.ts'
import { serveIngest } from '../../src/pipeline/ingest/serve-ingest.ts'
import type { EvaluatorSource } from '../../src/pipeline/judging/judging-message.ts'
import { serveJudging } from '../../src/pipeline/judging/serve-judging.ts'
import { serveEvaluations, type ThreadData } from '../../src/pipeline/scoring/serve-evaluations.ts'
import type { Call, Outcome } from '../../src/stores/sqlite/operations.ts'
import { type OpenDatabase, type StoragePort, serveSqlite } from '../../src/stores/sqlite/serve-sqlite.ts'
import type { CallWatch } from './call-watch.ts'
import { Channel, type Place, type World } from './world.ts'

/** How likely a call that has arrived waits for the next group instead of joining this one. */
const LATER_GROUP = 0.3

/** The outside of a thread that is played in this one. */
class VirtualWorker extends EventEmitter {
  readonly inside = new EventEmitter()
  readonly toThread: Channel
  readonly toMain: Channel
  isEnded = false
  /** Settles when the thread has done what the last message asked for, where it promises to. */
  handled: Promise<void> | undefined

  constructor(world: World, place: Place) {
    super()
    this.toThread = new Channel(world, place, (message) => {
      this.handled = undefined
      if (!this.isEnded) this.inside.emit('message', message)
      return this.handled
    })
    this.toMain = new Channel(world, place, (message) => {
      if (!this.isEnded) this.emit('message', message)
      return undefined
    })
  }

  postMessage(message: unknown, transfer: readonly ArrayBuffer[] = []): void {
    if (!this.isEnded) this.toThread.send(structuredClone(message, { transfer: [...transfer] }))
  }

  async terminate(): Promise<number> {
    if (!this.isEnded) {
      this.isEnded = true
      this.emit('exit', 1)
    }
    return 1
  }

  unref(): void {}
}

/** Starts the threads of a process as events of the world: the code of each is the service's own. */
export function virtualThreads(
  world: World,
  place: Place,
  openDatabase: OpenDatabase,
  calls: CallWatch,
): StartThread {
  return (_callerUrl, moduleName, workerData) => {
    const watch = moduleName === 'sqlite-thread' ? calls.forThread() : undefined
    const worker = new VirtualWorker(world, place)
    const { inside, toThread, toMain } = worker
    const port = {
      on: (event: string, listener: (message: unknown) => Promise<void> | undefined) =>
        inside.on(event, (message: unknown) => {
          watch?.before(message as Call)
          worker.handled = listener(message)
        }),
      postMessage: (message: unknown, transfer: ArrayBuffer[] = []) => {
        if (message !== 'ready') watch?.after(message as Outcome[])
        toMain.send(structuredClone(message, { transfer }))
      },
      close: () => void worker.terminate(),
      takeWaiting: () => {
        const next = world.dice.isLikely(LATER_GROUP) ? undefined : toThread.take()
        if (next !== undefined) watch?.before(next as Call)
        return next
      },
    }
    serve(moduleName, port as unknown as MessagePort & StoragePort, workerData, openDatabase)
    return worker as unknown as Worker
  }
}

function serve(
  moduleName: string,
  port: MessagePort & StoragePort,
  data: unknown,
  openDatabase: OpenDatabase,
): void {
  if (moduleName === 'sqlite-thread')
    serveSqlite(port, data as { role: 'writer'; file: string }, openDatabase)
  else if (moduleName === 'ingest-thread') serveIngest(port, data as IngestThreadData, queueMicrotask)
  else if (moduleName === 'evaluation-thread') serveEvaluations(port, data as ThreadData, findBuiltInOf)
  else if (moduleName === 'judging-thread') serveJudging(port, { privacy: 'off' }, findBuiltInOf)
  else throw new Error(`nobody plays ${moduleName}`)
}

function findBuiltInOf(source: EvaluatorSource): AnyEvaluator | undefined {
  return 'custom' in source ? undefined : findBuiltIn(source.slug)
}
