import type { SQLInputValue } from 'node:sqlite'
import type { TraceDigest } from '../../domain/trace-digest.ts'
import type { VerificationStorage, WrongTrace } from '../../ports/verification-storage.ts'
import { REBUILD_APPLICATION_HOUR } from '../shared/application-rollups.ts'
import { rebuiltRollups, SELECT_COUNTED, SELECT_COUNTS } from '../shared/rebuilt-rollups.ts'
import type { CountedRow } from '../shared/rollup-changes.ts'
import type { VerifyDb, VerifyQuery } from '../shared/verify-db.ts'
import { rebuildTraceRow } from './digest-operations.ts'
import { writeRollups } from './record-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** Problems of one table that are told; a damaged table may have very many. */
const PROBLEMS_MAX = 10

/** Runs the queries in the snapshot that the call has. */
export function runQueries(db: SqliteDatabase, queries: readonly VerifyQuery[]): Record<string, unknown>[][] {
  return queries.map(({ sql, values = [] }) => db.all(numbered(sql), ...(values as SQLInputValue[])))
}

export function runStatements(db: SqliteDatabase, statements: readonly VerifyQuery[]): number[] {
  return statements.map(({ sql, values = [] }) => db.run(numbered(sql), ...(values as SQLInputValue[])))
}

/** Places as SQLite numbers them. */
function numbered(sql: string): string {
  return sql.replace(/\$(\d+)/g, '?$1')
}

/** Checks the pages of the nth table and of its indexes; undefined when there is none. */
export function checkPages(
  db: SqliteDatabase,
  part: number,
): Awaited<ReturnType<VerificationStorage['checkPages']>> {
  const table = db.get<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name LIMIT 1 OFFSET ?",
    part,
  )
  if (!table) return undefined
  const what = `the pages of ${table.name}`
  const rows = db.all<{ integrity_check: string }>(
    `SELECT integrity_check FROM pragma_integrity_check(?) LIMIT ${PROBLEMS_MAX}`,
    table.name,
  )
  return { what, problems: rows.map((row) => row.integrity_check).filter((line) => line !== 'ok') }
}

export function rebuildTrace(
  db: SqliteDatabase,
  { projectNumber, traceId }: WrongTrace,
  from: readonly number[],
  said: readonly { readonly batchId: number; readonly digest: TraceDigest }[],
): boolean {
  const key = [projectNumber, Buffer.from(traceId, 'hex')] as const
  const places = db.all<{ batch_id: number }>(
    'SELECT batch_id FROM trace_places WHERE project_number = ? AND trace_id = ? ORDER BY batch_id',
    ...key,
  )
  const isSame = places.length === from.length && places.every(({ batch_id: id }, at) => id === from[at])
  const isDeleted = db.get('SELECT 1 FROM deleted_traces WHERE project_number = ? AND trace_id = ?', ...key)
  if (!isSame || isDeleted) return false
  db.run('DELETE FROM traces WHERE project_number = ? AND trace_id = ?', ...key)
  db.run('DELETE FROM trace_places WHERE project_number = ? AND trace_id = ?', ...key)
  for (const { batchId, digest } of said) rebuildTraceRow(db, batchId, digest)
  return true
}

export function rebuildRollups(db: SqliteDatabase, monitorVersion: number, minute: number): void {
  const key = [monitorVersion, minute] as const
  const stored = db.all<{ status: string; units: number }>(numbered(SELECT_COUNTS), ...key)
  const evaluations = db.all<CountedRow & Record<string, unknown>>(numbered(SELECT_COUNTED), ...key)
  db.run('DELETE FROM value_rollups WHERE monitor_version = ? AND minute = ?', ...key)
  writeRollups(db, rebuiltRollups(monitorVersion, minute, evaluations, stored))
  const hour = Math.floor(minute / 60)
  for (const sql of REBUILD_APPLICATION_HOUR) db.run(numbered(sql), monitorVersion, hour)
}

export function beginVerification(db: SqliteDatabase, nowMs: number, pauseMs: number): boolean {
  const begun = db.run(
    `INSERT INTO verifications (started_at_ms) SELECT ?1
     WHERE NOT EXISTS (SELECT 1 FROM verifications WHERE started_at_ms > ?1 - ?2 AND started_at_ms <= ?1)
     ON CONFLICT DO NOTHING`,
    nowMs,
    pauseMs,
  )
  // The last ones are enough to see since when something is wrong.
  db.run('DELETE FROM verifications WHERE started_at_ms < ?', nowMs - 90 * 86_400_000)
  return begun > 0
}

/** How this database says what both have to say. */
export const SQLITE_DIALECT: Omit<VerifyDb, 'read' | 'write'> = {
  countUnits: 'count_units',
  digestedThrough: '(SELECT through FROM digest_progress)',
  spanTable: (place) =>
    `(SELECT value ->> 0 AS ordinal, value ->> 1 AS second, unhex(value ->> 2) AS trace_id, unhex(value ->> 3) AS span_id
      FROM json_each($${place})) AS v`,
  spanValues: (spans) => [
    JSON.stringify(spans.map(({ ordinal, second, traceId, spanId }) => [ordinal, second, traceId, spanId])),
  ],
  holdProject: undefined,
}
