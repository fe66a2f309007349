import type { SetupEntry } from '../../domain/setup.ts'
import { ENTRY_COLUMNS, type EntryRow, toEntries } from './setup-rows.ts'
import type { Sql } from './sql.ts'

/** The entries of each of several setups, in their order, with one statement. */
export async function entriesOf(
  db: Sql,
  setups: readonly { readonly id: string }[],
): Promise<Map<string, SetupEntry[]>> {
  const ids = setups.map(({ id }) => id)
  if (ids.length === 0) return new Map()
  const rows = await db.all<EntryRow>(
    `${ENTRY_COLUMNS} WHERE ${db.dialect.oneOf('setup_id', '$1')} ORDER BY setup_id, position`,
    ids,
  )
  return toEntries(ids, rows)
}
