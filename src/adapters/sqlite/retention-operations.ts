import type { SqliteDatabase } from './sqlite-database.ts'

/** How long one step may hold up the writer. */
const DROP_MS_MAX = 20
/** Rows of one kind that are dropped between two looks at the clock. */
const DROP_ROWS = 200
/** Rollups hold no user data, only counts and sums; they stay longer so that charts reach back. */
const ROLLUP_DAYS = 400
const HOUR_MS = 3_600_000

/** Drops one slice of one range: the oldest rows of a project that its organization no longer keeps. */
type Drop = (db: SqliteDatabase, project: ExpiredProject) => number

interface ExpiredProject {
  readonly number: number
  readonly beforeMs: number
}

const DROPS: readonly Drop[] = [
  // Decisions and work go before their batch, so that nothing ever refers to a batch that is gone.
  (db, { number, beforeMs }) => {
    const { last } = db.get<{ last: number | null }>(
      `SELECT max(id) AS last FROM (SELECT id FROM span_batches
       WHERE project_number = ? AND received_at_ms < ? ORDER BY received_at_ms LIMIT ?)`,
      number,
      beforeMs,
      DROP_ROWS,
    ) ?? { last: null }
    if (last === null) return 0
    const expired = `SELECT id FROM span_batches WHERE project_number = ? AND received_at_ms < ? AND id <= ?`
    db.run(`DELETE FROM work WHERE batch_id IN (${expired})`, number, beforeMs, last)
    db.run(`DELETE FROM matches WHERE batch_id IN (${expired})`, number, beforeMs, last)
    return db.run(
      'DELETE FROM span_batches WHERE project_number = ? AND received_at_ms < ? AND id <= ?',
      number,
      beforeMs,
      last,
    )
  },
  // By the range of seconds; a span with a start in the future waits until its second has passed.
  (db, { number, beforeMs }) => {
    const last = db.all<{ second: number; trace_id: Uint8Array; span_id: Uint8Array }>(
      `SELECT second, trace_id, span_id FROM spans WHERE project_number = ? AND second < ?
       ORDER BY second, trace_id, span_id LIMIT ?`,
      number,
      Math.floor(beforeMs / 1_000),
      DROP_ROWS,
    )
    const end = last.at(-1)
    if (!end) return 0
    return db.run(
      'DELETE FROM spans WHERE project_number = ? AND (second, trace_id, span_id) <= (?, ?, ?)',
      number,
      end.second,
      end.trace_id,
      end.span_id,
    )
  },
  // Their numbers grow with time, so the expired ones are a range at the beginning.
  (db, { number, beforeMs }) => {
    const { last } = db.get<{ last: number | null }>(
      `SELECT max(number) AS last FROM (SELECT number, created_at_ms FROM evaluations
       WHERE project_number = ? ORDER BY number LIMIT ?) WHERE created_at_ms < ?`,
      number,
      DROP_ROWS,
      beforeMs,
    ) ?? { last: null }
    if (last === null) return 0
    return db.run('DELETE FROM evaluations WHERE project_number = ? AND number <= ?', number, last)
  },
]

export function dropExpired(db: SqliteDatabase, nowMs: number, hoursMax: number): boolean {
  const untilMs = performance.now() + DROP_MS_MAX
  const projects = db.all<{ number: number; retention_hours: number }>(
    'SELECT p.number, o.retention_hours FROM projects p JOIN organizations o ON o.id = p.org_id ORDER BY p.number',
  )
  for (const { number, retention_hours: hours } of projects) {
    const project = { number, beforeMs: nowMs - Math.min(hours, hoursMax) * HOUR_MS }
    for (const drop of DROPS) {
      while (drop(db, project) > 0) if (performance.now() > untilMs) return true
    }
  }
  return dropRollups(db, Math.floor(nowMs / 60_000) - ROLLUP_DAYS * 1_440)
}

function dropRollups(db: SqliteDatabase, beforeMinute: number): boolean {
  const versions = db.all<{ number: number }>('SELECT number FROM monitor_versions ORDER BY number')
  for (const { number } of versions) {
    db.run('DELETE FROM status_rollups WHERE monitor_version = ? AND minute < ?', number, beforeMinute)
    db.run('DELETE FROM value_rollups WHERE monitor_version = ? AND minute < ?', number, beforeMinute)
  }
  return false
}
