import type { Sql } from '../shared/sql.ts'
import { READ_ONLY, storeUnavailable } from '../shared/store-outage.ts'

/** Resolves when the database answers and is not read-only. */
export async function ping(db: Sql): Promise<void> {
  const row = await db.get<{ is_read_only: string }>(
    "SELECT current_setting('transaction_read_only') AS is_read_only",
  )
  if (row?.is_read_only === 'on') throw storeUnavailable(READ_ONLY, undefined)
}

/** Writes a little and takes it away again, which needs room on the disk. Each probe has a name of its own: none waits for another. */
export async function probeDisk(tx: Sql): Promise<void> {
  const probe = await tx.get<{ name: string }>(
    `INSERT INTO service_state (name, value)
     SELECT 'probe-' || gen_random_uuid(), string_agg(md5(random()::text), '') FROM generate_series(1, 512)
     RETURNING name`,
  )
  await tx.run('DELETE FROM service_state WHERE name = $1', probe?.name ?? '')
}
