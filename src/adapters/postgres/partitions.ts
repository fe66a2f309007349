import type { PostgresDatabase } from './postgres-database.ts'

/** Makes the partitions that will be needed next. */
export async function ensurePartitions(_db: PostgresDatabase, _nowMs: number): Promise<void> {}
