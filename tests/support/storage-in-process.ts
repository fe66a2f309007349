import { EventEmitter } from 'node:events'
import { MessageChannel, type Worker } from 'node:worker_threads'
import type { StartThread } from '../../src/lib/threads/start-thread.ts'
import { type StoragePort, serveSqlite, type ThreadRole } from '../../src/stores/sqlite/serve-sqlite.ts'
import { storagePortOf } from '../../src/stores/sqlite/storage-port.ts'

/**
 * Storage threads that run in the calling thread: the same messages over a real port, without the tenth of a second that
 * loading a thread takes. For tests that open many stores.
 */
export const startInProcess: StartThread = (_callerUrl, _moduleName, role) => {
  const { port1: inside, port2: outside } = new MessageChannel()
  const thread = Object.assign(new EventEmitter(), {
    postMessage: (message: unknown) => outside.postMessage(message),
    terminate: async () => outside.close(),
  })
  outside.on('message', (message) => thread.emit('message', message))
  outside.on('close', () => thread.emit('exit', 0))
  /** An exception ends this thread, not the one that started it. */
  const guarded = async (act: () => unknown) => {
    try {
      await act()
    } catch (error) {
      thread.emit('error', error)
      inside.close()
    }
  }
  const port: StoragePort = {
    ...storagePortOf(inside),
    on: (event, listener) => inside.on(event, (message) => guarded(() => listener(message))),
  }
  // As with a thread, the caller can listen before anything is said.
  setImmediate(() => guarded(() => serveSqlite(port, role as ThreadRole)))
  return thread as unknown as Worker
}
