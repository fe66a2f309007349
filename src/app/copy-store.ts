import path from 'node:path'
import { copyStore, type StoreCopy } from '../adapters/sqlite/copy-store.ts'
import { type Config, ConfigError } from '../config.ts'

export type { StoreCopy }

/** Begins a copy of the embedded store. A PostgreSQL database has programs of its own for that. */
export function beginCopy(config: Config, target: string): StoreCopy {
  if (config.databaseUrl !== undefined) {
    throw new ConfigError(
      'ASSAY_DATABASE_URL is set: a PostgreSQL database is copied with pg_dump, see docs/operations.md',
    )
  }
  return copyStore(config.dataDir, path.resolve(target))
}
