import { after } from 'node:test'
import pg from 'pg'
import type { Storage } from '../../src/ports/storage.ts'
import { openPostgresStorage } from '../../src/stores/postgres/postgres-storage.ts'
import { recycledDatabase } from '../support/postgres-store.ts'
import { recordingLogger } from '../support/recording-logger.ts'
import { rowValues } from '../support/test-store.ts'
import { describeStorage } from './storage-contract.ts'

const urls = new Map<Storage, string>()

describeStorage({
  name: 'postgres',
  open: async () => openAt(await recycledDatabase()),
  async reopen(storage) {
    await storage.close()
    return openAt(urls.get(storage) ?? '')
  },
  // The files belong to the server, which keeps old versions of rows until it cleans up; what can be read are the rows.
  async files(storage) {
    const client = new pg.Client({ connectionString: urls.get(storage) ?? '' })
    await client.connect()
    try {
      return await rowValues(client)
    } finally {
      await client.end()
    }
  },
})

async function openAt(url: string): Promise<Storage> {
  const storage = await openPostgresStorage({
    url,
    connectionsMax: 4,
    statementMsMax: 300_000,
    connectMsMax: 300_000,
    logger: recordingLogger([]),
  })
  urls.set(storage, url)
  after(() => storage.close())
  return storage
}
