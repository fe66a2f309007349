import type { EvaluationRange } from '../../ports/result-storage.ts'
import {
  behindPage,
  EXAMINED_MAX,
  evaluationConditions,
  firstInOrder,
  IS_FAILURE,
  IS_FAILURE_OF_APPLICATION,
  type NumberSpan,
  type ResolvedFilter,
  WALKED_VERSIONS_MAX,
  wantsFailures,
} from '../shared/evaluation-page.ts'
import { type EvaluationRow, joinOwners } from '../shared/evaluation-rows.ts'
import { notDeleted } from '../shared/not-deleted.ts'
import type { Sql, SqlValue } from '../shared/sql.ts'
import { numberPlaces, type Where } from '../shared/where.ts'

/** Evaluations that are looked at in one step; more than a page, and few enough for the server to follow the index. */
const EXAMINED_STEP = 4_000

/** Rows for one page, in no order, more than a page where there are; and where looking has ended although there is more. */
export interface Found {
  readonly rows: readonly EvaluationRow[]
  readonly stop?: number
}

/** The owner of the evaluations: some monitor versions, or a whole project. */
interface Owner {
  readonly project: number
  readonly versions: readonly number[] | undefined
}

/** All evaluations of a trace lie together under each version; there are never many, so they are sorted as found. */
export async function findInTrace(
  tx: Sql,
  versions: readonly number[],
  traceId: Uint8Array,
  filter: ResolvedFilter,
  { order, limit }: EvaluationRange,
  { low, high }: NumberSpan,
): Promise<Found> {
  const where = conditionsOf(filter)
  const inner = `SELECT * FROM evaluations e
    WHERE e.monitor_version = ANY(?) AND e.trace_id = ? AND e.number > ? AND e.number < ? AND ${where.sql}
    ORDER BY e.number ${directionOf(order)} LIMIT ?`
  const rows = await tx.all<EvaluationRow>(
    numberPlaces(joinOwners(inner)),
    ...[versions, traceId, low, high],
    ...where.values,
    limit + 1,
  )
  return { rows }
}

/**
 * Goes through evaluations in the order of their numbers, along the index of each version, or along that of the project where
 * there are many versions. The indexes of all partitions are read in step, so nothing has to be sorted. Mostly the first step
 * fills a page.
 */
export async function walkEvaluations(
  tx: Sql,
  owner: Owner,
  filter: ResolvedFilter,
  range: EvaluationRange,
  span: NumberSpan,
): Promise<Found> {
  const walks = walksOf(owner, filter)
  const rows: EvaluationRow[] = []
  let place = span
  for (let examined = EXAMINED_STEP; ; examined += EXAMINED_STEP) {
    const limit = range.limit - rows.length
    const found = await walkStep(tx, walks, filter, { ...range, limit }, place)
    rows.push(...found.rows)
    const { stop } = found
    if (stop === undefined || rows.length > range.limit || examined >= EXAMINED_MAX) return { ...found, rows }
    place = behindPage(place, { ...range, afterNumber: stop })
  }
}

async function walkStep(
  tx: Sql,
  walks: Walks,
  filter: ResolvedFilter,
  range: EvaluationRange,
  span: NumberSpan,
): Promise<Found> {
  const rows = await select(tx, walks, filter, range, span)
  const found = Map.groupBy(rows, ({ monitor_version: version }) => walks.keyOf(version))
  // Only a walk that has not found enough may have been ended by the number of evaluations it has looked at.
  const short = walks.keys.filter((key) => (found.get(key)?.length ?? 0) <= range.limit)
  const stop = firstInOrder(await stopsOf(tx, walks, short, range, span), range)
  if (stop === undefined) return { rows }
  return {
    rows: rows.filter(({ number }) => (range.order === 'newest' ? number >= stop : number <= stop)),
    stop,
  }
}

interface Walks {
  /** The column that the index begins with, and the values of it, each of which is a walk. */
  readonly column: 'monitor_version' | 'project_number' | 'application'
  readonly keys: readonly number[]
  readonly keyOf: (version: number) => number
  /** Versions that are picked out of what a project has. */
  readonly picked: readonly number[] | undefined
  /** A condition that an index answers besides; empty where there is none. */
  readonly among: string
}

function walksOf({ project, versions }: Owner, filter: ResolvedFilter): Walks {
  const isOfFailures = wantsFailures(filter)
  const among = isOfFailures ? ` AND ${IS_FAILURE}` : ''
  if (versions && versions.length <= WALKED_VERSIONS_MAX)
    return {
      column: 'monitor_version',
      keys: versions,
      keyOf: (version) => version,
      picked: undefined,
      among,
    }
  const { applicationNumber: application } = filter
  if (isOfFailures && application !== undefined)
    return {
      column: 'application',
      keys: [application],
      keyOf: () => application,
      picked: versions,
      among: ` AND ${IS_FAILURE_OF_APPLICATION}`,
    }
  return { column: 'project_number', keys: [project], keyOf: () => project, picked: versions, among }
}

function select(
  tx: Sql,
  { column, keys, picked, among }: Walks,
  filter: ResolvedFilter,
  { order, limit }: EvaluationRange,
  { low, high }: NumberSpan,
): Promise<EvaluationRow[]> {
  const where = conditionsOf(filter)
  const sorted = `ORDER BY e.number ${directionOf(order)}`
  const inner = `SELECT found.* FROM unnest(?::bigint[]) AS walk (key) CROSS JOIN LATERAL (
    SELECT * FROM (
      SELECT * FROM evaluations e WHERE e.${column} = walk.key AND e.number > ? AND e.number < ?${among} ${sorted}
      LIMIT ${EXAMINED_STEP + 1}) AS e
    WHERE ${picked ? 'e.monitor_version = ANY(?) AND ' : ''}${where.sql} ${sorted} LIMIT ?) AS found`
  return tx.all<EvaluationRow>(
    numberPlaces(joinOwners(inner)),
    ...[keys, low, high],
    ...(picked ? [picked] : []),
    ...where.values,
    limit + 1,
  )
}

/** The numbers at which walks have ended although there is more to look at. */
async function stopsOf(
  tx: Sql,
  { column, among }: Walks,
  keys: readonly number[],
  { order }: EvaluationRange,
  { low, high }: NumberSpan,
): Promise<number[]> {
  if (keys.length === 0) return []
  const rows = await tx.all<{ number: number }>(
    `SELECT stop.number FROM unnest($1::bigint[]) AS walk (key) CROSS JOIN LATERAL (
       SELECT e.number FROM evaluations e WHERE e.${column} = walk.key AND e.number > $2 AND e.number < $3${among}
       ORDER BY e.number ${directionOf(order)} LIMIT 1 OFFSET ${EXAMINED_STEP}) AS stop`,
    ...[keys, low, high],
  )
  return rows.map(({ number }) => number)
}

// A field of the output is looked for by its name in the text: it may hold what PostgreSQL does not take for JSON.
function conditionsOf(filter: ResolvedFilter): Where<SqlValue> {
  const { property } = filter
  return evaluationConditions(filter)
    .and('strpos(e.output, ?) > 0', property === undefined ? undefined : `${JSON.stringify(property)}:`)
    .and(notDeleted('e')) as Where<SqlValue>
}

function directionOf(order: EvaluationRange['order']): string {
  return order === 'newest' ? 'DESC' : 'ASC'
}
