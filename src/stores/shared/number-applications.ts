import { APPLICATIONS_MAX } from '../../domain/application.ts'
import type { UnitOutcome } from '../../domain/evaluation.ts'
import { Rows, type Sql } from './sql.ts'

/** In the place of an application, for a unit that is known to have none. */
export const NO_APPLICATION = 0
/** A later sight of an application is noted when it is this much later, so that recording seldom has to write it. */
const SEEN_MS = 60_000

/** A unit that is recorded, as far as its application is concerned. */
export interface NamedUnit {
  readonly projectNumber: number
  readonly outcome: Pick<UnitOutcome, 'application' | 'unitAtMs'>
}

/** The number of the application that a unit belongs to. */
export type ApplicationOf = (unit: NamedUnit) => number

interface Seen {
  readonly projectNumber: number
  readonly name: string
  firstMs: number
  lastMs: number
}

interface ApplicationRow {
  readonly number: number
  readonly project_number: number
  readonly name: string
  readonly first_seen_ms: number
  readonly last_seen_ms: number
}

/**
 * Gives the applications of units their numbers: mostly one statement that reads those that are known. Beyond the most that a
 * project may have, a unit has none.
 */
export async function numberApplications(
  tx: Sql,
  units: readonly NamedUnit[],
  nowMs: number,
): Promise<ApplicationOf> {
  const seen = seenIn(units, nowMs)
  const known = seen.size === 0 ? new Map<string, ApplicationRow>() : await read(tx, [...seen.values()])
  const missing = [...seen].filter(([key]) => !known.has(key)).map(([, one]) => one)
  if (missing.length > 0) {
    await addMissing(tx, missing)
    for (const [key, row] of await read(tx, missing)) known.set(key, row)
  }
  await noteSight(tx, seen, known)
  return ({ projectNumber, outcome: { application } }) =>
    application === undefined
      ? NO_APPLICATION
      : (known.get(keyOf(projectNumber, application))?.number ?? NO_APPLICATION)
}

/** A unit that claims to begin later than now was seen now. */
function seenIn(units: readonly NamedUnit[], nowMs: number): Map<string, Seen> {
  const seen = new Map<string, Seen>()
  for (const { projectNumber, outcome } of units) {
    const { application: name, unitAtMs } = outcome
    if (name === undefined) continue
    const key = keyOf(projectNumber, name)
    const atMs = Math.min(unitAtMs, nowMs)
    const one = seen.get(key) ?? { projectNumber, name, firstMs: atMs, lastMs: atMs }
    seen.set(key, one)
    one.firstMs = Math.min(one.firstMs, atMs)
    one.lastMs = Math.max(one.lastMs, atMs)
  }
  return seen
}

async function read(tx: Sql, seen: readonly Seen[]): Promise<Map<string, ApplicationRow>> {
  const rows = await tx.all<ApplicationRow>(
    `SELECT a.number, a.project_number, a.name, a.first_seen_ms, a.last_seen_ms
     FROM ${tx.dialect.rows('$1', 's', { project_number: 'bigint', name: 'text' })}
     JOIN applications a ON a.project_number = s.project_number AND a.name = s.name`,
    new Rows(seen.map(({ projectNumber, name }) => ({ project_number: projectNumber, name }))),
  )
  return new Map(rows.map((row) => [keyOf(row.project_number, row.name), row]))
}

/** In the order of their names, so that two that record at the same time wait for each other and not in a circle. */
async function addMissing(tx: Sql, missing: readonly Seen[]): Promise<void> {
  const byProject = Map.groupBy(missing, ({ projectNumber }) => projectNumber)
  for (const [projectNumber, all] of [...byProject].toSorted(([left], [right]) => left - right)) {
    const counted = await tx.get<{ count: number }>(
      'SELECT count(*) AS count FROM applications WHERE project_number = $1',
      projectNumber,
    )
    const room = APPLICATIONS_MAX - (counted?.count ?? 0)
    if (room <= 0) continue
    const added = all.slice(0, room).toSorted((left, right) => (left.name < right.name ? -1 : 1))
    await tx.run(
      `INSERT INTO applications (project_number, name, first_seen_ms, last_seen_ms)
       SELECT CAST($2 AS BIGINT), s.name, s.first_ms, s.last_ms
       FROM ${tx.dialect.rows('$1', 's', { name: 'text', first_ms: 'bigint', last_ms: 'bigint' })}
       WHERE true ORDER BY s.nth ON CONFLICT (project_number, name) DO NOTHING`,
      new Rows(added.map(({ name, firstMs, lastMs }) => ({ name, first_ms: firstMs, last_ms: lastMs }))),
      projectNumber,
    )
  }
}

async function noteSight(
  tx: Sql,
  seen: ReadonlyMap<string, Seen>,
  known: ReadonlyMap<string, ApplicationRow>,
): Promise<void> {
  const changed = [...known].flatMap(([key, { number, first_seen_ms: firstMs, last_seen_ms: lastMs }]) => {
    const one = seen.get(key)
    if (!one || (one.firstMs >= firstMs && one.lastMs < lastMs + SEEN_MS)) return []
    return [{ number, first_ms: Math.min(one.firstMs, firstMs), last_ms: Math.max(one.lastMs, lastMs) }]
  })
  if (changed.length === 0) return
  await tx.run(
    `UPDATE applications AS a SET first_seen_ms = CASE WHEN s.first_ms < a.first_seen_ms THEN s.first_ms ELSE a.first_seen_ms END,
       last_seen_ms = CASE WHEN s.last_ms > a.last_seen_ms THEN s.last_ms ELSE a.last_seen_ms END
     FROM ${tx.dialect.rows('$1', 's', { number: 'bigint', first_ms: 'bigint', last_ms: 'bigint' })} WHERE a.number = s.number`,
    new Rows(changed.toSorted((left, right) => left.number - right.number)),
  )
}

function keyOf(projectNumber: number, name: string): string {
  return `${projectNumber} ${name}`
}
