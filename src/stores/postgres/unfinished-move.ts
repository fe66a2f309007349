import type { Sql } from '../shared/sql.ts'

/** Refuses a database that holds only a part of a store that is being moved to it. */
export async function refuseUnfinishedMove(db: Sql): Promise<void> {
  const unfinished = await db.get('SELECT 1 FROM store_moves WHERE finished_at IS NULL')
  if (unfinished)
    throw new Error('a store is being moved to this database; carry `assay migrate-store` on to its end')
}
