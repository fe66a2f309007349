import { SELECT_VERSIONS } from './evaluation-page.ts'
import type { Sql, SqlValue } from './sql.ts'
import { numberPlaces } from './where.ts'

/** The numbers of the monitor versions of a project, or of those that fulfil conditions about the tables of `SELECT_VERSIONS`. */
export async function allVersions(
  db: Sql,
  project: number,
  conditions: readonly string[] = [],
  values: readonly SqlValue[] = [],
): Promise<number[]> {
  const rows = await db.all<{ number: number }>(
    numberPlaces(`${SELECT_VERSIONS} WHERE ${['m.project_number = ?', ...conditions].join(' AND ')}`),
    project,
    ...values,
  )
  return rows.map(({ number }) => number)
}
