import type { OtherRateUse, RateUse } from '../../ports/limit-storage.ts'
import type { Sql } from '../shared/sql.ts'

/** The rates of a process are kept for this long after its last report. */
const RATE_USE_KEPT_MS = 600_000
const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

/** Tells the other processes what this one has counted, and hears of theirs. */
export async function exchangeRateUse(
  db: Sql,
  processId: string,
  uses: readonly RateUse[],
): Promise<OtherRateUse[]> {
  const keyIds = uses.map(({ keyId }) => keyId)
  const rows = await db.all<{ key_id: string; process_id: string; requests: number; spans: number }>(
    `WITH mine AS (
       INSERT INTO rate_use (key_id, process_id, requests, spans, updated_at_ms)
       SELECT key_id, $1, requests, spans, ${NOW_MS}
       FROM unnest($2::text[], $3::bigint[], $4::bigint[]) AS u (key_id, requests, spans)
       ON CONFLICT (key_id, process_id) DO UPDATE SET requests = excluded.requests, spans = excluded.spans,
         updated_at_ms = excluded.updated_at_ms),
     gone AS (
       DELETE FROM rate_use WHERE process_id <> $1 AND updated_at_ms < ${NOW_MS} - ${RATE_USE_KEPT_MS})
     SELECT key_id, process_id, requests, spans FROM rate_use
     WHERE key_id = ANY($2::text[]) AND process_id <> $1`,
    processId,
    keyIds,
    uses.map(({ requests }) => Math.round(requests)),
    uses.map(({ spans }) => Math.round(spans)),
  )
  return rows.map(({ key_id: keyId, process_id, requests, spans }) => ({
    ...{ keyId, processId: process_id, requests, spans },
  }))
}
