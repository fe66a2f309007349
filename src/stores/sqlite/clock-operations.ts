import { type ClockRecord, lookAtClock } from '../../domain/believed-time.ts'
import { CLOCK, toClockRecord } from '../shared/clock-record.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** Looks at the clock and remembers what it showed. */
export function checkClock(db: SqliteDatabase, nowMs: number, elapsedMs: number): ClockRecord {
  const stored = db.get<{ value: string }>('SELECT value FROM service_state WHERE name = ?', CLOCK)
  const newest = stored
    ? undefined
    : db.get<{ ms: number | null }>('SELECT max(received_at_ms) AS ms FROM span_batches')
  const record = lookAtClock(toClockRecord(stored?.value, newest?.ms), nowMs, elapsedMs)
  db.run(
    'INSERT INTO service_state (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2',
    CLOCK,
    JSON.stringify(record),
  )
  return record
}
