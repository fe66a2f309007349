import { type ClockRecord, lookAtClock } from '../../domain/believed-time.ts'
import { CLOCK, toClockRecord } from '../shared/clock-record.ts'
import type { Sql } from '../shared/sql.ts'

/** Looks at the clock of the database, which all processes share, or at the one that is given. */
export async function checkClock(tx: Sql, elapsedMs: number, nowMs?: number): Promise<ClockRecord> {
  const clock = await tx.get<{ ms: number }>(
    'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms',
  )
  const stored = await tx.get<{ value: string }>(
    'SELECT value FROM service_state WHERE name = $1 FOR UPDATE',
    CLOCK,
  )
  const newest = stored
    ? undefined
    : await tx.get<{ ms: number | null }>('SELECT max(received_at_ms) AS ms FROM span_batches')
  const record = lookAtClock(toClockRecord(stored?.value, newest?.ms), nowMs ?? clock?.ms ?? 0, elapsedMs)
  await tx.run(
    'INSERT INTO service_state (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2',
    CLOCK,
    JSON.stringify(record),
  )
  return record
}
