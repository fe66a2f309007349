import { type FoldKind, MONITOR_FOLDS, USAGE_FOLDS } from './fold-kinds.ts'
import { DAY, HOUR } from './fold-plan.ts'
import type { RangedRelation } from './relations.ts'

/** Sums of floats depend on the order in which they were added. */
const TOLERANCE = 1e-6
/** Larger numbers are not compared: added up they might leave the range of numbers, which a server refuses. */
const LARGE = 1e290

/** A pair of tables that is compared: the columns that name a row within a minute, its count, and a sum where it has one. */
interface ComparedTables {
  readonly minutes: string
  readonly folds: string
  readonly name: string
  readonly count: string
  readonly sum: string
}

/**
 * Periods of the owners from `$1` to `$2` that say something else than their parts: minutes count, folded periods count against them,
 * and what is right comes to nothing. Stale periods are not believed anyway.
 */
function differing({ owner, progress, stale }: FoldKind, tables: readonly ComparedTables[]): string {
  const parts = tables.flatMap(({ minutes, folds, name, count, sum }) => {
    const part = (from: string, level: number, start: string, sign: string, where: string) =>
      `SELECT r.${owner} AS owner, ${level} AS level, ${start} AS minute, ${name} AS name, ${sign}${count} AS count,
         ${sign}CASE WHEN abs(${sum}) < ${LARGE} THEN ${sum} ELSE 0 END AS sum
       FROM ${from} r JOIN ${progress} p ON p.${owner} = r.${owner} WHERE r.${owner} BETWEEN $1 AND $2 AND ${where}`
    const startOf = (level: number) => `r.minute / ${level} * ${level}`
    return [
      part(minutes, HOUR, startOf(HOUR), '', 'r.minute < p.hours_through'),
      part(folds, HOUR, 'r.minute', '-', `r.level = ${HOUR}`),
      part(folds, DAY, startOf(DAY), '', `r.level = ${HOUR} AND r.minute < p.days_through`),
      part(folds, DAY, 'r.minute', '-', `r.level = ${DAY}`),
    ]
  })
  return `SELECT DISTINCT level, owner, minute FROM (
      SELECT level, owner, minute FROM (${parts.join(' UNION ALL ')}) AS parts GROUP BY level, owner, minute, name
      HAVING sum(count) <> 0 OR abs(sum(sum)) > ${TOLERANCE} * (1 + max(abs(sum)))) AS d
    WHERE NOT EXISTS (SELECT 1 FROM ${stale} s WHERE s.level = d.level AND s.${owner} = d.owner AND s.minute = d.minute)
      AND NOT EXISTS (SELECT 1 FROM ${stale} s WHERE s.level = ${HOUR} AND d.level = ${DAY} AND s.${owner} = d.owner
        AND s.minute >= d.minute AND s.minute < d.minute + ${DAY})`
}

function foldRelation(
  name: string,
  kind: FoldKind,
  table: string,
  tables: readonly ComparedTables[],
): RangedRelation {
  return {
    ...{ name, words: 'folded periods of charts do not fit their minutes', isRepairable: true },
    ...{ numbers: [{ table, column: 'number' }], slice: 1 },
    looked: `SELECT count(*) AS count FROM ${kind.folds} WHERE ${kind.owner} BETWEEN $1 AND $2`,
    wrong: () => `SELECT count(*) AS count FROM (${differing(kind, tables)}) AS wrong`,
    // Readers take the minutes at once, and the period is folded again.
    repair: () => [
      `INSERT INTO ${kind.stale} (level, ${kind.owner}, minute)
       SELECT level, owner, minute FROM (${differing(kind, tables)}) AS wrong WHERE true ON CONFLICT DO NOTHING`,
    ],
  }
}

/** The relations between folded periods and the minutes that they were folded from. */
export const FOLD_RELATIONS: readonly RangedRelation[] = [
  foldRelation('hours and minutes', MONITOR_FOLDS, 'monitor_versions', [
    {
      ...{ minutes: 'status_rollups', folds: 'status_folds' },
      ...{ name: "'status ' || r.status", count: 'r.units', sum: 'CAST(0 AS double precision)' },
    },
    {
      ...{ minutes: 'value_rollups', folds: 'value_folds' },
      ...{ name: "'value ' || r.property", count: 'r.count', sum: 'r.sum' },
    },
  ]),
  foldRelation('hours and minutes of use', USAGE_FOLDS, 'projects', [
    {
      ...{ minutes: 'usage_rollups', folds: 'usage_folds' },
      name: "r.env_project_id || ' ' || r.service || ' ' || r.model",
      ...{ count: 'r.calls', sum: 'CAST(r.prompt_tokens + r.completion_tokens AS double precision)' },
    },
  ]),
]
