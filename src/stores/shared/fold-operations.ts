import { type FoldKind, MONITOR_FOLDS, USAGE_FOLDS } from './fold-kinds.ts'
import { type FoldPeriod, foldMonitorPeriod, foldUsagePeriod } from './fold-periods.ts'
import { DAY, type FoldLevel, HOUR } from './fold-plan.ts'
import type { Sql } from './sql.ts'

/** How long one step may hold up the writer. */
const FOLD_MS_MAX = 10
/** An hour is folded when it has ended for so long; what comes later has it folded again. */
const QUIET_MS = 600_000
const HOUR_MS = 3_600_000

interface Folding extends FoldKind {
  readonly foldPeriod: FoldPeriod
  /** Keeps others from changing the minutes of a project until the transaction ends. */
  readonly hold: (tx: Sql, projectNumber: number) => Promise<void>
}

const FOLDINGS: readonly Folding[] = [
  {
    ...MONITOR_FOLDS,
    foldPeriod: foldMonitorPeriod,
    hold: (tx, project) => tx.lock.recording(project),
  },
  { ...USAGE_FOLDS, foldPeriod: foldUsagePeriod, hold: (tx, project) => tx.lock.digests(project) },
]

interface OwnerRow {
  readonly owner: number
  readonly project_number: number
}

interface ProgressRow {
  readonly hours_through: number
  readonly days_through: number
}

/** One short step for one owner; true when there may be more to do. */
export async function foldRollups(tx: Sql, nowMs: number): Promise<boolean> {
  const target = Math.floor((nowMs - QUIET_MS) / HOUR_MS) * HOUR
  for (const folding of FOLDINGS) {
    const owner = await findOwner(tx, folding, target)
    if (!owner) continue
    await folding.hold(tx, owner.project_number)
    const untilMs = performance.now() + FOLD_MS_MAX
    for (;;) {
      const period = await nextPeriod(tx, folding, owner.owner, target)
      if (!period) break
      await foldNext(tx, folding, owner.owner, period)
      if (performance.now() > untilMs) break
    }
    return true
  }
  return false
}

/** An owner with a stale period, or with minutes or hours that can be folded. */
function findOwner(tx: Sql, kind: FoldKind, target: number): Promise<OwnerRow | undefined> {
  const { owner, owners, progress, stale, minutes, folds } = kind
  const wholeDays = `p.hours_through / ${DAY} * ${DAY}`
  return tx.get<OwnerRow>(
    `SELECT o.owner, o.project_number FROM (${owners}) AS o LEFT JOIN ${progress} p ON p.${owner} = o.owner
     WHERE EXISTS (SELECT 1 FROM ${stale} s WHERE s.level IN (${HOUR}, ${DAY}) AND s.${owner} = o.owner)
       OR EXISTS (SELECT 1 FROM ${minutes} r WHERE r.${owner} = o.owner AND r.minute >= coalesce(p.hours_through, 0)
         AND r.minute < $1)
       OR EXISTS (SELECT 1 FROM ${folds} f WHERE f.${owner} = o.owner AND f.level = ${HOUR}
         AND f.minute >= p.days_through AND f.minute < ${wholeDays})
     LIMIT 1`,
    target,
  )
}

interface Period {
  readonly level: FoldLevel
  readonly minute: number
  readonly isStale: boolean
}

/** Hours before days: a day is made of hours, all of which are right by then. */
async function nextPeriod(
  tx: Sql,
  kind: FoldKind,
  owner: number,
  target: number,
): Promise<Period | undefined> {
  const progress = await tx.get<ProgressRow>(
    `SELECT hours_through, days_through FROM ${kind.progress} WHERE ${kind.owner} = $1`,
    owner,
  )
  const hours = progress?.hours_through ?? 0
  const days = progress?.days_through ?? 0
  return (
    (await stalePeriod(tx, kind, owner, HOUR)) ??
    (await newPeriod(tx, `${kind.minutes} WHERE`, kind, owner, HOUR, [hours, target])) ??
    (await stalePeriod(tx, kind, owner, DAY)) ??
    newPeriod(tx, `${kind.folds} WHERE level = ${HOUR} AND`, kind, owner, DAY, [
      days,
      Math.floor(hours / DAY) * DAY,
    ])
  )
}

async function stalePeriod(
  tx: Sql,
  { stale, owner: column }: FoldKind,
  owner: number,
  level: FoldLevel,
): Promise<Period | undefined> {
  const row = await tx.get<{ minute: number }>(
    `SELECT minute FROM ${stale} WHERE level = $1 AND ${column} = $2 ORDER BY minute LIMIT 1`,
    level,
    owner,
  )
  return row && { level, minute: row.minute, isStale: true }
}

/** The period of the first part that was not folded yet; periods without any part are passed over. */
async function newPeriod(
  tx: Sql,
  parts: string,
  { owner: column }: FoldKind,
  owner: number,
  level: FoldLevel,
  [from, to]: readonly [number, number],
): Promise<Period | undefined> {
  const row = await tx.get<{ minute: number }>(
    `SELECT minute FROM ${parts} ${column} = $1 AND minute >= $2 AND minute < $3 ORDER BY minute LIMIT 1`,
    owner,
    from,
    to,
  )
  return row && { level, minute: Math.floor(row.minute / level) * level, isStale: false }
}

async function foldNext(
  tx: Sql,
  { owner: column, progress, stale, foldPeriod }: Folding,
  owner: number,
  { level, minute, isStale }: Period,
): Promise<void> {
  await foldPeriod(tx, owner, level, minute)
  if (isStale) {
    await tx.run(
      `DELETE FROM ${stale} WHERE level = $1 AND ${column} = $2 AND minute = $3`,
      ...[level, owner, minute],
    )
    return
  }
  const [through, other] =
    level === HOUR ? ['hours_through', 'days_through'] : ['days_through', 'hours_through']
  await tx.run(
    `INSERT INTO ${progress} (${column}, ${through}, ${other}) VALUES ($1, $2, 0)
     ON CONFLICT (${column}) DO UPDATE SET ${through} = excluded.${through}`,
    owner,
    minute + level,
  )
}
