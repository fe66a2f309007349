import type { Backlog } from '../../ports/storage.ts'
import { type BacklogRow, toWaiting } from './backlog-rows.ts'
import type { Sql } from './sql.ts'

export async function readBacklog(db: Sql): Promise<Backlog> {
  const kinds = await db.all<BacklogRow & { is_judged: number }>(
    `SELECT k.is_judged, k.pieces, k.spans, b.received_at_ms AS oldest_at_ms FROM (
       SELECT w.is_judged, count(*) AS pieces, sum(w.unit_count) AS spans, min(w.batch_id) AS oldest
       FROM work w JOIN monitors m ON m.version_number = w.monitor_version AND m.is_active = 1
       WHERE w.state < 2 AND w.job_number = 0 GROUP BY w.is_judged) AS k
     LEFT JOIN span_batches b ON b.id = k.oldest`,
  )
  const waiting = (isJudged: number) => toWaiting(kinds.find((row) => row.is_judged === isJudged))
  const digest = await db.get<BacklogRow>(
    `SELECT count(*) AS pieces, coalesce(sum(span_count), 0) AS spans, min(received_at_ms) AS oldest_at_ms
     FROM (${db.dialect.undigested}) AS b`,
  )
  const givenUp = await db.get<{ count: number }>(
    `SELECT count(*) AS count FROM undigested_batches u JOIN span_batches b ON b.id = u.batch_id
     WHERE u.is_given_up = 1`,
  )
  const units = await db.get<{ due: number }>(
    `SELECT count(*) AS due FROM units u JOIN monitors m ON m.version_number = u.monitor_version AND m.is_active = 1
     WHERE u.state < 2 AND u.look_at_ms <= ${db.dialect.nowMs}`,
  )
  return {
    work: { local: waiting(0), judged: waiting(1) },
    digest: toWaiting(digest),
    givenUpBatches: givenUp?.count ?? 0,
    unitsDue: units?.due ?? 0,
  }
}
