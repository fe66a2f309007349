import type { FoldKind } from './fold-kinds.ts'
import { DAY, type FoldState, HOUR, planStretches, type Stretch } from './fold-plan.ts'
import type { ColumnTypes, Dialect, Sql } from './sql.ts'

/** Minutes from, up to, and how many make a bucket. */
export type MinuteRange = readonly [from: number, to: number, bucketMinutes: number]

/** A bucket that holds all minutes there are, and any number of whole days. */
export const WHOLE_MINUTES = DAY * 2 ** 30

/** A stretch of one owner, as it is bound. */
export type BoundStretch = {
  readonly owner: number
  readonly level: number
  readonly from_minute: number
  readonly to_minute: number
}

/** The columns of a bound stretch. */
export const STRETCH_COLUMNS: ColumnTypes = {
  ...{ owner: 'bigint', level: 'bigint', from_minute: 'bigint', to_minute: 'bigint' },
}

/** The stretches that cover a range for each of some owners, on the state of the store that the transaction sees. */
export async function stretchesOf(
  db: Sql,
  kind: FoldKind,
  owners: readonly number[],
  [from, to, bucketMinutes]: MinuteRange,
): Promise<BoundStretch[]> {
  const isFine = bucketMinutes % HOUR !== 0
  const states = isFine ? new Map<number, FoldState>() : await statesOf(db, kind, owners, from, to)
  return owners.flatMap((owner) => {
    const state = states.get(owner)
    const stretches: readonly Stretch[] = state
      ? planStretches(state, from, to, bucketMinutes)
      : [{ level: 1, from, to }]
    return stretches.map(({ level, ...minutes }) => ({
      ...{ owner, level, from_minute: minutes.from, to_minute: minutes.to },
    }))
  })
}

async function statesOf(
  db: Sql,
  { owner: column, progress, stale }: FoldKind,
  owners: readonly number[],
  from: number,
  to: number,
): Promise<Map<number, FoldState>> {
  const rows = await db.all<{ owner: number; hours_through: number; days_through: number }>(
    `SELECT ${column} AS owner, hours_through, days_through FROM ${progress} WHERE ${db.dialect.oneOf(column, '$1')}`,
    owners,
  )
  const changed = await db.all<{ owner: number; level: number; minute: number }>(
    `SELECT ${column} AS owner, level, minute FROM ${stale}
     WHERE level IN (${HOUR}, ${DAY}) AND ${db.dialect.oneOf(column, '$1')} AND minute >= $2 AND minute < $3`,
    owners,
    from,
    to,
  )
  const staleOf = Map.groupBy(changed, ({ owner }) => owner)
  const minutesOf = (owner: number, wanted: number) =>
    new Set((staleOf.get(owner) ?? []).filter(({ level }) => level === wanted).map(({ minute }) => minute))
  return new Map(
    rows.map(({ owner, hours_through: hoursThrough, days_through: daysThrough }) => [
      owner,
      {
        ...{ hoursThrough, daysThrough },
        stale: { [HOUR]: minutesOf(owner, HOUR), [DAY]: minutesOf(owner, DAY) } as FoldState['stale'],
      },
    ]),
  )
}

/** The tables of one kind of rollup, and the columns that are read of them. */
export interface LeveledTables {
  readonly minutes: string
  readonly folds: string
  /** Of the rollup `r`; of the stretch `s` too where it has more columns. */
  readonly columns: string
  /** Further conditions on them, beginning with AND. */
  readonly and?: string
}

/**
 * The rollups of the stretches that are bound to a place, as a table `r`: those of minutes and those of folded periods, which stand
 * under their first minute. Each stretch is a walk along the key of its table.
 */
export function leveled(
  dialect: Dialect,
  place: string,
  { owner }: FoldKind,
  { minutes, folds, columns, and = '' }: LeveledTables,
  stretchColumns: ColumnTypes = STRETCH_COLUMNS,
): string {
  const stretches = dialect.rows(place, 's', stretchColumns)
  const within = `r.${owner} = s.owner AND r.minute >= s.from_minute AND r.minute < s.to_minute ${and}`
  return `(SELECT ${columns} FROM ${stretches} ${dialect.joinWalk(minutes, `s.level = 1 AND ${within}`)}
    UNION ALL
    SELECT ${columns} FROM ${stretches} ${dialect.joinWalk(folds, `s.level > 1 AND r.level = s.level AND ${within}`)}) AS r`
}
