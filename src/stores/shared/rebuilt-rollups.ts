import type { OutcomeStatus } from '../../domain/evaluation.ts'
import { COUNTED_ONLY } from './left-out.ts'
import { type CountedRow, RollupChanges } from './rollup-changes.ts'

/** The changes that make the counts of a minute fit its evaluations; its values are rewritten. */
export function rebuiltRollups(
  monitorVersion: number,
  minute: number,
  evaluations: readonly Omit<CountedRow, 'application'>[],
  stored: readonly { readonly status: string; readonly units: number }[],
): RollupChanges {
  const changes = new RollupChanges()
  for (const { status, output, unit_at_ms: unitAtMs, verdict } of evaluations) {
    const values = output === null ? {} : { output: JSON.parse(output) }
    // Applications are counted by the hour, which is rebuilt apart.
    changes.add(monitorVersion, { status: status as OutcomeStatus, unitAtMs, ...values }, verdict, null)
  }
  for (const { status, units } of stored) changes.count(monitorVersion, minute, status, -units)
  return changes
}

/** Counts that evaluations stand behind. */
export const SELECT_COUNTS = `SELECT status, units FROM status_rollups WHERE monitor_version = $1 AND minute = $2 AND status NOT IN ${COUNTED_ONLY}`

/** The evaluations that count in a minute. */
export const SELECT_COUNTED = `SELECT status, output, unit_at_ms, verdict FROM evaluations
  WHERE monitor_version = $1 AND is_current = 1 AND unit_at_ms >= CAST($2 AS BIGINT) * 60000 AND unit_at_ms < (CAST($2 AS BIGINT) + 1) * 60000`
