import { Worker } from 'node:worker_threads'
import type { StartThread } from '../../src/lib/threads/start-thread.ts'

/** The ways in which the disk of an embedded store can fail. */
export const SQLITE_FAULTS = ['none', 'full', 'read-only', 'broken'] as const

/** A fault of the embedded store. */
export type SqliteFault = (typeof SQLITE_FAULTS)[number]

/** Threads for an embedded store that fails on demand, while it is open. */
export function faultySqlite(): { readonly startThread: StartThread; set(fault: SqliteFault): void } {
  const fault = new Int32Array(new SharedArrayBuffer(4))
  return {
    startThread: (_callerUrl, moduleName, data) =>
      new Worker(new URL('./faulty-sqlite-thread.ts', import.meta.url), {
        name: moduleName,
        workerData: { ...(data as object), fault },
      }),
    set: (name) => void Atomics.store(fault, 0, SQLITE_FAULTS.indexOf(name)),
  }
}
