import { addUnit, emptyUnits } from '../../domain/unit-set.ts'
import type { Sql } from '../shared/sql.ts'
import { countHidden } from './deletion-counts.ts'
import { hideUnits } from './hidden-units.ts'
import { lockProjectNumber } from './lock-project.ts'
import type { PostgresDatabase } from './postgres-database.ts'

/** Rows of the index of spans that one step looks at. */
const ROWS_AT_ONCE = 100_000
/** Deleted traces that are looked for together. */
const TRACES_MAX = 1_000

interface SpanKey {
  readonly second: number
  readonly trace_id: Uint8Array
  readonly span_id: Uint8Array
}

interface FoundSpan extends SpanKey {
  readonly batch_id: number
  readonly ordinal: number
  readonly span_count: number
}

/** A pass over the index of spans of a project, looking for deleted traces in batches that are in no trace. */
interface Search {
  readonly project: number
  readonly traceIds: readonly Uint8Array[]
  /** The position of the search; absent at the beginning. */
  readonly after?: SpanKey
}

/** How far each process has come; one that ends in between begins again. */
const searches = new WeakMap<PostgresDatabase, Search>()

/** One step of a search; false when there is nothing to be looked for. */
export async function searchDeleted(db: PostgresDatabase): Promise<boolean> {
  const search = searches.get(db) ?? (await findSearch(db))
  if (!search) return false
  const { project, traceIds } = search
  const last = await endOf(db, search)
  const found = await searchSome(db, search, last)
  await db.transaction(async (tx) => {
    if (await lockProjectNumber(tx, project)) for (const span of found) await hide(tx, project, span)
    if (last) return
    await tx.run(
      'UPDATE deleted_traces SET needs_search = 0 WHERE project_number = $1 AND trace_id = ANY($2::bytea[])',
      project,
      traceIds,
    )
  })
  if (last) searches.set(db, { project, traceIds, after: last })
  else searches.delete(db)
  return true
}

async function findSearch(db: Sql): Promise<Search | undefined> {
  const traces = await db.all<{ project_number: number; trace_id: Uint8Array }>(
    `SELECT project_number, trace_id FROM deleted_traces WHERE needs_search = 1
     ORDER BY project_number, trace_id LIMIT ${TRACES_MAX}`,
  )
  const [first] = traces
  if (!first) return undefined
  const project = first.project_number
  return {
    project,
    traceIds: traces.filter((row) => row.project_number === project).map((row) => row.trace_id),
  }
}

const START: SpanKey = { second: -1, trace_id: new Uint8Array(0), span_id: new Uint8Array(0) }
const IS_BEHIND =
  's.project_number = $1 AND s.second >= $2 AND (s.second, s.trace_id, s.span_id) > ($2, $3, $4)'

/** The last row of the next step; undefined when it is the end of the index. */
function endOf(db: Sql, { project, after = START }: Search): Promise<SpanKey | undefined> {
  return db.get<SpanKey>(
    `SELECT s.second, s.trace_id, s.span_id FROM spans s WHERE ${IS_BEHIND}
     ORDER BY s.second, s.trace_id, s.span_id LIMIT 1 OFFSET ${ROWS_AT_ONCE - 1}`,
    ...[project, after.second, after.trace_id, after.span_id],
  )
}

function searchSome(
  db: Sql,
  { project, traceIds, after = START }: Search,
  last: SpanKey | undefined,
): Promise<FoundSpan[]> {
  const isWithin = last ? 'AND s.second <= $6 AND (s.second, s.trace_id, s.span_id) <= ($6, $7, $8)' : ''
  return db.all<FoundSpan>(
    `SELECT s.second, s.trace_id, s.span_id, s.batch_id, s.ordinal, b.span_count FROM spans s
     JOIN undigested_batches u ON u.batch_id = s.batch_id JOIN span_batches b ON b.id = s.batch_id
     WHERE ${IS_BEHIND} AND s.trace_id = ANY($5::bytea[]) ${isWithin} ORDER BY s.batch_id`,
    ...[project, after.second, after.trace_id, after.span_id],
    traceIds,
    ...(last ? [last.second, last.trace_id, last.span_id] : []),
  )
}

/** Another process may have found the span too; the one that takes it out of the index counts it. */
async function hide(tx: Sql, project: number, span: FoundSpan): Promise<void> {
  // A batch that cannot be read does not say which rows of the index are its own.
  const removed = await tx.run(
    'DELETE FROM spans WHERE project_number = $1 AND second = $2 AND trace_id = $3 AND span_id = $4',
    project,
    span.second,
    span.trace_id,
    span.span_id,
  )
  if (removed === 0) return
  const units = emptyUnits(span.span_count)
  addUnit(units, span.ordinal)
  await hideUnits(tx, span.batch_id, units)
  await countHidden(tx, project, span.trace_id, 1)
}

/** Deletions of which everything that had arrived is hidden, so that they are finished when nothing is left to be erased. */
export async function findHiddenDeletions(db: Sql): Promise<string[]> {
  const rows = await db.all<{ id: string }>(
    `SELECT d.id FROM deletions d WHERE d.erased_at_ms IS NULL
       AND NOT EXISTS (SELECT 1 FROM deleted_traces t WHERE t.project_number = d.project_number AND t.needs_search = 1)
       AND NOT EXISTS (SELECT 1 FROM span_batches b WHERE b.project_number = d.project_number AND b.id <= d.through_batch
         AND b.id > coalesce((SELECT g.through FROM digest_progress g WHERE g.project_number = d.project_number), 0))
       AND NOT EXISTS (SELECT 1 FROM undigested_batches u WHERE u.project_number = d.project_number
         AND u.batch_id <= d.through_batch AND u.is_given_up = 0)
     ORDER BY d.requested_at_ms LIMIT 1000`,
  )
  return rows.map(({ id }) => id)
}

/** Notes that nothing is left of these deletions in any file. */
export async function finishDeletions(db: Sql, ids: readonly string[], nowMs: number): Promise<void> {
  await db.run(
    `UPDATE deletions SET erased_at_ms = greatest($1, requested_at_ms)
     WHERE erased_at_ms IS NULL AND id = ANY($2::text[])`,
    nowMs,
    ids,
  )
}
