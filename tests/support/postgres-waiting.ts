import { setTimeout as sleep } from 'node:timers/promises'
import type { Sql } from '../../src/stores/shared/sql.ts'

const PATIENCE_MS = 300_000
const LOOK_MS = 5

/** Waits until a connection of this database waits for a lock that another one has. */
export async function untilSomebodyWaits(db: Sql): Promise<void> {
  const untilMs = Date.now() + PATIENCE_MS
  while (Date.now() < untilMs) {
    const row = await db.get(
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    )
    if (row) return
    await sleep(LOOK_MS)
  }
  throw new Error('nobody waits for a lock')
}
