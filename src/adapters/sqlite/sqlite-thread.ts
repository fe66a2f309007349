// The inside of a storage thread. The writer owns the only connection that writes; readers come beside it.

import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { commitGroup, readSnapshot, runCall } from './group-commit.ts'
import { migrate } from './migrate.ts'
import { type Call, maintenance, type Outcome, reads, writes } from './operations.ts'
import { SqliteDatabase } from './sqlite-database.ts'

/** How a thread is started. */
export interface ThreadRole {
  readonly role: 'writer' | 'reader'
  readonly file: string
  readonly pagesMax?: number
}

/**
 * Most calls that share one commit. Calls are never held back to wait for company: what arrives while one commit
 * flushes becomes the next group, so a single call waits for nobody and many share the disk.
 */
const GROUP_CALLS_MAX = 1_000

const port = parentPort
if (!port) throw new Error('sqlite-thread runs only as a worker thread')
const { role, file, pagesMax } = workerData as ThreadRole

// A reader opens at its first call: it starts beside the writer, which may only just be making the file.
let db: SqliteDatabase | undefined
if (role === 'writer') migrate(openDatabase())
if (pagesMax !== undefined) openDatabase().exec(`PRAGMA max_page_count = ${pagesMax}`)

port.on('message', (message: Call | 'close') => {
  const calls = role === 'writer' ? [message, ...waitingMessages()] : [message]
  const closing = calls.includes('close')
  const work = calls.filter((call) => call !== 'close')
  if (work.length > 0) port.postMessage(run(work))
  if (closing) {
    db?.close()
    port.close()
  }
})
port.postMessage('ready')

function run(calls: readonly Call[]): Outcome[] {
  const database = openDatabase()
  if (role === 'writer') {
    const isApart = ({ operation }: Call) => Object.hasOwn(maintenance, operation)
    const group = calls.filter((call) => !isApart(call))
    return [
      ...(group.length > 0 ? commitGroup(database, writes, group) : []),
      ...calls.filter(isApart).map((call) => runCall(database, maintenance, call)),
    ]
  }
  return calls.map((call) => readSnapshot(database, reads, call))
}

function openDatabase(): SqliteDatabase {
  db ??= role === 'writer' ? SqliteDatabase.openWriter(file) : SqliteDatabase.openReader(file)
  return db
}

function waitingMessages(): (Call | 'close')[] {
  const waiting: (Call | 'close')[] = []
  while (port && waiting.length < GROUP_CALLS_MAX - 1) {
    const next = receiveMessageOnPort(port)
    if (!next) break
    waiting.push(next.message)
  }
  return waiting
}
