import type { WorkRecord } from '../../ports/work-storage.ts'

/** Statuses that are counted without an evaluation behind them, as a list in SQL. */
export const COUNTED_ONLY = "('sampled_out', 'skipped')"

/**
 * The units that a record counts beside its outcomes. A job may queue spans that were skipped when they came, for a monitor that was
 * bound by earlier rules: only those are counted here that came with their spans; the others are counted by their job.
 */
export function leftOutCounts(
  { sampledOut, skipped = 0 }: WorkRecord,
  jobNumber: number,
): readonly { readonly status: 'sampled_out' | 'skipped'; readonly units: number }[] {
  const counts = [
    { status: 'sampled_out', units: sampledOut },
    { status: 'skipped', units: jobNumber === 0 ? skipped : 0 },
  ] as const
  return counts.filter(({ units }) => units > 0)
}
