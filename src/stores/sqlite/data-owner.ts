import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { makeDirectory, makePrivate } from '../../lib/private-files.ts'
import { isBusy } from './sqlite-database.ts'

/** Name of the file whose lock says that a service works on the data directory. */
const LOCK_FILE = 'owner.lock'

/** The right to run a service on a data directory. */
export interface DataOwner {
  release(): void
}

/**
 * Makes this process the only service on a data directory, or throws naming the process that is. The lock is one of the
 * operating system, held through a small SQLite file of its own: it goes with its process, however that ends, and commands
 * that work on the store beside the service do not ask for it. The owner's pid is the file's user_version.
 */
export function ownDataDirectory(dataDir: string): DataOwner {
  makeDirectory(dataDir)
  const file = path.join(dataDir, LOCK_FILE)
  makePrivate(file)
  const lock = new DatabaseSync(file)
  try {
    // A journal in memory: a disk that is full must not keep a service from starting.
    lock.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (!isBusy(error)) throw error
    throw new Error(
      `a service already runs on the data directory ${dataDir}: process ${ownerOf(file)}. ` +
        'Stop it first, or give this one another ASSAY_DATA_DIR.',
    )
  }
  signWith(lock, process.pid)
  return { release: () => lock.close() }
}

/** The lock outlives the transaction because of its mode; what cannot be written for lack of room is only the name. */
function signWith(lock: DatabaseSync, pid: number): void {
  try {
    lock.exec(`PRAGMA user_version = ${pid}; COMMIT`)
  } catch {
    if (lock.isTransaction) lock.exec('ROLLBACK')
    lock.exec('BEGIN EXCLUSIVE')
  }
}

/** Reads past the lock, through SQLite: if this process itself held it, closing the file any other way would end it. */
function ownerOf(file: string): string {
  const address = pathToFileURL(file)
  address.search = 'immutable=1'
  const reader = new DatabaseSync(address, { readOnly: true })
  try {
    const row = reader.prepare('PRAGMA user_version').get() as { user_version: number }
    return row.user_version > 0 ? String(row.user_version) : 'unknown'
  } finally {
    reader.close()
  }
}
