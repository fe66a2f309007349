import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'

/** Only the user that runs the service may read what its users send. */
const PRIVATE = 0o600

/** Makes the data directory; one that is made here is open to its owner only. */
export function makeDirectory(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new Error(`the data directory ${dataDir} cannot be used: ${(error as Error).message}`)
  }
}

/**
 * Makes a database file, and those that SQLite keeps beside it, private, whatever the umask says and however they were made
 * before. SQLite takes an empty file as a new database and gives its own files the mode of the database.
 */
export function makePrivate(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', PRIVATE))
  for (const each of [file, `${file}-wal`, `${file}-shm`, `${file}-journal`]) {
    if (existsSync(each)) tighten(each)
  }
}

/** Takes from everyone but the owner what they may do with a file; a file of another user stays as it is. */
export function tighten(file: string): void {
  if ((statSync(file).mode & 0o777) === PRIVATE) return
  try {
    chmodSync(file, PRIVATE)
  } catch (error) {
    // A volume that belongs to another user, who decides about its modes. The store works all the same.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error
    process.emitWarning(
      `${file} belongs to another user and can be read by others: its mode cannot be changed`,
    )
  }
}
