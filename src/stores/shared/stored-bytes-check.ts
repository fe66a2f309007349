import type { RelationSlice } from '../../ports/verification-storage.ts'
import type { VerifyDb } from './verify-db.ts'

/** Name of the check, as a report shows it. */
export const STORED_BYTES = 'stored bytes and batches'

const sumOf = (table: string) =>
  `(SELECT coalesce(sum(length(b.bytes)), 0) FROM ${table} b WHERE b.project_number = $1)`
const SUM = `(${sumOf('span_batches')} + ${sumOf('span_contents')} + ${sumOf('span_images')})`

/** Compares what limits go by with the batches, log events and images themselves, one project a slice, and counts again where it is to repair. */
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
