import type { RelationCheck, RelationSlice } from '../../ports/verification-storage.ts'
import { FOLD_RELATIONS } from './fold-relations.ts'
import type { VerifyDb, VerifyQuery } from './verify-db.ts'

/** Numbers of batches, or of evaluations, that one slice goes over. */
const SLICE = 5_000

/** A relation that is checked by ranges of a number; `$1` and `$2` are the first and the last of a range. */
export interface RangedRelation extends RelationCheck {
  /** The table and column whose numbers the check walks through. */
  readonly numbers: readonly { readonly table: string; readonly column: string }[]
  /** How many rows were looked at. */
  readonly looked: string
  readonly wrong: (db: VerifyDb) => string
  readonly repair?: (db: VerifyDb) => readonly string[]
  /** Numbers that one slice goes over, where each stands for many rows. */
  readonly slice?: number
}

const BATCHES = { table: 'span_batches', column: 'id' }
const of = (table: string) => [{ table, column: 'batch_id' }]
const NO_BATCH = (row: string) => `NOT EXISTS (SELECT 1 FROM span_batches b WHERE b.id = ${row}.batch_id)`

/** Rows that name a batch which is gone. */
function withoutBatch(table: string, words: string): RangedRelation {
  const where = `x.batch_id BETWEEN $1 AND $2 AND ${NO_BATCH('x')}`
  return {
    ...{ name: `${table} and batches`, words, isRepairable: true, numbers: of(table) },
    looked: `SELECT count(*) AS count FROM ${table} x WHERE x.batch_id BETWEEN $1 AND $2`,
    wrong: () => `SELECT count(*) AS count FROM ${table} x WHERE ${where}`,
    repair: () => [`DELETE FROM ${table} AS x WHERE ${where}`],
  }
}

/** Matches of active monitors that have no work, as the sweep looks for them among the newest. */
const MISSING_WORK = `FROM matches t
  JOIN monitors m ON m.setup_version = t.setup_version AND m.is_active = 1 AND m.is_gathered = 0
  JOIN span_batches b ON b.id = t.batch_id AND b.project_number = m.project_number
  WHERE t.batch_id BETWEEN $1 AND $2 AND t.job_number = 0 AND t.batch_id > m.fill_last AND NOT EXISTS (
    SELECT 1 FROM work w WHERE w.batch_id = t.batch_id AND w.monitor_version = m.version_number AND w.job_number = 0)`

const UNDIGESTED = (db: VerifyDb) => `FROM span_batches b JOIN projects p ON p.number = b.project_number
  WHERE b.id BETWEEN $1 AND $2 AND b.id <= ${db.digestedThrough}
    AND NOT EXISTS (SELECT 1 FROM trace_places t WHERE t.batch_id = b.id)
    AND NOT EXISTS (SELECT 1 FROM undigested_batches u WHERE u.batch_id = b.id)
    AND NOT EXISTS (SELECT 1 FROM erasures e WHERE e.batch_id = b.id AND ${db.countUnits}(e.units) >= b.span_count)
    AND (b.repeated IS NULL OR ${db.countUnits}(b.repeated) < b.span_count)`

const UNKNOWN_VERSION = (
  row: string,
) => `NOT EXISTS (SELECT 1 FROM monitor_versions v WHERE v.number = ${row}.monitor_version)
  AND NOT EXISTS (SELECT 1 FROM dropped_versions d WHERE d.number = ${row}.monitor_version)`

/** All relations that are checked by ranges, in the order of their checks. */
export const RELATIONS: readonly RangedRelation[] = [
  {
    ...{
      name: 'batches and digests',
      words: 'batches are in no trace',
      isRepairable: true,
      numbers: [BATCHES],
    },
    looked: 'SELECT count(*) AS count FROM span_batches WHERE id BETWEEN $1 AND $2',
    wrong: (db) => `SELECT count(*) AS count ${UNDIGESTED(db)}`,
    repair: (db) => [
      `INSERT INTO undigested_batches (batch_id, project_number, reason)
       SELECT b.id, b.project_number, 'verify found it in no trace' ${UNDIGESTED(db)} ON CONFLICT (batch_id) DO NOTHING`,
    ],
  },
  withoutBatch('matches', 'decisions belong to no stored batch'),
  {
    ...{ name: 'decisions and spans', words: 'decisions name spans that their batch does not have' },
    ...{ isRepairable: false, numbers: of('matches') },
    looked: 'SELECT count(*) AS count FROM matches WHERE batch_id BETWEEN $1 AND $2',
    wrong: () => `SELECT count(*) AS count FROM matches m JOIN span_batches b ON b.id = m.batch_id
      WHERE m.batch_id BETWEEN $1 AND $2 AND length(m.units) * 8 >= b.span_count + 8`,
  },
  withoutBatch('work', 'pieces of work belong to no stored batch'),
  {
    ...{
      name: 'decisions and work',
      words: 'decisions have no work',
      isRepairable: true,
      numbers: of('matches'),
    },
    looked: 'SELECT count(*) AS count FROM matches WHERE batch_id BETWEEN $1 AND $2',
    wrong: () => `SELECT count(*) AS count ${MISSING_WORK}`,
    repair: (db) => [
      `INSERT INTO work (batch_id, monitor_version, units, unit_count, is_judged)
       SELECT t.batch_id, m.version_number, t.units, ${db.countUnits}(t.units), m.is_judged ${MISSING_WORK}
       ON CONFLICT (batch_id, monitor_version, job_number) DO NOTHING`,
    ],
  },
  {
    ...{ name: 'work and monitors', words: 'pieces of work belong to no monitor', isRepairable: true },
    numbers: of('work'),
    looked: 'SELECT count(*) AS count FROM work WHERE batch_id BETWEEN $1 AND $2',
    wrong: () =>
      `SELECT count(*) AS count FROM work w WHERE w.batch_id BETWEEN $1 AND $2 AND ${UNKNOWN_VERSION('w')}`,
    repair: () => [`DELETE FROM work AS w WHERE w.batch_id BETWEEN $1 AND $2 AND ${UNKNOWN_VERSION('w')}`],
  },
  {
    ...{ name: 'evaluations and monitors', words: 'evaluations belong to no monitor', isRepairable: false },
    numbers: [{ table: 'evaluations', column: 'number' }],
    looked: 'SELECT count(*) AS count FROM evaluations WHERE number BETWEEN $1 AND $2',
    wrong:
      () => `SELECT count(*) AS count FROM evaluations e WHERE e.number BETWEEN $1 AND $2 AND ${UNKNOWN_VERSION('e')}
      AND NOT EXISTS (SELECT 1 FROM dropped_projects p WHERE p.number = e.project_number)`,
  },
  {
    ...{ name: 'evaluations and verdicts', words: 'scored evaluations have no verdict', isRepairable: true },
    numbers: [{ table: 'evaluations', column: 'number' }],
    looked: 'SELECT count(*) AS count FROM evaluations WHERE number BETWEEN $1 AND $2',
    wrong: () => `SELECT count(*) AS count ${UNJUDGED}`,
    // A monitor without a rule is given that of its evaluator, and everything it has stored is judged again.
    repair: () => [
      `UPDATE monitors SET verdict_rule = NULL, is_rule_stale = 1 WHERE number IN (SELECT m.number ${UNJUDGED})`,
    ],
  },
  withoutBatch('trace_places', 'places of traces belong to no stored batch'),
  {
    ...{
      name: 'places and traces',
      words: 'places belong to no trace',
      isRepairable: true,
      numbers: of('trace_places'),
    },
    looked: 'SELECT count(*) AS count FROM trace_places WHERE batch_id BETWEEN $1 AND $2',
    wrong: () =>
      `SELECT count(*) AS count FROM trace_places x WHERE x.batch_id BETWEEN $1 AND $2 AND ${NO_TRACE}`,
    // Without its places the batch is in no trace, and the next pass has it summed up again.
    repair: () => [`DELETE FROM trace_places AS x WHERE x.batch_id BETWEEN $1 AND $2 AND ${NO_TRACE}`],
  },
  {
    ...{ name: 'totals and counts', words: 'totals are smaller than their parts', isRepairable: true },
    // All at once: there are as many totals as monitors.
    numbers: [],
    looked: 'SELECT count(*) AS count FROM status_totals WHERE $1 <= $2',
    wrong: () => `SELECT count(*) AS count FROM (${SUMS}) AS s WHERE $1 <= $2 AND ${IS_TOO_SMALL}`,
    repair: () => [
      `DELETE FROM status_totals AS t WHERE $1 <= $2 AND EXISTS (SELECT 1 FROM (${SUMS}) AS s
         WHERE s.monitor_version = t.monitor_version AND s.status = t.status AND t.units < s.units)`,
      `INSERT INTO status_totals (monitor_version, status, units)
       SELECT s.monitor_version, s.status, s.units FROM (${SUMS}) AS s WHERE $1 <= $2 AND ${IS_TOO_SMALL}`,
    ],
  },
  ...FOLD_RELATIONS,
]

/** Scores that no verdict was derived for, and none is going to be. A process of an earlier version makes such. */
const UNJUDGED = `FROM evaluations e JOIN monitor_versions v ON v.number = e.monitor_version
  JOIN monitors m ON m.number = v.monitor_number
  WHERE e.number BETWEEN $1 AND $2 AND e.status = 'scored' AND e.verdict IS NULL AND e.output IS NOT NULL
    AND m.verdict_rule IS NOT NULL AND NOT e.number BETWEEN v.verdict_next AND v.verdict_last`
const NO_TRACE = `NOT EXISTS (
  SELECT 1 FROM traces t WHERE t.project_number = x.project_number AND t.trace_id = x.trace_id)`
const SUMS =
  'SELECT monitor_version, status, sum(units) AS units FROM status_rollups GROUP BY monitor_version, status'
const IS_TOO_SMALL = `s.units > coalesce((
  SELECT t.units FROM status_totals t WHERE t.monitor_version = s.monitor_version AND t.status = s.status), 0)`

/** Checks a slice of a relation, and repairs it if that is asked for and can be done. */
export async function checkRelation(
  db: VerifyDb,
  name: string,
  from: string | undefined,
  isRepairing: boolean,
): Promise<RelationSlice> {
  const relation = RELATIONS.find((each) => each.name === name)
  if (!relation) throw new Error(`there is no relation ${name}`)
  const [first, last] = await rangeOf(db, relation, from)
  if (first > last) return { checked: 0, wrong: 0, repaired: 0 }
  const end = Math.min(first + (relation.slice ?? SLICE) - 1, last)
  const query = (sql: string): VerifyQuery => ({ sql, values: [first, end] })
  const [looked, wrong] = (await db.read(query(relation.looked), query(relation.wrong(db)))).map(countIn)
  const repairs = isRepairing && wrong ? (relation.repair?.(db) ?? []) : []
  if (repairs.length > 0) await db.write(...repairs.map(query))
  return {
    checked: looked ?? 0,
    wrong: wrong ?? 0,
    repaired: repairs.length > 0 ? (wrong ?? 0) : 0,
    ...(end < last ? { next: String(end + 1) } : {}),
  }
}

async function rangeOf(
  db: VerifyDb,
  { numbers }: RangedRelation,
  from: string | undefined,
): Promise<[first: number, last: number]> {
  const [number] = numbers
  if (!number) return [1, 1]
  const { table, column } = number
  const [[row] = []] = await db.read({
    sql: `SELECT min(${column}) AS first, max(${column}) AS last FROM ${table} WHERE ${column} >= $1`,
    values: [Number(from ?? 0)],
  })
  const { first, last } = (row ?? {}) as { first?: number | null; last?: number | null }
  return [first ?? 1, last ?? 0]
}

function countIn([row]: readonly Record<string, unknown>[]): number {
  return Number(row?.['count'] ?? 0)
}
