import { addUnit, emptyUnits } from '../../domain/unit-set.ts'
import { countHidden } from './deletion-counts.ts'
import { hideUnits } from './hidden-units.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** Rows of the index of spans that one step looks at; about ten milliseconds. */
const ROWS_AT_ONCE = 20_000
/** Deleted traces that are looked for together. */
const TRACES_MAX = 1_000

/** A pass over the index of spans of a project, looking for deleted traces in batches that are in no trace. */
export interface Search {
  readonly project: number
  /** In hex. */
  readonly traceIds: readonly string[]
  /** The position of the search; absent at the beginning. */
  readonly after?: SpanKey
}

interface SpanKey {
  readonly second: number
  readonly trace_id: Uint8Array
  readonly span_id: Uint8Array
}

/** A step of a search: what it found, and the rest of the search. */
export interface SearchStep {
  readonly found: readonly FoundSpan[]
  readonly search: Search
  readonly isEnded: boolean
}

interface FoundSpan extends SpanKey {
  readonly batch_id: number
  readonly ordinal: number
  readonly span_count: number
}

/** The next search that has to be made; runs beside the writer. */
export function findSearch(db: SqliteDatabase): Search | undefined {
  const traces = db.all<{ project_number: number; trace_id: Uint8Array }>(
    `SELECT project_number, trace_id FROM deleted_traces WHERE needs_search = 1
     ORDER BY project_number, trace_id LIMIT ?`,
    TRACES_MAX,
  )
  const [first] = traces
  if (!first) return undefined
  const project = first.project_number
  const ofProject = traces.filter((trace) => trace.project_number === project)
  return { project, traceIds: ofProject.map(({ trace_id: id }) => Buffer.from(id).toString('hex')) }
}

/** Looks at the next rows; runs beside the writer. */
export function searchSome(db: SqliteDatabase, search: Search): SearchStep {
  const { project, traceIds } = search
  const after = search.after ?? { second: -1, trace_id: new Uint8Array(0), span_id: new Uint8Array(0) }
  const from = [project, after.second, after.trace_id, after.span_id] as const
  const last = db.get<SpanKey & Record<string, unknown>>(
    `SELECT second, trace_id, span_id FROM spans
     WHERE project_number = ? AND (second, trace_id, span_id) > (?, ?, ?)
     ORDER BY second, trace_id, span_id LIMIT 1 OFFSET ?`,
    ...from,
    ROWS_AT_ONCE - 1,
  )
  const found = db.all<FoundSpan & Record<string, unknown>>(
    `SELECT s.second, s.trace_id, s.span_id, s.batch_id, s.ordinal, b.span_count
     FROM spans s JOIN undigested_batches u ON u.batch_id = s.batch_id JOIN span_batches b ON b.id = s.batch_id
     WHERE s.project_number = ? AND (s.second, s.trace_id, s.span_id) > (?, ?, ?)
       ${last ? 'AND (s.second, s.trace_id, s.span_id) <= (?, ?, ?)' : ''}
       AND hex(s.trace_id) IN (SELECT upper(value) FROM json_each(?))`,
    ...from,
    ...(last ? [last.second, last.trace_id, last.span_id] : []),
    JSON.stringify(traceIds),
  )
  return { found, search: { project, traceIds, ...(last ? { after: last } : {}) }, isEnded: !last }
}

/** Hides what a step has found. After the last step the traces need not be looked for any more. */
export function recordSearch(db: SqliteDatabase, { found, search, isEnded }: SearchStep): void {
  for (const span of found) {
    const { trace_id: traceId } = span
    const units = emptyUnits(span.span_count)
    addUnit(units, span.ordinal)
    hideUnits(db, span.batch_id, units)
    // A batch that cannot be read does not say which rows of the index are its own.
    db.run(
      'DELETE FROM spans WHERE project_number = ? AND second = ? AND trace_id = ? AND span_id = ?',
      search.project,
      span.second,
      traceId,
      span.span_id,
    )
    countHidden(db, search.project, traceId, 1)
  }
  if (!isEnded) return
  db.run(
    `UPDATE deleted_traces SET needs_search = 0
     WHERE project_number = ? AND hex(trace_id) IN (SELECT upper(value) FROM json_each(?))`,
    search.project,
    JSON.stringify(search.traceIds),
  )
}

/** Deletions of which everything that had arrived is hidden, so that they are finished when nothing is left to be erased. */
export function findHiddenDeletions(db: SqliteDatabase): string[] {
  return db
    .all<{ id: string }>(
      `SELECT d.id FROM deletions d WHERE d.erased_at_ms IS NULL
         AND NOT EXISTS (SELECT 1 FROM deleted_traces t WHERE t.project_number = d.project_number AND t.needs_search = 1)
         AND NOT EXISTS (SELECT 1 FROM span_batches b WHERE b.project_number = d.project_number
           AND b.id > (SELECT through FROM digest_progress) AND b.id <= d.through_batch)
         AND NOT EXISTS (SELECT 1 FROM undigested_batches u WHERE u.project_number = d.project_number
           AND u.batch_id <= d.through_batch AND u.is_given_up = 0)
       ORDER BY d.requested_at_ms LIMIT 1000`,
    )
    .map(({ id }) => id)
}

/** Notes that nothing is left of these deletions in any file. */
export function finishDeletions(db: SqliteDatabase, ids: readonly string[], nowMs: number): void {
  db.run(
    `UPDATE deletions SET erased_at_ms = max(?, requested_at_ms)
     WHERE erased_at_ms IS NULL AND id IN (SELECT value FROM json_each(?))`,
    nowMs,
    JSON.stringify(ids),
  )
}
