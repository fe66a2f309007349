import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { after } from 'node:test'
import type { Storage } from '../../src/ports/storage.ts'
import { openSqliteStorage } from '../../src/stores/sqlite/sqlite-storage.ts'
import { migratedDirectory } from '../support/migrated-directory.ts'
import { startInProcess } from '../support/storage-in-process.ts'
import { describeStorage } from './storage-contract.ts'

const directories = new Map<Storage, string>()

describeStorage({
  name: 'sqlite',
  open: () => openIn(migratedDirectory()),
  async reopen(storage) {
    await storage.close()
    return openIn(directories.get(storage) ?? '')
  },
  async files(storage) {
    const directory = directories.get(storage) ?? ''
    const names = await readdir(directory)
    return Promise.all(names.map((name) => readFile(path.join(directory, name))))
  },
})

async function openIn(dataDir: string): Promise<Storage> {
  const storage = await openSqliteStorage({ dataDir, readerThreads: 2, startThread: startInProcess })
  directories.set(storage, dataDir)
  after(() => storage.close())
  return storage
}
