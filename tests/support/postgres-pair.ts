import { after } from 'node:test'
import type { Storage } from '../../src/ports/storage.ts'
import { openPostgresStorage } from '../../src/stores/postgres/postgres-storage.ts'
import { recycledDatabase } from './postgres-store.ts'
import { recordingLogger } from './recording-logger.ts'

/** Two stores on one database, a new one unless it is named, as two processes have it open. */
export async function openPair(database?: string): Promise<readonly [Storage, Storage]> {
  const url = database ?? (await recycledDatabase())
  return Promise.all([openAt(url), openAt(url)])
}

/** The same thing done many times at once, half of it by each of the two. */
export function race<T>(
  stores: readonly [Storage, Storage],
  times: number,
  act: (storage: Storage, index: number) => Promise<T>,
): Promise<T[]> {
  return Promise.all(Array.from({ length: times }, (_, index) => act(stores[index % 2 === 0 ? 0 : 1], index)))
}

async function openAt(url: string): Promise<Storage> {
  const storage = await openPostgresStorage({
    url,
    connectionsMax: 4,
    statementMsMax: 300_000,
    connectMsMax: 300_000,
    logger: recordingLogger([]),
  })
  after(() => storage.close())
  return storage
}
