import type { RollupChanges } from './rollup-changes.ts'
import type { ColumnTypes, Dialect } from './sql.ts'
import { STORED_VERDICT } from './stored-verdict.ts'

/** The hour that a unit is counted in, in hours since 1970. */
export function hourOf(unitAtMs: number): number {
  return Math.floor(unitAtMs / 3_600_000)
}

/** The columns that count. */
export const APPLICATION_COUNTS = ['passed', 'failed', 'neutral', 'not_scored'] as const
export type ApplicationCountColumn = (typeof APPLICATION_COUNTS)[number]

/** Units that an application gets in an hour of a monitor version, or loses where there are fewer than none. */
export type ApplicationChange = {
  readonly monitor_version: number
  readonly hour: number
  readonly application: number
} & Record<ApplicationCountColumn, number>

/** The column that counts an evaluation; undefined while its score still has to be judged. */
export function countColumn(status: string, verdict: number | null): ApplicationCountColumn | undefined {
  if (status !== 'scored') return 'not_scored'
  if (verdict === STORED_VERDICT.pass) return 'passed'
  if (verdict === STORED_VERDICT.fail) return 'failed'
  return verdict === STORED_VERDICT.neutral ? 'neutral' : undefined
}

const KEY = 'monitor_version, hour, application'
const COLUMNS: ColumnTypes = Object.fromEntries(
  [...KEY.split(', '), ...APPLICATION_COUNTS].map((name) => [name, 'bigint' as const]),
)

/**
 * The statements that write changes, each with the same rows bound to its only place. An hour that is no longer kept cannot lose
 * units: what falls below zero there is put right before the transaction ends, and so are hours that are left by all.
 */
export function applicationStatements(dialect: Dialect, changes: readonly ApplicationChange[]): string[] {
  if (changes.length === 0) return []
  const rows = dialect.rows('$1', 'c', COLUMNS)
  const add = `INSERT INTO application_rollups AS t (${KEY}, ${APPLICATION_COUNTS.join(', ')})
    SELECT ${[KEY, ...APPLICATION_COUNTS].join(', ')} FROM ${rows} WHERE true ORDER BY ${KEY}
    ON CONFLICT (${KEY}) DO UPDATE SET ${APPLICATION_COUNTS.map((name) => `${name} = t.${name} + excluded.${name}`).join(', ')}`
  const isLosing = changes.some((change) => APPLICATION_COUNTS.some((name) => change[name] < 0))
  if (!isLosing) return [add]
  const changed = `(${KEY}) IN (SELECT ${KEY} FROM ${rows})`
  const clamped = APPLICATION_COUNTS.map((name) => `${name} = CASE WHEN ${name} < 0 THEN 0 ELSE ${name} END`)
  return [
    add,
    `UPDATE application_rollups SET ${clamped.join(', ')}
     WHERE ${changed} AND (${APPLICATION_COUNTS.map((name) => `${name} < 0`).join(' OR ')})`,
    `DELETE FROM application_rollups
     WHERE ${changed} AND ${APPLICATION_COUNTS.map((name) => `${name} = 0`).join(' AND ')}`,
  ]
}

/** In the order of their keys, so that two who write the same rows do not wait for each other in a circle. */
export function sortedChanges(changes: RollupChanges): ApplicationChange[] {
  return changes
    .applications()
    .filter((change) => APPLICATION_COUNTS.some((name) => change[name] !== 0))
    .toSorted(
      (left, right) =>
        left.monitor_version - right.monitor_version ||
        left.hour - right.hour ||
        left.application - right.application,
    )
}

/** Counts the evaluations of a monitor version (`$1`) in an hour (`$2`) anew: takes the stored counts away, then adds them. */
export const REBUILD_APPLICATION_HOUR: readonly string[] = [
  'DELETE FROM application_rollups WHERE monitor_version = $1 AND hour = $2',
  `INSERT INTO application_rollups (${KEY}, ${APPLICATION_COUNTS.join(', ')})
   SELECT monitor_version, CAST($2 AS BIGINT), application, ${[
     `status = 'scored' AND verdict = ${STORED_VERDICT.pass}`,
     `status = 'scored' AND verdict = ${STORED_VERDICT.fail}`,
     `status = 'scored' AND verdict = ${STORED_VERDICT.neutral}`,
     `status <> 'scored'`,
   ]
     .map((condition) => `sum(CASE WHEN ${condition} THEN 1 ELSE 0 END)`)
     .join(', ')}
   FROM evaluations WHERE monitor_version = $1 AND is_current = 1 AND application IS NOT NULL
     AND unit_at_ms >= CAST($2 AS BIGINT) * 3600000 AND unit_at_ms < (CAST($2 AS BIGINT) + 1) * 3600000
   GROUP BY monitor_version, application HAVING sum(CASE WHEN status <> 'scored' OR verdict IS NOT NULL THEN 1 ELSE 0 END) > 0`,
]

/** Drops the applications and deployments of a project (`$1`) whose last spans began before a time (`$2`): no counts of them are kept. */
export const DROP_UNSEEN: readonly string[] = ['applications', 'deployments'].map(
  (table) => `DELETE FROM ${table} WHERE project_number = $1 AND last_seen_ms < $2`,
)
