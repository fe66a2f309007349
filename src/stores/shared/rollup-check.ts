import { VERDICT_PROPERTY } from '../../domain/verdict.ts'
import { APPLICATION_COUNTS, countColumn, hourOf } from './application-rollups.ts'
import { COUNTED_ONLY } from './left-out.ts'
import { minuteOf } from './minute-of.ts'
import { countedVerdict } from './stored-verdict.ts'
import type { VerifyDb } from './verify-db.ts'

/** Evaluations that are read at once. */
const ROWS = 5_000
const HOUR_MS = 3_600_000
/** Sums of floats depend on the order in which they were added. */
const TOLERANCE = 1e-6

/** The counts of one property in one minute. */
interface Sum {
  count: number
  sum: number
}

/**
 * Minutes of a monitor version whose counts or values do not fit its evaluations. Minutes are left out whose evaluations may be
 * no longer kept, and units that were sampled out, which have no evaluation.
 */
export async function checkRollups(
  db: VerifyDb,
  version: number,
  hoursMax: number,
  nowMs: number,
): Promise<{ checked: number; minutes: number[] }> {
  const keptMs = (Math.min(await hoursOf(db, version), hoursMax) - 1) * HOUR_MS
  // Whole minutes, so that none is compared of which only a part is looked at.
  const fromMinute = minuteOf(nowMs - keptMs) + 1
  const fromHour = Math.ceil(fromMinute / 60)
  const counted = new Map<string, Sum>()
  let checked = 0
  for (let after = 0; ; ) {
    const [rows = []] = await db.read({
      sql: `SELECT number, status, output, unit_at_ms, verdict, application FROM evaluations
            WHERE monitor_version = $1 AND number > $2 AND is_current = 1 ORDER BY number LIMIT ${ROWS}`,
      values: [version, after],
    })
    for (const row of rows) {
      countRow(counted, row, fromMinute)
      countApplication(counted, row, fromHour)
    }
    checked += rows.length
    if (rows.length < ROWS) break
    after = rows.at(-1)?.['number'] as number
  }
  return { checked, minutes: differing(counted, await storedSums(db, version, fromMinute, fromHour)) }
}

async function hoursOf(db: VerifyDb, version: number): Promise<number> {
  const [[row] = []] = await db.read({
    sql: `SELECT o.retention_hours FROM monitor_versions v JOIN monitors m ON m.number = v.monitor_number
          JOIN projects p ON p.number = m.project_number JOIN organizations o ON o.id = p.org_id WHERE v.number = $1`,
    values: [version],
  })
  return Number(row?.['retention_hours'] ?? 0)
}

function countRow(counted: Map<string, Sum>, row: Record<string, unknown>, fromMinute: number): void {
  const minute = minuteOf(row['unit_at_ms'] as number)
  if (minute < fromMinute) return
  add(counted, minute, `status ${row['status']}`, 0)
  if (row['status'] !== 'scored' || row['output'] === null) return
  for (const [property, value] of Object.entries(JSON.parse(row['output'] as string))) {
    const number = typeof value === 'boolean' ? Number(value) : value
    if (typeof number === 'number') add(counted, minute, `value ${property}`, number)
  }
  const verdict = countedVerdict(row['verdict'] as number | null)
  if (verdict !== undefined) add(counted, minute, `value ${VERDICT_PROPERTY}`, verdict)
}

/** An hour stands under its first minute, and is rebuilt with it. */
function countApplication(counted: Map<string, Sum>, row: Record<string, unknown>, fromHour: number): void {
  const hour = hourOf(row['unit_at_ms'] as number)
  const column = countColumn(row['status'] as string, row['verdict'] as number | null)
  if (hour < fromHour || row['application'] === null || column === undefined) return
  add(counted, hour * 60, `application ${row['application']} ${column}`, 0)
}

function add(counted: Map<string, Sum>, minute: number, what: string, value: number): void {
  const key = `${minute} ${what}`
  const known = counted.get(key) ?? { count: 0, sum: 0 }
  known.count++
  known.sum += value
  counted.set(key, known)
}

async function storedSums(
  db: VerifyDb,
  version: number,
  fromMinute: number,
  fromHour: number,
): Promise<Map<string, Sum>> {
  const [statuses = [], values = [], hours = []] = await db.read(
    {
      sql: `SELECT minute, status, units FROM status_rollups
            WHERE monitor_version = $1 AND minute >= $2 AND status NOT IN ${COUNTED_ONLY} AND units > 0`,
      values: [version, fromMinute],
    },
    {
      sql: `SELECT minute, property, count, sum FROM value_rollups
            WHERE monitor_version = $1 AND minute >= $2 AND count > 0`,
      values: [version, fromMinute],
    },
    {
      sql: `SELECT hour, application, ${APPLICATION_COUNTS.join(', ')} FROM application_rollups
            WHERE monitor_version = $1 AND hour >= $2`,
      values: [version, fromHour],
    },
  )
  return new Map<string, Sum>([
    ...statuses.map(
      (row) =>
        [`${row['minute']} status ${row['status']}`, { count: row['units'] as number, sum: 0 }] as const,
    ),
    ...values.map(
      (row) =>
        [
          `${row['minute']} value ${row['property']}`,
          { count: row['count'] as number, sum: row['sum'] as number },
        ] as const,
    ),
    ...hours.flatMap((row) =>
      APPLICATION_COUNTS.filter((name) => row[name] !== 0).map(
        (name) =>
          [
            `${(row['hour'] as number) * 60} application ${row['application']} ${name}`,
            { count: row[name] as number, sum: 0 },
          ] as const,
      ),
    ),
  ])
}

function differing(counted: ReadonlyMap<string, Sum>, stored: ReadonlyMap<string, Sum>): number[] {
  const keys = new Set([...counted.keys(), ...stored.keys()])
  const wrong = [...keys].filter((key) => !isSame(counted.get(key), stored.get(key)))
  return [...new Set(wrong.map(minuteIn))].sort((left, right) => left - right)
}

function minuteIn(key: string): number {
  return Number(key.slice(0, key.indexOf(' ')))
}

function isSame(left: Sum | undefined, right: Sum | undefined): boolean {
  if (!left || !right) return false
  return (
    left.count === right.count &&
    Math.abs(left.sum - right.sum) <= TOLERANCE * Math.max(1, Math.abs(left.sum))
  )
}
