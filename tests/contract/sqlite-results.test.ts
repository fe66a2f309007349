import { after } from 'node:test'
import { openSqliteStorage } from '../../src/adapters/sqlite/sqlite-storage.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { describeResults } from './result-contract.ts'

describeResults({ name: 'sqlite', open, reopen: () => open() })

async function open(): Promise<Storage> {
  const storage = await openSqliteStorage({ dataDir: temporaryDirectory(), readerThreads: 2 })
  after(() => storage.close())
  return storage
}
