import type { Config } from '../config.ts'
import type { Logger } from '../ports/logger.ts'
import { type ComparedTable, moveStore } from '../stores/move/move-store.ts'

export type { ComparedTable }

/** Moves the store in the data directory to a PostgreSQL database and compares both. */
export function moveToPostgres(
  config: Config,
  url: string,
  logger: Logger,
  onProgress: (table: string, rows: number) => void,
): Promise<ComparedTable[]> {
  return moveStore({
    dataDir: config.dataDir,
    postgres: { url, connectionsMax: 2, statementMsMax: config.databaseStatementMsMax, logger },
    onProgress,
  })
}
