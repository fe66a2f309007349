import type { ClockRecord } from '../../domain/believed-time.ts'

/** The row of `service_state` that has it. */
export const CLOCK = 'clock'

/** The stored clock record. A store of an earlier version has only the time of its newest batch. */
export function toClockRecord(
  value: string | undefined,
  newestBatchMs: number | null | undefined,
): ClockRecord | undefined {
  if (value !== undefined) return JSON.parse(value) as ClockRecord
  if (newestBatchMs === null || newestBatchMs === undefined) return undefined
  return { believedAtMs: newestBatchMs, seenAtMs: newestBatchMs }
}
