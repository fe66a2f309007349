// Copies the store in a thread of its own: SQLite does it in one call, and the process has to hear signals meanwhile.

import { parentPort, workerData } from 'node:worker_threads'
import { SqliteDatabase } from './sqlite-database.ts'

/** Which file is copied, and to where: a file that is empty. */
export interface CopyOrder {
  readonly file: string
  readonly draft: string
}

const { file, draft } = workerData as CopyOrder
const db = SqliteDatabase.openReader(file)
// One snapshot, whatever is written meanwhile; pages that are free are left out, and with them what was deleted.
db.run('VACUUM INTO ?', draft)
db.close()
parentPort?.postMessage('copied')
