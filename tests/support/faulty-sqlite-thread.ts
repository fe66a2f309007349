// A storage thread whose writing connection can be put out of order from outside, by SQLite itself.

import { DatabaseSync } from 'node:sqlite'
import { workerData } from 'node:worker_threads'
import { SQLITE_FAULTS } from './faulty-sqlite.ts'

const { role, fault } = workerData as { role: string; fault: Int32Array }
const exec = DatabaseSync.prototype.exec
let current: string = 'none'

// Every group of writes begins with this statement, so that a fault holds from the next write on.
if (role === 'writer') {
  DatabaseSync.prototype.exec = function (sql) {
    const wanted = SQLITE_FAULTS[Atomics.load(fault, 0)] ?? 'none'
    if (sql === 'BEGIN IMMEDIATE' && wanted !== current) {
      exec.call(this, 'PRAGMA query_only = OFF; PRAGMA max_page_count = 4294967294')
      if (wanted === 'read-only') exec.call(this, 'PRAGMA query_only = ON')
      if (wanted === 'full') exec.call(this, 'PRAGMA max_page_count = 1')
      current = wanted
    }
    // A commit appends to the log, which needs room of its own.
    if (sql === 'COMMIT' && current === 'full') throw sqliteError('database or disk is full', 13)
    if (sql === 'COMMIT' && current === 'broken') throw sqliteError('disk I/O error', 1034)
    return exec.call(this, sql)
  }
}

await import('../../src/stores/sqlite/sqlite-thread.ts')

/** As Node makes it of a result code: 13 is SQLITE_FULL, 1034 is SQLITE_IOERR_FSYNC. */
function sqliteError(message: string, errcode: number): Error {
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode })
}
