import type { Config } from '../config.ts'
import type { Logger } from '../ports/logger.ts'
import type { Storage } from '../ports/storage.ts'
import { openSqliteStorage, type SqliteOptions } from '../stores/sqlite/sqlite-storage.ts'

/** How a process uses the store: a service owns its data directory, commands work beside it. */
export type StoreOptions = Pick<SqliteOptions, 'isOwner' | 'startThread'>

/** The store that the settings name: a PostgreSQL database, or else a file of this process. */
export async function openStorage(config: Config, logger: Logger, options?: StoreOptions): Promise<Storage> {
  const { databaseUrl: url, dataDir, readerThreads } = config
  if (url === undefined) return openSqliteStorage({ dataDir, readerThreads, ...options })
  // Loaded only where it is used, so that the start of the embedded store does not wait for it.
  const { openPostgresStorage } = await import('../stores/postgres/postgres-storage.ts')
  return openPostgresStorage({
    url,
    connectionsMax: config.databaseConnections,
    statementMsMax: config.databaseStatementMsMax,
    connectMsMax: config.databaseConnectMsMax,
    logger,
  })
}
