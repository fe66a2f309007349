import type { Backlog } from '../../ports/storage.ts'
import { type BacklogRow, toWaiting } from '../shared/backlog-rows.ts'
import { digestedThrough } from './digest-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

export function readBacklog(db: SqliteDatabase): Backlog {
  const kinds = db.all<BacklogRow & { is_judged: number }>(
    `SELECT k.is_judged, k.pieces, k.spans, b.received_at_ms AS oldest_at_ms FROM (
       SELECT w.is_judged, count(*) AS pieces, sum(w.unit_count) AS spans, min(w.batch_id) AS oldest
       FROM work w JOIN monitors m ON m.version_number = w.monitor_version AND m.is_active = 1
       WHERE w.state < 2 AND w.job_number = 0 GROUP BY w.is_judged) AS k
     LEFT JOIN span_batches b ON b.id = k.oldest`,
  )
  const waiting = (isJudged: number) => toWaiting(kinds.find((row) => row.is_judged === isJudged))
  const digest = db.get<BacklogRow & Record<string, unknown>>(
    `SELECT count(*) AS pieces, coalesce(sum(span_count), 0) AS spans, min(received_at_ms) AS oldest_at_ms
     FROM span_batches WHERE id IN (SELECT id FROM span_batches WHERE id > ?
       UNION ALL SELECT batch_id FROM undigested_batches WHERE is_given_up = 0)`,
    digestedThrough(db),
  )
  const givenUp = db.get<{ count: number }>(
    `SELECT count(*) AS count FROM undigested_batches u JOIN span_batches b ON b.id = u.batch_id
     WHERE u.is_given_up = 1`,
  )
  const units = db.get<{ due: number }>(
    `SELECT count(*) AS due FROM units u JOIN monitors m ON m.version_number = u.monitor_version AND m.is_active = 1
     WHERE u.state < 2 AND u.look_at_ms <= ?`,
    Date.now(),
  )
  return {
    work: { local: waiting(0), judged: waiting(1) },
    digest: toWaiting(digest),
    givenUpBatches: givenUp?.count ?? 0,
    unitsDue: units?.due ?? 0,
  }
}
