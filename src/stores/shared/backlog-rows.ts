import type { Waiting } from '../../ports/storage.ts'

/** The amount of waiting work, as a query sums it up. */
export interface BacklogRow {
  readonly pieces: number
  readonly spans: number
  readonly oldest_at_ms: number | null
}

const NOTHING_WAITS: Waiting = { pieces: 0, spans: 0 }

export function toWaiting(row: BacklogRow | undefined): Waiting {
  if (!row) return NOTHING_WAITS
  const { pieces, spans, oldest_at_ms: oldestAtMs } = row
  return { pieces, spans, ...(oldestAtMs === null ? {} : { oldestAtMs }) }
}
