import type { StatusCount } from '../shared/rollup-changes.ts'
import type { Sql } from '../shared/sql.ts'

/**
 * Adds units to what came of monitor versions, in all and by the minute, or takes them away again because what came of them
 * was superseded. A status that is left by all is not shown. A minute that is no longer kept cannot lose units, the total can.
 * Rows are written in the order of their keys, so that two who write the same ones do not wait for each other.
 */
export async function addStatusCounts(tx: Sql, counts: readonly StatusCount[]): Promise<void> {
  const changes = counts.filter(({ units }) => units !== 0)
  if (changes.length === 0) return
  const columns = [
    changes.map((change) => change.monitorVersion),
    changes.map((change) => change.minute),
    changes.map((change) => change.status),
    changes.map((change) => change.units),
  ]
  await tx.run(ADD, ...columns)
  if (changes.every(({ units }) => units > 0)) return
  const [versions = [], minutes = [], statuses = []] = columns
  await tx.run(DROP_EMPTY_TOTALS, versions, statuses)
  await tx.run(DROP_EMPTY_MINUTES, versions, minutes, statuses)
}

const CHANGES =
  'unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[]) AS c (monitor_version, minute, status, units)'

// A row that is missing and gets fewer than none is below zero until it is dropped, before the transaction ends. One statement
// for both: every other count for the same monitor version waits from here until the transaction ends.
const ADD = `WITH minutes AS (
    INSERT INTO status_rollups AS t (monitor_version, minute, status, units)
    SELECT monitor_version, minute, status COLLATE "C", sum(units) FROM ${CHANGES}
    GROUP BY 1, 2, 3 HAVING sum(units) <> 0 ORDER BY 1, 2, 3
    ON CONFLICT (monitor_version, minute, status) DO UPDATE SET units = greatest(0, t.units + excluded.units))
  INSERT INTO status_totals AS t (monitor_version, status, units)
  SELECT monitor_version, status COLLATE "C", sum(units) FROM ${CHANGES}
  GROUP BY 1, 2 HAVING sum(units) <> 0 ORDER BY 1, 2
  ON CONFLICT (monitor_version, status) DO UPDATE SET units = greatest(0, t.units + excluded.units)`

const DROP_EMPTY_TOTALS = `DELETE FROM status_totals t USING unnest($1::bigint[], $2::text[]) AS c (monitor_version, status)
  WHERE t.monitor_version = c.monitor_version AND t.status = c.status AND t.units <= 0`

const DROP_EMPTY_MINUTES = `DELETE FROM status_rollups t
  USING unnest($1::bigint[], $2::bigint[], $3::text[]) AS c (monitor_version, minute, status)
  WHERE t.monitor_version = c.monitor_version AND t.minute = c.minute AND t.status = c.status AND t.units <= 0`
