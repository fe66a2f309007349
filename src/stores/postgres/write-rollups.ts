import { applicationStatements, sortedChanges } from '../shared/application-rollups.ts'
import {
  changeRollup,
  type RollupChanges,
  type RollupRow,
  type ValueChange,
} from '../shared/rollup-changes.ts'
import { Rows, type Sql } from '../shared/sql.ts'
import { addStatusCounts } from './status-counts.ts'

interface KeyedRow extends RollupRow {
  readonly monitor_version: number
  readonly minute: number
  readonly property: string
}

/**
 * Writes what was gathered: counts first, then those of applications, then values. Every other transaction that changes the same rows waits until
 * this one ends.
 */
export async function writeRollups(tx: Sql, changes: RollupChanges): Promise<void> {
  await addStatusCounts(tx, changes.statuses())
  const applications = sortedChanges(changes)
  for (const sql of applicationStatements(tx.dialect, applications)) await tx.run(sql, new Rows(applications))
  await writeValues(tx, changes)
}

async function writeValues(tx: Sql, changes: RollupChanges): Promise<void> {
  const values = changes.values()
  if (values.length === 0) return
  const keys = keysOf(values)
  await tx.run(HOLD, ...keys)
  const stored = new Map<string, RollupRow>()
  for (const row of await tx.all<KeyedRow>(READ, ...keys)) {
    stored.set([row.monitor_version, row.minute, row.property].join(), row)
  }
  const changed: (RollupRow & ValueChange)[] = []
  const emptied: ValueChange[] = []
  for (const change of values) {
    const row = changeRollup(
      stored.get([change.monitorVersion, change.minute, change.property].join()),
      change,
    )
    if (row) changed.push({ ...change, ...row })
    else emptied.push(change)
  }
  await writeChanged(tx, changed)
  if (emptied.length > 0) await tx.run(DROP, ...keysOf(emptied))
}

async function writeChanged(tx: Sql, rows: readonly (RollupRow & ValueChange)[]): Promise<void> {
  if (rows.length === 0) return
  await tx.run(
    WRITE,
    ...keysOf(rows),
    rows.map((row) => row.count),
    rows.map((row) => row.sum),
    rows.map((row) => row.min),
    rows.map((row) => row.max),
    rows.map((row) => row.sketch),
    rows.map((row) => row.labels),
  )
}

function keysOf(changes: readonly ValueChange[]): [number[], number[], string[]] {
  return [
    changes.map((change) => change.monitorVersion),
    changes.map((change) => change.minute),
    changes.map((change) => change.property),
  ]
}

const KEYS = 'unnest($1::bigint[], $2::bigint[], $3::text[]) AS k (monitor_version, minute, property)'
const SAME_KEY = 'r.monitor_version = k.monitor_version AND r.minute = k.minute AND r.property = k.property'

// Makes the rows that are missing and holds those that there are, in the order of their keys. A condition that is never true
// leaves a row as it is, but held; so it can neither be changed nor dropped between being read and being written.
const HOLD = `INSERT INTO value_rollups AS r (monitor_version, minute, property, count, sum)
  SELECT monitor_version, minute, property COLLATE "C", 0, 0 FROM ${KEYS} ORDER BY 1, 2, 3
  ON CONFLICT (monitor_version, minute, property) DO UPDATE SET count = r.count WHERE false`

const READ = `SELECT r.monitor_version, r.minute, r.property, r.count, r.sum, r.min, r.max, r.sketch, r.labels
  FROM value_rollups r JOIN ${KEYS} ON ${SAME_KEY}`

const WRITE = `UPDATE value_rollups r
  SET count = c.count, sum = c.sum, min = c.min, max = c.max, sketch = c.sketch, labels = c.labels
  FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::float8[], $6::float8[], $7::float8[], $8::bytea[],
    $9::text[]) AS c (monitor_version, minute, property, count, sum, min, max, sketch, labels)
  WHERE r.monitor_version = c.monitor_version AND r.minute = c.minute AND r.property = c.property`

const DROP = `DELETE FROM value_rollups r USING ${KEYS} WHERE ${SAME_KEY}`
