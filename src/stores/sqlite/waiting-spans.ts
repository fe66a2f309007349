import { progressReader } from '../shared/series-operations.ts'
import { type WaitingRow, WaitingSpans } from '../shared/series-rows.ts'
import type { Sql } from '../shared/sql.ts'

/** Pieces of open work that are read at a time. */
const WORK_SLICE = 5_000

/** Open work of all projects lies together in order of its batches, so one walk along its index finds that of a project. */
async function countWaitingSpans(
  db: Sql,
  project: number,
  environment: string | null,
): Promise<WaitingSpans> {
  const waiting = new WaitingSpans()
  for (let place = { batchId: 0, version: 0 }; ; ) {
    const rows = await db.all<WaitingRow>(
      `SELECT w.batch_id, w.monitor_version, w.units, b.received_at_ms
       FROM work w INDEXED BY work_open
       JOIN monitors m ON m.version_number = w.monitor_version AND m.is_active = 1
       JOIN span_batches b ON b.id = w.batch_id
       WHERE w.state < 2 AND w.job_number = 0 AND (w.batch_id, w.monitor_version) > ($1, $2)
         AND m.project_number = $3 AND ($4 IS NULL OR b.env_project_id = $4)
       ORDER BY w.batch_id, w.monitor_version LIMIT $5`,
      place.batchId,
      place.version,
      project,
      environment,
      WORK_SLICE,
    )
    for (const row of rows) waiting.add(row)
    const last = rows.at(-1)
    if (!last || rows.length < WORK_SLICE) return waiting
    place = { batchId: last.batch_id, version: last.monitor_version }
  }
}

export const readProgress = progressReader(countWaitingSpans)
