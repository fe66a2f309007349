import type { WorkKind } from '../../ports/work-storage.ts'
import type { Sql } from '../shared/sql.ts'
import { LOCK_CLASS } from './lock-project.ts'
import type { PostgresDatabase } from './postgres-database.ts'

/** Processes whose session is open. */
const LIVE = `SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = ${LOCK_CLASS.holder}
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

/** Ends the leases of processes that are gone, so that what they had begun need not wait until its lease runs out. */
export async function releaseOrphans(db: PostgresDatabase): Promise<void> {
  await releaseHolders(db, await findOrphans(db))
}

/** Processes that have leases and no session. */
export async function findOrphans(db: PostgresDatabase): Promise<number[]> {
  const orphans = await db.all<{ holder: number }>(
    `SELECT holder FROM (
       SELECT holder FROM work WHERE state = 1
       UNION SELECT holder FROM units WHERE state = 1
       UNION SELECT holder FROM setups WHERE lease IS NOT NULL
       UNION SELECT holder FROM digest_progress WHERE holder IS NOT NULL
       UNION SELECT holder FROM jobs WHERE holder IS NOT NULL) AS held
     WHERE holder IS NOT NULL AND holder NOT IN (${LIVE})`,
  )
  return orphans.map((row) => row.holder)
}

const RELEASE_WORK = 'UPDATE work SET state = 0, lease = NULL, holder = NULL WHERE state = 1'
const RELEASE_UNITS = 'UPDATE units SET state = 0, lease = NULL, holder = NULL WHERE state = 1'
const RELEASE_SETUPS = `UPDATE setups SET lease = NULL, holder = NULL,
    has_news = CASE WHEN status IN ('partial', 'failed') THEN 1 ELSE has_news END,
    status = CASE status WHEN 'in_progress' THEN 'pending' ELSE status END
  WHERE lease IS NOT NULL`

/** Ends the leases of a process on work of one kind that it got behind a lease. */
export function releaseWorkAfter(tx: Sql, holder: number, kind: WorkKind, lease: number): Promise<number> {
  const isJudged = Number(kind === 'judged')
  return tx.run(`${RELEASE_WORK} AND holder = $1 AND is_judged = $2 AND lease > $3`, holder, isJudged, lease)
}

/** The same for units. */
export function releaseUnitsAfter(tx: Sql, holder: number, lease: number): Promise<number> {
  return tx.run(`${RELEASE_UNITS} AND holder = $1 AND lease > $2`, holder, lease)
}

/** The same for setups. */
export function releaseSetupsAfter(tx: Sql, holder: number, lease: number): Promise<number> {
  return tx.run(`${RELEASE_SETUPS} AND holder = $1 AND lease > $2`, holder, lease)
}

/** Ends all leases of these processes; a worker that still holds one cannot publish any more. */
export async function releaseHolders(db: PostgresDatabase, holders: readonly number[]): Promise<void> {
  if (holders.length === 0) return
  await db.transaction(async (tx) => {
    await tx.run(`${RELEASE_WORK} AND holder = ANY($1)`, holders)
    await tx.run(`${RELEASE_UNITS} AND holder = ANY($1)`, holders)
    await tx.run(`${RELEASE_SETUPS} AND holder = ANY($1)`, holders)
    await tx.run(
      'UPDATE digest_progress SET holder = NULL, held_until_ms = 0 WHERE holder = ANY($1)',
      holders,
    )
    await tx.run('UPDATE jobs SET holder = NULL, held_until_ms = 0 WHERE holder = ANY($1)', holders)
  })
}
