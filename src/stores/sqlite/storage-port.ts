import { type MessagePort, parentPort, receiveMessageOnPort } from 'node:worker_threads'
import type { StoragePort } from './serve-sqlite.ts'

/** The port of the worker thread that calls this, as serving needs it. */
export function storagePort(): StoragePort {
  if (!parentPort) throw new Error('a storage thread runs only as a worker thread')
  return storagePortOf(parentPort)
}

/** A port, as serving needs it. */
export function storagePortOf(port: MessagePort): StoragePort {
  return {
    on: (event, listener) => port.on(event, listener),
    postMessage: (message) => port.postMessage(message),
    close: () => port.close(),
    takeWaiting: () => receiveMessageOnPort(port)?.message,
  }
}
