import path from 'node:path'
import { type Config, ConfigError } from '../config.ts'
import { copyStore, type StoreCopy } from '../stores/sqlite/copy-store.ts'

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
