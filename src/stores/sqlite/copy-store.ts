import { closeSync, existsSync, fsyncSync, linkSync, mkdtempSync, openSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { makePrivate } from '../../lib/private-files.ts'
import { startThread } from '../../lib/threads/start-thread.ts'
import type { CopyOrder } from './copy-thread.ts'
import { DATABASE_FILE } from './sqlite-storage.ts'

/** A copy that is being made. */
export interface StoreCopy {
  /** Resolves with the size in bytes when the copy is complete and on the disk. */
  readonly finished: Promise<number>
  /** Takes away what is there so far; the process has to end after that. */
  abandon(): void
}

/**
 * Copies the store while a service writes to it: everything that was acknowledged before is in the copy. It is written aside
 * and gets its name when it is complete; a file that is there already stays as it is.
 */
export function copyStore(dataDir: string, target: string): StoreCopy {
  const file = path.join(dataDir, DATABASE_FILE)
  if (!existsSync(file)) throw new Error(`there is no store in ${dataDir}`)
  makePrivate(file)
  refuseExisting(target)
  // A directory, so that a thread that comes to it late, after it was abandoned, cannot make the file once more.
  const directory = mkdtempSync(`${target}.unfinished-`)
  const abandon = () => rmSync(directory, { recursive: true, force: true })
  const draft = path.join(directory, DATABASE_FILE)
  // As private as the store. SQLite takes an empty file as it takes none.
  makePrivate(draft)
  const finished = copy({ file, draft }).then(() => publish(draft, target))
  return { finished: finished.finally(abandon), abandon }
}

function copy(order: CopyOrder): Promise<void> {
  const thread = startThread(import.meta.url, 'copy-thread', order)
  return new Promise((resolve, reject) => {
    thread.once('message', () => resolve())
    thread.once('error', reject)
    thread.once('exit', () => reject(new Error('the copying thread ended')))
  })
}

/** A link and not a renaming, which would replace a file that has come there meanwhile. */
function publish(draft: string, target: string): number {
  flush(draft)
  try {
    linkSync(draft, target)
  } catch (error) {
    refuseExisting(target)
    throw error
  }
  flush(path.dirname(target))
  return statSync(target).size
}

function refuseExisting(target: string): void {
  if (existsSync(target)) throw new Error(`${target} exists already and stays as it is`)
}

function flush(file: string): void {
  const handle = openSync(file, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
