import type { RelationSlice } from '../../ports/verification-storage.ts'
import type { VerifyDb } from './verify-db.ts'

/** Name of the check, as a report shows it. */
export const STORED_BYTES = 'stored bytes and batches'

const SUM = `((SELECT coalesce(sum(length(b.bytes)), 0) FROM span_batches b WHERE b.project_number = $1)
  + (SELECT coalesce(sum(length(i.bytes)), 0) FROM span_images i WHERE i.project_number = $1))`

/** Compares what limits go by with the batches and images themselves, one project a slice, and counts again where it is to repair. */
export async function checkStoredBytes(
  db: VerifyDb,
  from: string | undefined,
  isRepairing: boolean,
): Promise<RelationSlice> {
  const [[project] = []] = await db.read({
    sql: 'SELECT min(number) AS number FROM projects WHERE number > $1',
    values: [Number(from ?? -1)],
  })
  const number = project?.['number']
  if (number === null || number === undefined) return { checked: 0, wrong: 0, repaired: 0 }
  const values = [Number(number)]
  const [[row] = []] = await db.read({
    sql: `SELECT coalesce((SELECT s.bytes FROM stored_bytes s WHERE s.project_number = $1), 0) AS said, ${SUM} AS counted`,
    values,
  })
  const isWrong = Number(row?.['said']) !== Number(row?.['counted'])
  if (isWrong && isRepairing) {
    const hold = db.holdProject ? [{ sql: db.holdProject, values }] : []
    await db.write(...hold, {
      sql: `INSERT INTO stored_bytes (project_number, bytes) SELECT $1, ${SUM} WHERE true
            ON CONFLICT (project_number) DO UPDATE SET bytes = excluded.bytes`,
      values,
    })
  }
  const wrong = Number(isWrong)
  return { checked: 1, wrong, repaired: isRepairing ? wrong : 0, next: String(number) }
}
