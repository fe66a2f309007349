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

/** The side of a thread's port that serving needs. */
export interface StoragePort {
  /** The listener's promise is awaited where all threads are simulated in one; a fault of its own ends the thread. */
  on(event: 'message', listener: (message: Call | 'close') => Promise<void>): unknown
  postMessage(message: Outcome[] | 'ready'): void
  close(): void
  /** Takes the next message that has arrived but not been delivered; undefined when there is none. */
  takeWaiting(): Call | 'close' | undefined
}

/** Opens the connection of a thread. Tests pass one that fails on purpose. */
export type OpenDatabase = (role: ThreadRole) => SqliteDatabase

/**
 * Most calls that share one commit. Calls are never held back to wait for company: what arrives while one commit
 * flushes becomes the next group, so a single call waits for no other and many share the disk.
 */
const GROUP_CALLS_MAX = 1_000

/** The inside of a storage thread. The writer owns the only connection that writes; readers come beside it. */
export function serveSqlite(port: StoragePort, thread: ThreadRole, open: OpenDatabase = openDatabase): void {
  const { role, pagesMax } = thread
  // A reader opens at its first call: it starts beside the writer, which may only just be making the file.
  let db: SqliteDatabase | undefined
  const database = () => {
    db ??= open(thread)
    return db
  }
  if (role === 'writer') migrate(database())
  if (pagesMax !== undefined) database().exec(`PRAGMA max_page_count = ${pagesMax}`)

  const serve = async (message: Call | 'close') => {
    const calls = role === 'writer' ? [message, ...waitingMessages(port)] : [message]
    const closing = calls.includes('close')
    const work = calls.filter((call) => call !== 'close')
    if (work.length > 0) port.postMessage(await run(database(), role, work))
    if (closing) {
      db?.close()
      port.close()
    }
  }
  // One after the other: what runs on a connection belongs to the transaction that is open on it.
  let last = Promise.resolve()
  port.on('message', (message) => {
    last = last.then(() => serve(message))
    return last
  })
  port.postMessage('ready')
}

async function run(db: SqliteDatabase, role: ThreadRole['role'], calls: readonly Call[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  if (role === 'reader') {
    for (const call of calls) outcomes.push(await readSnapshot(db, reads, call))
    return outcomes
  }
  const isApart = ({ operation }: Call) => Object.hasOwn(maintenance, operation)
  const group = calls.filter((call) => !isApart(call))
  if (group.length > 0) outcomes.push(...(await commitGroup(db, writes, group)))
  for (const call of calls.filter(isApart)) outcomes.push(await runCall(db, maintenance, call))
  return outcomes
}

function openDatabase({ role, file }: ThreadRole): SqliteDatabase {
  return role === 'writer' ? SqliteDatabase.openWriter(file) : SqliteDatabase.openReader(file)
}

function waitingMessages(port: StoragePort): (Call | 'close')[] {
  const waiting: (Call | 'close')[] = []
  while (waiting.length < GROUP_CALLS_MAX - 1) {
    const next = port.takeWaiting()
    if (next === undefined) break
    waiting.push(next)
  }
  return waiting
}
