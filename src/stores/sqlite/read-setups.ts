import type { Setup, SetupEntry } from '../../domain/setup.ts'
import {
  ENTRY_COLUMNS,
  type EntryRow,
  SETUP_COLUMNS,
  type SetupRow,
  toEntries,
  toSetup,
} from '../shared/setup-rows.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** For the processing of setups, which serves all tenants. */
export function readSetupById(db: SqliteDatabase, id: string): Setup {
  const row = db.get<SetupRow>(`${SETUP_COLUMNS} WHERE s.id = ?`, id)
  if (!row) throw new Error(`setup ${id} does not exist`)
  return toSetup(row, entriesOf(db, [row]).get(id) ?? [])
}

// One query for all entries of a list; the ids travel as one JSON parameter.
export function entriesOf(
  db: SqliteDatabase,
  setups: readonly { readonly id: string }[],
): Map<string, SetupEntry[]> {
  const ids = setups.map(({ id }) => id)
  if (ids.length === 0) return new Map()
  const rows = db.all<EntryRow>(
    `${ENTRY_COLUMNS} WHERE setup_id IN (SELECT value FROM json_each(?)) ORDER BY setup_id, position`,
    JSON.stringify(ids),
  )
  return toEntries(ids, rows)
}
