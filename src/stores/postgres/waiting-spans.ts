import { progressReader } from '../shared/series-operations.ts'
import { type WaitingRow, WaitingSpans } from '../shared/series-rows.ts'
import type { Sql } from '../shared/sql.ts'

/** Pieces of open work that are read at a time, of all versions together; and at least so many of each. */
const WORK_SLICE = 5_000
const WORK_SLICE_MIN = 100

/** The spans of a project, or of one environment of it, that wait for an active monitor. */
async function countWaitingSpans(
  tx: Sql,
  project: number,
  environment: string | null,
): Promise<WaitingSpans> {
  const monitors = await tx.all<{ version_number: number }>(
    'SELECT version_number FROM monitors WHERE project_number = $1 AND is_active = 1',
    project,
  )
  const waiting = new WaitingSpans()
  const slice = Math.max(WORK_SLICE_MIN, Math.floor(WORK_SLICE / Math.max(1, monitors.length)))
  let versions = monitors.map((row) => row.version_number)
  for (let after = 0; versions.length > 0; ) {
    const rows = await openWork(tx, versions, after, slice)
    const byVersion = Map.groupBy(rows, ({ monitor_version: version }) => version)
    // A version that gave a full slice may have more behind it. So batches are complete up to where the first of these ends.
    const full = Array.from(byVersion).filter(([, found]) => found.length === slice)
    const through = Math.min(...full.map(([, found]) => found.at(-1)?.batch_id ?? after))
    for (const row of rows) {
      const isWanted = environment === null ? row.env_project_id !== null : row.env_project_id === environment
      if (row.batch_id <= through && isWanted) waiting.add(row)
    }
    after = through
    versions = full.length === 0 ? [] : [...byVersion.keys()]
  }
  return waiting
}

export const readProgress = progressReader(countWaitingSpans)

interface OpenWorkRow extends WaitingRow {
  /** Null where the batch is no longer kept. */
  env_project_id: string | null
}

/** Open work behind a batch: the first pieces of each version, all of them in order of their batches. */
function openWork(
  tx: Sql,
  versions: readonly number[],
  after: number,
  slice: number,
): Promise<OpenWorkRow[]> {
  return tx.all<OpenWorkRow>(
    `SELECT open.batch_id, open.monitor_version, open.units, b.received_at_ms, b.env_project_id
     FROM unnest($1::bigint[]) AS asked (version) CROSS JOIN LATERAL (
       SELECT w.batch_id, w.monitor_version, w.units FROM work w
       WHERE w.monitor_version = asked.version AND w.state < 2 AND w.job_number = 0 AND w.batch_id > $2
       ORDER BY w.batch_id LIMIT $3) AS open
     LEFT JOIN span_batches b ON b.id = open.batch_id
     ORDER BY open.batch_id, open.monitor_version`,
    versions,
    after,
    slice,
  )
}
