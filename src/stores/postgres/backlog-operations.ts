import type { Backlog } from '../../ports/storage.ts'
import { type BacklogRow, toWaiting } from '../shared/backlog-rows.ts'
import { NOW_MS } from './leases.ts'
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
    `SELECT count(b.id) AS pieces, coalesce(sum(b.span_count), 0) AS spans, min(b.received_at_ms) AS oldest_at_ms
     FROM (
       SELECT b.id, b.span_count, b.received_at_ms FROM digest_progress d
       JOIN span_batches b ON b.project_number = d.project_number AND b.id > d.through WHERE d.through < d.newest
       UNION ALL
       SELECT b.id, b.span_count, b.received_at_ms FROM undigested_batches u JOIN span_batches b ON b.id = u.batch_id
       WHERE u.is_given_up = 0) AS b`,
  )
  const givenUp = await db.get<{ count: number }>(
    `SELECT count(*) AS count FROM undigested_batches u JOIN span_batches b ON b.id = u.batch_id
     WHERE u.is_given_up = 1`,
  )
  const units = await db.get<{ due: number }>(
    `SELECT count(*) AS due FROM units u JOIN monitors m ON m.version_number = u.monitor_version AND m.is_active = 1
     WHERE u.state < 2 AND u.look_at_ms <= ${NOW_MS}`,
  )
  return {
    work: { local: waiting(0), judged: waiting(1) },
    digest: toWaiting(digest),
    givenUpBatches: givenUp?.count ?? 0,
    unitsDue: units?.due ?? 0,
  }
}
